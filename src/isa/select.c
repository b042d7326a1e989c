/* Selectors: which halves or bytes of its registers a video instruction works on.
 *
 * As text a selector is ".h" or ".b" and digits, the one for the lowest element last. One digit picks a half
 * or byte of a word; a source of a two- or four-wide instruction has a digit for each element, which counts
 * through a (0 and up) and then b. A result's selector names the elements that are written. */
#include "isa/isa.h"

#include <string.h>

/* A selector as a number: three bits a digit from the lowest element on, then how many digits there are. */
enum { DIGIT_BITS = 3, COUNT_SHIFT = 12, COUNT_MASK = 7, HALVES = 1 << 15 };

static unsigned digit_count(uint16_t selector) { return selector >> COUNT_SHIFT & COUNT_MASK; }
static unsigned digit_at(uint16_t selector, unsigned k) { return selector >> DIGIT_BITS * k & 7; }
static unsigned unit_bytes(uint16_t selector) { return selector & HALVES ? 2 : 1; }

uint16_t isa_selector(const char *text, size_t length)
{
    if (length < 3 || length > 6 || text[0] != '.' || (text[1] != 'b' && text[1] != 'h'))
        return 0;
    const unsigned count = (unsigned)length - 2;
    unsigned selector = count << COUNT_SHIFT | (text[1] == 'h' ? HALVES : 0);
    for (unsigned k = 0; k < count; k++) {
        const char digit = text[length - 1 - k];
        if (digit < '0' || digit > '7')
            return 0;
        selector |= (unsigned)(digit - '0') << DIGIT_BITS * k;
    }
    return (uint16_t)selector;
}

/* How many elements a row works on: its mnemonic ends with the number, if there are several. */
static unsigned element_count(const IsaRow *row)
{
    const char last = row->pattern[strcspn(row->pattern, ".") - 1];
    return last == '2' ? 2 : last == '4' ? 4 : 1;
}

/* The bytes of the result that are written, in a set; 0 if the digits do not descend or leave the word. */
static unsigned written_bytes(uint16_t selector)
{
    const unsigned bytes = unit_bytes(selector);
    unsigned set = 0;
    for (unsigned k = 0; k < digit_count(selector); k++) {
        const unsigned digit = digit_at(selector, k);
        if (digit >= 4 / bytes || (k && digit <= digit_at(selector, k - 1)))
            return 0;
        set |= ((1u << bytes) - 1) << digit * bytes;
    }
    return set;
}

/* The field of a word: its position, and above it how many bits of the word it leaves out. */
static uint16_t field(uint16_t selector)
{
    const unsigned bits = 8 * unit_bytes(selector);
    return (uint16_t)(digit_at(selector, 0) * bits | (32 - bits) << 8);
}

/* Four hexadecimal digits as prmt takes them, which of the eight bytes of a and b each byte becomes; stored
 * as what differs from the choice of all of a, or all of b. */
static uint16_t byte_choice(uint16_t selector, uint16_t whole)
{
    const unsigned bytes = unit_bytes(selector);
    unsigned choice = 0;
    for (unsigned k = 0; k < 4; k++)
        choice |= (digit_at(selector, k / bytes) * bytes + k % bytes) << 4 * k;
    return (uint16_t)(choice ^ whole);
}

bool isa_select(const IsaRow *row, unsigned operand, uint16_t selector, LaneMods *mods)
{
    const unsigned elements = element_count(row), bytes = unit_bytes(selector);
    const bool is_packed = elements > 1;
    if (is_packed && elements * bytes != 4)
        return false;
    if (operand == 0) {
        const unsigned written = written_bytes(selector);
        mods->keep = (uint8_t)(~written & 15);
        return written && (is_packed || digit_count(selector) == 1);
    }
    if (operand > 2 || digit_count(selector) != elements)
        return false;
    if (is_packed) {
        for (unsigned k = 0; k < elements; k++)
            if (digit_at(selector, k) >= 2 * elements)
                return false;
        mods->select[operand - 1] = byte_choice(selector, operand == 1 ? 0x3210 : 0x7654);
        return true;
    }
    mods->select[operand - 1] = field(selector);
    return digit_at(selector, 0) < 4 / bytes;
}

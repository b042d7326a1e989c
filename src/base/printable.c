/* Goes through text by UTF-8 characters, so that letters of other languages stay and control characters do
 * not. */
#include "base/printable.h"

#include <stdio.h>
#include <string.h>

unsigned printable_character(const char *text)
{
    const unsigned char first = (unsigned char)*text;
    const unsigned bytes = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    const unsigned char second = (unsigned char)(bytes > 1 ? text[1] : 0);
    if (first > 0xF4 || (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) ||
        (first == 0xF4 && second > 0x8F)) /* surrogates, too long, too large */
        return 0;
    for (unsigned i = 1; i < bytes; i++)
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            return 0;
    return bytes;
}

/* Those below 0x20, 0x7f, and 0x80 to 0x9f, as one byte or as a character of two. Other bytes that are no
 * UTF-8 are letters of another encoding. */
static bool is_control(const char *at, unsigned bytes, bool keeps_lines)
{
    const unsigned char first = (unsigned char)at[0];
    if (bytes == 1)
        return (first < 0x20 && !(keeps_lines && (first == '\n' || first == '\t'))) || first == 0x7F;
    if (bytes == 0)
        return first >= 0x80 && first < 0xA0;
    return bytes == 2 && first == 0xC2 && (unsigned char)at[1] < 0xA0;
}

bool printable_is(const char *text, bool keeps_lines)
{
    for (unsigned bytes; *text; text += bytes ? bytes : 1)
        if (is_control(text, bytes = printable_character(text), keeps_lines))
            return false;
    return true;
}

const char *printable_text(const char *text, bool keeps_lines, char *buffer, size_t size)
{
    size_t used = 0;
    for (unsigned step; *text; text += step) {
        const unsigned bytes = printable_character(text);
        step = bytes ? bytes : 1;
        const bool is_written_out = is_control(text, bytes, keeps_lines);
        const unsigned char last = (unsigned char)text[step - 1];
        const size_t needed = is_written_out ? strlen("\\x1b") : step;
        if (used + needed >= size)
            break;
        if (is_written_out)
            sprintf(buffer + used, "\\x%02x", last);
        else
            memcpy(buffer + used, text, step);
        used += needed;
    }
    buffer[used] = '\0';
    return buffer;
}

const char *printable_name(const char *name, char buffer[PRINTABLE_NAME_SIZE])
{
    return printable_text(name, false, buffer, PRINTABLE_NAME_SIZE);
}

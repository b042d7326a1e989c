/* printf for device memory: the format is read byte by byte where the thread has it, arguments at their
 * natural alignment from the buffer that the compiler fills. Each conversion is rebuilt and given to the
 * host's snprintf(), so numbers look as on a host. After the first address that cannot be read everything
 * reads as zeros, which ends all loops. */
#include "exec/intrinsic/print_format.h"

#include <stdio.h>
#include <string.h>

/* Larger widths and precisions are cut: a device's print buffer would not hold them either. */
enum { WIDEST = 65535, LONGEST_SPEC = 32 };

/* One conversion: %[flags][width][.precision][length]letter. */
typedef struct Conversion {
    char flags[8];
    int width, precision; /* -1: not given */
    bool is_long;         /* an 8-byte integer */
    unsigned narrow;      /* h: 2, hh: 1, otherwise 0 */
    char letter;
} Conversion;

/* Where the call is in its format and in its arguments. */
typedef struct Cursor {
    Print *print;
    uint64_t format, arguments;
    int used;
    bool failed;
} Cursor;

static bool fetch(Cursor *cursor, uint64_t address, void *to, size_t size)
{
    if (!cursor->failed && cursor->print->read(cursor->print->context, address, to, size))
        return true;
    if (!cursor->failed)
        cursor->print->bad_address = address;
    /* The first address is told; later ones would only be its consequence. */
    cursor->failed = true;
    memset(to, 0, size);
    return false;
}

static char peek_format(Cursor *cursor)
{
    char letter;
    fetch(cursor, cursor->format, &letter, 1);
    return letter;
}

static char next_format(Cursor *cursor)
{
    char letter = peek_format(cursor);
    cursor->format++;
    return letter;
}

/* The compiler puts each argument at a multiple of its size. */
static uint64_t argument(Cursor *cursor, size_t size)
{
    uint64_t value = 0;
    cursor->arguments = (cursor->arguments + size - 1) / size * size;
    fetch(cursor, cursor->arguments, &value, size);
    cursor->arguments += size;
    cursor->used++;
    return value;
}

static void append(Print *print, const char *text, size_t length)
{
    VEC_RESERVE(&print->text, print->text.count + (uint32_t)length + 1);
    memcpy(print->text.items + print->text.count, text, length);
    print->text.count += (uint32_t)length;
}

/* A number of the format, or a * argument. */
static int read_count(Cursor *cursor)
{
    if (peek_format(cursor) == '*') {
        cursor->format++;
        int32_t value = (int32_t)argument(cursor, 4);
        return value > WIDEST ? WIDEST : value < -WIDEST ? -WIDEST : value;
    }
    int value = 0;
    for (char letter; (letter = peek_format(cursor)) >= '0' && letter <= '9'; cursor->format++)
        value = value * 10 + (letter - '0') > WIDEST ? WIDEST : value * 10 + (letter - '0');
    return value;
}

/* Long is 64 bits on the device, as on the host; "ll" means no more than "l". */
static void read_length(Cursor *cursor, Conversion *conversion)
{
    for (;; cursor->format++) {
        switch (peek_format(cursor)) {
        case 'h':
            conversion->narrow = conversion->narrow == 2 ? 1 : 2;
            break;
        case 'l':
        case 'z':
        case 'j':
        case 't':
            conversion->is_long = true;
            break;
        default:
            return;
        }
    }
}

static void add_flag(Conversion *conversion, char flag)
{
    size_t length = strlen(conversion->flags);
    if (!strchr(conversion->flags, flag) && length + 1 < sizeof conversion->flags)
        conversion->flags[length] = flag;
}

static Conversion read_conversion(Cursor *cursor)
{
    Conversion conversion = {.width = -1, .precision = -1};
    for (char letter; (letter = peek_format(cursor)) && strchr("-+ #0", letter); cursor->format++)
        add_flag(&conversion, letter);
    char letter = peek_format(cursor);
    if (letter == '*' || (letter >= '1' && letter <= '9'))
        conversion.width = read_count(cursor);
    if (conversion.width < -1) {
        conversion.width = -conversion.width;
        add_flag(&conversion, '-');
    }
    if (peek_format(cursor) == '.') {
        cursor->format++;
        conversion.precision = read_count(cursor);
    }
    read_length(cursor, &conversion);
    conversion.letter = next_format(cursor);
    return conversion;
}

/* Rebuilds the conversion for the host's printf, with `length` before the letter. */
static void write_spec(const Conversion *conversion, const char *length, char spec[LONGEST_SPEC])
{
    int used = snprintf(spec, LONGEST_SPEC, "%%%s", conversion->flags);
    if (conversion->width >= 0)
        used += snprintf(spec + used, (size_t)(LONGEST_SPEC - used), "%d", conversion->width);
    if (conversion->precision >= 0)
        used += snprintf(spec + used, (size_t)(LONGEST_SPEC - used), ".%d", conversion->precision);
    snprintf(spec + used, (size_t)(LONGEST_SPEC - used), "%s%c", length, conversion->letter);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

#define APPEND_FORMATTED(print, spec, value)                                                                 \
    do {                                                                                                     \
        int length_ = snprintf(NULL, 0, spec, value);                                                        \
        VEC_RESERVE(&(print)->text, (print)->text.count + (uint32_t)length_ + 1);                            \
        snprintf((print)->text.items + (print)->text.count, (size_t)length_ + 1, spec, value);               \
        (print)->text.count += (uint32_t)length_;                                                            \
    } while (0)

static void print_integer(Cursor *cursor, const Conversion *conversion, bool is_signed)
{
    uint64_t value = argument(cursor, conversion->is_long ? 8 : 4);
    char spec[LONGEST_SPEC];
    /* All integers are printed as long long, so that one call does for every length. */
    write_spec(conversion, "ll", spec);
    if (!conversion->is_long) {
        unsigned bits = conversion->narrow ? 8 * conversion->narrow : 32;
        uint64_t kept = value & (UINT64_MAX >> (64 - bits));
        bool negative = is_signed && kept >> (bits - 1) & 1;
        value = negative ? kept | UINT64_MAX << bits : kept;
    }
    APPEND_FORMATTED(cursor->print, spec, (unsigned long long)value);
}

static void print_double(Cursor *cursor, const Conversion *conversion)
{
    uint64_t bits = argument(cursor, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    char spec[LONGEST_SPEC];
    write_spec(conversion, "", spec);
    APPEND_FORMATTED(cursor->print, spec, value);
}

static void print_pointer(Cursor *cursor, const Conversion *conversion)
{
    uint64_t value = argument(cursor, 8);
    char spec[LONGEST_SPEC];
    write_spec(conversion, "", spec);
    APPEND_FORMATTED(cursor->print, spec, (void *)(uintptr_t)value);
}

/* A %c of value 0 is a byte of the output like any other, so it does not go through a C string. */
static void print_character(Cursor *cursor, const Conversion *conversion)
{
    char letter = (char)argument(cursor, 4);
    int width = conversion->width > 1 ? conversion->width - 1 : 0;
    bool left = strchr(conversion->flags, '-');
    for (int i = 0; i < width && !left; i++)
        append(cursor->print, " ", 1);
    append(cursor->print, &letter, 1);
    for (int i = 0; i < width && left; i++)
        append(cursor->print, " ", 1);
}

static void print_string(Cursor *cursor, const Conversion *conversion)
{
    uint64_t address = argument(cursor, 8);
    VEC(char) string = {0};
    const char *text = "(null)";
    if (address) {
        size_t most = conversion->precision >= 0 ? (size_t)conversion->precision : SIZE_MAX;
        char letter;
        for (size_t i = 0; i < most && fetch(cursor, address + i, &letter, 1) && letter; i++)
            VEC_PUSH(&string, letter);
        VEC_PUSH(&string, '\0');
        text = string.items;
    }
    char spec[LONGEST_SPEC];
    write_spec(conversion, "", spec);
    APPEND_FORMATTED(cursor->print, spec, text);
    VEC_FREE(&string);
}

#pragma GCC diagnostic pop

static void print_conversion(Cursor *cursor)
{
    uint64_t begin = cursor->format;
    Conversion conversion = read_conversion(cursor);
    switch (conversion.letter) {
    case 'd':
    case 'i':
        print_integer(cursor, &conversion, true);
        return;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        print_integer(cursor, &conversion, false);
        return;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        print_double(cursor, &conversion);
        return;
    case 'c':
        print_character(cursor, &conversion);
        return;
    case 's':
        print_string(cursor, &conversion);
        return;
    case 'p':
        print_pointer(cursor, &conversion);
        return;
    case '%':
        append(cursor->print, "%", 1);
        return;
    }
    /* Not a conversion: the percent sign is text, and so is what follows it. */
    append(cursor->print, "%", 1);
    cursor->format = begin;
}

int print_format(Print *print, uint64_t format, uint64_t arguments)
{
    if (format == 0)
        return PRINT_NO_FORMAT;
    Cursor cursor = {.print = print, .format = format, .arguments = arguments};
    for (char letter; (letter = next_format(&cursor));) {
        if (letter == '%')
            print_conversion(&cursor);
        else
            append(print, &letter, 1);
    }
    return cursor.failed ? PRINT_UNREADABLE : cursor.used;
}

void print_free(Print *print) { VEC_FREE(&print->text); }

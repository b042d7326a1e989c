#include "graphs/scanner.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW_BYTES = 1 << 18 };

bool scanner_open(Scanner *scanner, const char *path, InputError *error)
{
    *scanner = (Scanner){.name = path, .line = 1, .error = error};
    scanner->file = fopen(path, "rb");
    if (!scanner->file)
        return input_fail(error, "The graph '%s' cannot be opened: %s.", path, strerror(errno));
    scanner->window = input_array(error, WINDOW_BYTES, 1);
    if (!scanner->window)
        return false;
    scanner->at = scanner->end = scanner->window;
    scanner_refill(scanner);
    return !input_failed(error);
}

void scanner_over(Scanner *scanner, const void *bytes, size_t size, const char *name, InputError *error)
{
    const unsigned char *begin = bytes;
    *scanner =
        (Scanner){.name = name, .at = begin, .end = begin + size, .line = 1, .bytes = size, .error = error};
}

void scanner_close(Scanner *scanner)
{
    if (scanner->file)
        fclose(scanner->file);
    free(scanner->window);
    *scanner = (Scanner){0};
}

bool scanner_refill(Scanner *scanner)
{
    if (!scanner->file)
        return false;
    const size_t got = fread(scanner->window, 1, WINDOW_BYTES, scanner->file);
    if (!got && ferror(scanner->file))
        input_fail(scanner->error, "The graph '%s' cannot be read after byte %llu: %s.", scanner->name,
                   (unsigned long long)scanner->bytes, strerror(errno));
    scanner->number = NULL;
    scanner->at = scanner->window;
    scanner->end = scanner->window + got;
    scanner->bytes += got;
    return got > 0;
}

static bool fail_at(Scanner *scanner, const char *format, va_list arguments, const char *found)
{
    char sentence[640];
    vsnprintf(sentence, sizeof sentence, format, arguments);
    return input_fail(scanner->error, "%s:%llu: %s%s", scanner->name, (unsigned long long)scanner->line,
                      sentence, found);
}

bool scanner_fail(Scanner *scanner, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_at(scanner, format, arguments, "");
    va_end(arguments);
    return false;
}

/* What stands next, so that it can be printed: all of a number, had its reading begun. */
static void describe_next(Scanner *scanner, char *text, size_t size)
{
    char word[SCANNER_WORD];
    if (scanner->number)
        scanner->at = scanner->number;
    const int byte = scanner_skip_blanks(scanner);
    if (byte < 0 || byte == '\n') {
        snprintf(text, size, ", found the end of the %s.", byte < 0 ? "file" : "line");
        return;
    }
    scanner_word(scanner, word);
    snprintf(text, size, ", found '%s'.", word);
}

bool scanner_expected(Scanner *scanner, const char *format, ...)
{
    char expected[512], found[2 * SCANNER_WORD];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    describe_next(scanner, found, sizeof found);
    return scanner_fail(scanner, "expected %s%s", expected, found);
}

void scanner_skip_line(Scanner *scanner)
{
    while (scanner_peek(scanner) >= 0) {
        const unsigned char *end = memchr(scanner->at, '\n', (size_t)(scanner->end - scanner->at));
        scanner->at = end ? end + 1 : scanner->end;
        if (end) {
            scanner->line++;
            return;
        }
    }
}

bool scanner_next_line(Scanner *scanner, const char *marks)
{
    int byte;
    while ((byte = scanner_skip_blanks(scanner)) >= 0) {
        if (byte != '\n' && (byte == '\0' || !strchr(marks, byte)))
            return !input_failed(scanner->error);
        scanner_skip_line(scanner);
    }
    return false;
}

bool scanner_end_line(Scanner *scanner, const char *what)
{
    if (!scanner_at_line_end(scanner))
        return scanner_expected(scanner, "the end of the line after %s", what);
    scanner_skip_line(scanner);
    return true;
}

static bool ends_word(const Scanner *scanner, int byte)
{
    return byte < 0 || byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' ||
           (byte == ',' && scanner->commas);
}

void scanner_word(Scanner *scanner, char word[SCANNER_WORD])
{
    int length = 0, byte;
    scanner_skip_blanks(scanner);
    while (!ends_word(scanner, byte = scanner_peek(scanner))) {
        if (length < SCANNER_WORD - 1)
            word[length++] = (char)(isprint(byte) ? byte : '?');
        scanner->at++;
    }
    word[length] = '\0';
}

/* Reads digits; false for none or for more than 64 bits hold. */
static bool digits(Scanner *scanner, uint64_t *value)
{
    int byte, count = 0;
    *value = 0;
    for (; (byte = scanner_peek(scanner)) >= '0' && byte <= '9'; scanner->at++, count++) {
        const uint64_t digit = (uint64_t)(byte - '0');
        if (*value > (UINT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return count > 0;
}

bool scanner_whole(Scanner *scanner, const char *what, uint64_t low, uint64_t high, uint64_t *value)
{
    scanner_skip_blanks(scanner);
    scanner->number = scanner->at;
    if (!digits(scanner, value) || !ends_word(scanner, scanner_peek(scanner)))
        return scanner_expected(scanner, "%s: a whole number from %llu to %llu", what,
                                (unsigned long long)low, (unsigned long long)high);
    if (*value < low || *value > high)
        return scanner_fail(scanner, "expected %s: a whole number from %llu to %llu, found %llu.", what,
                            (unsigned long long)low, (unsigned long long)high, (unsigned long long)*value);
    scanner->number = NULL;
    return true;
}

/* One of the two signs, if there is one. */
static bool takes_minus(Scanner *scanner)
{
    const int byte = scanner_peek(scanner);
    if (byte == '-' || byte == '+')
        scanner->at++;
    return byte == '-';
}

/* Digits, of which those beyond what a double holds count only by their place. Returns how many there were;
 * `place` moves by those that were left out, or by those taken behind the point. */
static int mantissa(Scanner *scanner, double *value, int *place, bool behind_point)
{
    int byte, count = 0;
    for (; (byte = scanner_peek(scanner)) >= '0' && byte <= '9'; scanner->at++, count++) {
        const bool fits = *value < 1e15;
        if (fits)
            *value = *value * 10 + (byte - '0');
        if (fits == behind_point && *place > -100000 && *place < 100000)
            *place += behind_point ? -1 : 1;
    }
    return count;
}

static double scaled(double value, int place)
{
    for (; place > 0 && value < 1e300 && value > 0; place--)
        value *= 10;
    for (; place < 0 && value > 0; place++)
        value /= 10;
    return value;
}

bool scanner_real(Scanner *scanner, const char *what, double *value)
{
    int place = 0, count;
    uint64_t exponent = 0;
    scanner_skip_blanks(scanner);
    scanner->number = scanner->at;
    const bool negative = takes_minus(scanner);
    *value = 0;
    count = mantissa(scanner, value, &place, false);
    if (scanner_peek(scanner) == '.') {
        scanner->at++;
        count += mantissa(scanner, value, &place, true);
    }
    bool good = count > 0;
    if (good && (scanner_peek(scanner) | 0x20) == 'e') {
        scanner->at++;
        const bool down = takes_minus(scanner);
        good = digits(scanner, &exponent) && exponent < 100000;
        place += good ? (down ? -(int)exponent : (int)exponent) : 0;
    }
    if (!good || !ends_word(scanner, scanner_peek(scanner)))
        return scanner_expected(scanner, "%s: a number", what);
    scanner->number = NULL;
    *value = scaled(*value, place);
    if (negative)
        *value = -*value;
    return true;
}

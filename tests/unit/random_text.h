/* Random PTX for tests: a text that grows, and the numbers that choose what comes next. */
#ifndef TESTS_RANDOM_TEXT_H
#define TESTS_RANDOM_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Text {
    char body[40960];
    size_t length;
    uint64_t random;
} Text;

static inline uint32_t pick(Text *text, uint32_t below)
{
    text->random = text->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(text->random >> 33) % below;
}

__attribute__((format(printf, 2, 3))) static inline void emit(Text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text->length +=
        (size_t)vsnprintf(text->body + text->length, sizeof text->body - text->length, format, arguments);
    va_end(arguments);
}

#endif

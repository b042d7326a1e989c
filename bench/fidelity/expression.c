/* A value is found while the text is read, from left to right. */
#include "expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    const char *at;
    ExpressionLookup *lookup;
    void *context;
} Reader;

static char peek(Reader *reader)
{
    reader->at += strspn(reader->at, " ");
    return *reader->at;
}

/* Whether the letter comes next; then it is passed. */
static int takes(Reader *reader, char letter)
{
    if (peek(reader) != letter)
        return 0;
    reader->at++;
    return 1;
}

static double read_sum(Reader *reader);

static double read_name(Reader *reader)
{
    char name[64];
    size_t length = 0;
    while (isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_' ||
           reader->at[length] == '.')
        length++;
    snprintf(name, sizeof name, "%.*s", (int)length, reader->at);
    reader->at += length;
    return length && length < sizeof name ? reader->lookup(reader->context, name) : NAN;
}

static double read_factor(Reader *reader)
{
    if (takes(reader, '(')) {
        const double value = read_sum(reader);
        return takes(reader, ')') ? value : NAN;
    }
    if (!isdigit((unsigned char)peek(reader)))
        return read_name(reader);
    char *end;
    const double value = strtod(reader->at, &end);
    reader->at = end;
    return value;
}

static double read_product(Reader *reader)
{
    double value = read_factor(reader);
    for (;;) {
        if (takes(reader, '*'))
            value *= read_factor(reader);
        else if (takes(reader, '/'))
            value /= read_factor(reader);
        else
            return value;
    }
}

static double read_sum(Reader *reader)
{
    double value = read_product(reader);
    for (;;) {
        if (takes(reader, '+'))
            value += read_product(reader);
        else if (takes(reader, '-'))
            value -= read_product(reader);
        else
            return value;
    }
}

double expression_value(const char *text, ExpressionLookup *lookup, void *context)
{
    Reader reader = {text, lookup, context};
    for (;;) {
        const double value = read_sum(&reader);
        if (!isnan(value) || !takes(&reader, '|'))
            return isfinite(value) && (!*reader.at || *reader.at == '|') ? value : NAN;
    }
}

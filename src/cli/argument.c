/* One argument is a type, a value or a size, and for buffers what they are filled with. */
#include "cli/argument.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/knob.h"
#include "base/nearest.h"

typedef enum TypeKind { TYPE_UNSIGNED, TYPE_SIGNED, TYPE_FLOAT, TYPE_BUFFER } TypeKind;

typedef struct Type {
    const char *name;
    TypeKind kind;
    size_t size;
} Type;

static const Type types[] = {
    {"u8", TYPE_UNSIGNED, 1},  {"u16", TYPE_UNSIGNED, 2},  {"u32", TYPE_UNSIGNED, 4},
    {"u64", TYPE_UNSIGNED, 8}, {"s8", TYPE_SIGNED, 1},     {"s16", TYPE_SIGNED, 2},
    {"s32", TYPE_SIGNED, 4},   {"s64", TYPE_SIGNED, 8},    {"f32", TYPE_FLOAT, 4},
    {"f64", TYPE_FLOAT, 8},    {"buffer", TYPE_BUFFER, 8},
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

/* What a buffer holds at first: 32-bit words. */
static const char *const fills[] = {"zero", "iota", "random", "uniform"};
typedef enum Fill { FILL_ZERO, FILL_IOTA, FILL_RANDOM, FILL_UNIFORM, FILL_COUNT } Fill;

/* The generator of Numerical Recipes, so that every run is the same. */
static uint32_t next_random(uint32_t *state) { return *state = *state * 1664525u + 1013904223u; }

static uint32_t fill_word(Fill fill, size_t index, uint32_t *state)
{
    uint32_t word = fill == FILL_IOTA ? (uint32_t)index : 0;
    if (fill == FILL_RANDOM)
        word = next_random(state);
    if (fill == FILL_UNIFORM) {
        const float number = (float)(next_random(state) >> 8) * (1.0f / 16777216.0f);
        memcpy(&word, &number, sizeof word);
    }
    return word;
}

static int fill_buffer(WbGpu *gpu, uint64_t address, size_t bytes, Fill fill)
{
    const size_t words = (bytes + 3) / 4;
    uint32_t *data = malloc(words * sizeof *data), state = 1;
    if (!data)
        return fail("the host has no memory for a buffer of %zu bytes.", bytes);
    for (size_t i = 0; i < words; i++)
        data[i] = fill_word(fill, i, &state);
    const WbStatus status = wb_copy_to_device(gpu, address, data, bytes);
    free(data);
    return status == WB_OK ? EXIT_DONE : fail("%s", wb_error(gpu));
}

/* `value` is BYTES or BYTES:FILL. */
static int make_buffer(WbGpu *gpu, const char *text, const char *value, KernelArgument *argument)
{
    char number[32], hint[NEAREST_HINT_SIZE];
    uint64_t bytes;
    const size_t length = strcspn(value, ":");
    snprintf(number, sizeof number, "%.*s", (int)length, value);
    if (!knob_parse_bytes(number, &bytes) || !bytes)
        return misuse(
            "'%s' has no size that can be read; a buffer is buffer:BYTES or buffer:BYTES:FILL, with "
            "4096, 64KiB, 1MiB or such as BYTES.",
            text);
    const char *word = value[length] ? value + length + 1 : fills[FILL_ZERO];
    Nearest nearest = nearest_to(word);
    for (unsigned fill = 0; fill < FILL_COUNT; fill++) {
        nearest_offer(&nearest, fills[fill]);
        if (strcmp(word, fills[fill]) != 0)
            continue;
        if (wb_malloc(gpu, bytes, &argument->bits))
            return fail("%s", wb_error(gpu));
        return fill_buffer(gpu, argument->bits, bytes, (Fill)fill);
    }
    return misuse("a buffer cannot be filled with '%s'%s", word, nearest_hint(&nearest, hint, sizeof hint));
}

static bool parse_signed(const Type *type, const char *value, KernelArgument *argument)
{
    char *end;
    errno = 0;
    const long long number = strtoll(value, &end, 0);
    const long long largest = (long long)(UINT64_MAX >> (65 - 8 * type->size));
    argument->bits = (uint64_t)number;
    return !errno && end != value && !*end && number <= largest && number >= -largest - 1;
}

static bool parse_unsigned(const Type *type, const char *value, KernelArgument *argument)
{
    return knob_parse_bytes(value, &argument->bits) &&
           (type->size == 8 || argument->bits >> (8 * type->size) == 0);
}

static bool parse_float(const Type *type, const char *value, KernelArgument *argument)
{
    char *end;
    const double number = strtod(value, &end);
    const float narrow = strtof(value, &end);
    if (type->size == 8)
        memcpy(&argument->bits, &number, sizeof number);
    else
        memcpy(&argument->bits, &narrow, sizeof narrow);
    return end != value && !*end;
}

static const Type *find_type(const char *text)
{
    char name[32], hint[NEAREST_HINT_SIZE];
    const size_t length = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    Nearest nearest = nearest_to(name);
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(types[i].name, name) == 0 && text[length])
            return &types[i];
        nearest_offer(&nearest, types[i].name);
    }
    if (!text[length])
        misuse("the argument '%s' needs its type before it, as in u32:5, f32:1.5 or buffer:4096.", text);
    else
        misuse("the argument '%s' has no known type%s", text, nearest_hint(&nearest, hint, sizeof hint));
    return NULL;
}

int argument_make(WbGpu *gpu, const char *text, KernelArgument *argument)
{
    const Type *type = find_type(text);
    if (!type)
        return EXIT_USAGE;
    const char *value = text + strlen(type->name) + 1;
    *argument = (KernelArgument){.size = type->size};
    if (type->kind == TYPE_BUFFER)
        return make_buffer(gpu, text, value, argument);
    const bool parsed = type->kind == TYPE_UNSIGNED ? parse_unsigned(type, value, argument)
                        : type->kind == TYPE_SIGNED ? parse_signed(type, value, argument)
                                                    : parse_float(type, value, argument);
    return parsed ? EXIT_DONE : misuse("'%s' is no number that fits into %s.", value, type->name);
}

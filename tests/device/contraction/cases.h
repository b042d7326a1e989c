/* What contraction.cu and tests/unit/test_contraction.c share: how a line of cases.txt becomes a kernel, the
 * values that it reads, and the number that stands for what it writes. */
#ifndef CONTRACTION_CASES_H
#define CONTRACTION_CASES_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CASE_INPUTS = 8, CASE_OUTPUTS = 8, CASE_THREADS = 32, CASE_SLOT = 8, CASE_SPARE = 1024 };
enum { CASE_WORDS = CASE_OUTPUTS * CASE_THREADS }; /* 8 bytes each, of inputs and of outputs */

static const char *const case_header = ".version 7.8\n.target sm_90\n.address_size 64\n";

/* The type that the last letters of the name say, and its bits. */
static inline const char *case_type(const char *name) { return strrchr(name, '_') + 1; }

static inline unsigned case_bits(const char *type)
{
    return !strcmp(type, "f64") ? 64 : !strcmp(type, "f16") || !strcmp(type, "bf16") ? 16 : 32;
}

/* Writes the kernel of a line "name registers body" to `text` and its name to `name`; returns its length. */
static inline int case_kernel(const char *line, char *text, size_t size, char name[32])
{
    int registers, body;
    if (sscanf(line, "%31s %d %n", name, &registers, &body) != 2)
        return 0;
    const char *const type = case_type(name);
    const unsigned bits = case_bits(type);
    char kind[16];
    const int is_plain = !strcmp(type, "f32") || !strcmp(type, "ftz");
    snprintf(kind, sizeof kind, is_plain ? "f32" : bits == 64 ? "f64" : "b%u", bits);
    int length = snprintf(
        text, size,
        ".visible .entry %s(.param .u64 in, .param .u64 out, .param .u64 spare)\n{\n"
        ".reg .u64 %%in, %%out, %%spare, %%l, %%m; .reg .u32 %%i, %%j; .reg .f32 %%q, %%s; .reg .f64 %%w;\n"
        ".reg .pred %%p; .reg .%s %%v<%d>;\n"
        "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; ld.param.u64 %%spare, [spare];\n"
        "mov.u32 %%i, %%tid.x; mul.wide.u32 %%l, %%i, %d; add.u64 %%in, %%in, %%l;\n"
        "add.u64 %%out, %%out, %%l; add.u64 %%spare, %%spare, %%l; and.b32 %%j, %%i, 3;\n"
        "setp.eq.u32 %%p, %%j, 1; add.u32 %%j, %%i, 3; mov.u64 %%m, 1000003;\n"
        "cvt.rn.f32.u32 %%q, %%j; mov.f32 %%s, 0f3FC00000; cvt.rn.f64.u32 %%w, %%j;\n",
        name, kind, registers, CASE_SLOT);
    for (int k = 0; k < CASE_INPUTS; k++)
        length += snprintf(text + length, size - (size_t)length, "ld.global.b%u %%v%d, [%%in+%d];\n", bits, k,
                           k * CASE_THREADS * CASE_SLOT);
    for (const char *from = line + body; *from && *from != '\n'; from++)
        text[length++] = *from;
    return length + snprintf(text + length, size - (size_t)length,
                             "\nst.global.u64 [%%spare], %%l; st.global.f32 [%%spare], %%q;\n"
                             "st.global.f64 [%%spare+256], %%w; st.global.u32 [%%spare+4], %%i;\nret;\n}\n");
}

static inline uint64_t case_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* A number near 1 of a format, or now and then a zero, very small or large number, infinity or NaN. Of two
 * NaNs of f64 an instruction hands on the one in a certain place, and the assembler exchanges operands as it
 * likes: f64 gets zeros and small numbers only. */
static inline uint64_t case_number(unsigned exponent_bits, unsigned mantissa_bits, uint64_t *state,
                                   int is_odd)
{
    const uint64_t bits = case_random(state), bias = ((uint64_t)1 << (exponent_bits - 1)) - 1;
    const uint64_t mantissa = bits & (((uint64_t)1 << mantissa_bits) - 1);
    const uint64_t sign = (bits >> 62 & 1) << (exponent_bits + mantissa_bits);
    const uint64_t top = ((uint64_t)1 << exponent_bits) - 1;
    const uint64_t odd[] = {0, mantissa, (uint64_t)2 << mantissa_bits | mantissa, top << mantissa_bits,
                            top << mantissa_bits | mantissa, (top - 1) << mantissa_bits | mantissa};
    if (is_odd && (bits >> 56 & 3) == 0)
        return sign | odd[(bits >> 58 & 7) % (mantissa_bits == 52 ? 3 : 6)];
    return sign | (bias - 2 + (bits >> 54 & 3)) << mantissa_bits | mantissa;
}

/* The inputs of a kernel; the last quarter of the threads gets odd numbers. */
static inline void case_inputs(const char *name, uint64_t words[CASE_WORDS])
{
    const char *const type = case_type(name);
    uint64_t state = 1;
    for (const char *c = name; *c; c++)
        state = state * 31 + (uint64_t)*c;
    for (int i = 0; i < CASE_WORDS; i++) {
        const int is_odd = i % CASE_THREADS >= CASE_THREADS * 3 / 4;
        if (!strcmp(type, "f64"))
            words[i] = case_number(11, 52, &state, is_odd);
        else if (type[0] == 'b')
            words[i] = case_number(8, 7, &state, is_odd) | case_number(8, 7, &state, is_odd) << 16;
        else if (!strncmp(type, "f16", 3))
            words[i] = case_number(5, 10, &state, is_odd) | case_number(5, 10, &state, is_odd) << 16;
        else
            words[i] = case_number(8, 23, &state, is_odd);
    }
}

/* Of one output of all threads. */
static inline uint32_t case_sum(const uint64_t words[CASE_THREADS])
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (int i = 0; i < CASE_THREADS; i++)
        for (int k = 0; k < 8; k++)
            hash = (hash ^ (words[i] >> 8 * k & 0xFF)) * 0x100000001B3u;
    return (uint32_t)(hash ^ hash >> 32);
}

#endif

/* A number that stands for an array: it differs when an element does, and is the same on every host. */
#ifndef WORKLOADS_FINGERPRINT_H
#define WORKLOADS_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#include "graphs/dice.h"

static inline uint64_t fingerprint_words(uint64_t print, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        print = dice_mix(print + 0x9E3779B97F4A7C15u + words[i]);
    return print;
}

static inline uint64_t fingerprint_bytes(uint64_t print, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        print = dice_mix(print + 0x9E3779B97F4A7C15u + bytes[i]);
    return print;
}

#endif

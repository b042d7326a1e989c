/* Which units take the issue slots of an instruction. One of PTX may become machine instructions for several
 * of them; how many for each is known when a program is linked. They are kept packed, so that whoever issues
 * the instruction counts all of them by a few additions. */
#ifndef NATIVE_MIX_H
#define NATIVE_MIX_H

#include <stdint.h>

/* The first ones are those of Pipe, in its order. */
typedef enum SlotKind {
    SLOT_INT,
    SLOT_FP32,
    SLOT_FP64,
    SLOT_SFU,
    SLOT_TENSOR,
    SLOT_LSU,
    SLOT_CONTROL,
    SLOT_CONSTANT, /* reads the constant bank */
    SLOT_SPECIAL,  /* reads a special register */
    SLOT_UNIFORM,  /* the uniform datapath */
    SLOT_KINDS
} SlotKind;

enum { MIX_FIELD_BITS = 16, MIX_FIELDS = 64 / MIX_FIELD_BITS, MIX_WORDS = 3 };
_Static_assert(SLOT_KINDS <= MIX_FIELDS * MIX_WORDS, "each kind has a field");

/* A field for each kind, from the low end of the first word on. Invariant: those of one instruction add up to
 * 255 at most, so that no field overflows before MIX_ROUNDS instructions have been added. */
typedef struct SlotMix {
    uint64_t words[MIX_WORDS];
} SlotMix;

enum { MIX_ROUNDS = 256 };

static inline void mix_put(SlotMix *mix, SlotKind kind, unsigned slots)
{
    mix->words[kind / MIX_FIELDS] += (uint64_t)slots << kind % MIX_FIELDS * MIX_FIELD_BITS;
}

static inline unsigned mix_of(const SlotMix *mix, SlotKind kind)
{
    return mix->words[kind / MIX_FIELDS] >> kind % MIX_FIELDS * MIX_FIELD_BITS & ((1u << MIX_FIELD_BITS) - 1);
}

static inline void mix_add(SlotMix *sum, const SlotMix *mix)
{
    for (unsigned i = 0; i < MIX_WORDS; i++)
        sum->words[i] += mix->words[i];
}

#endif

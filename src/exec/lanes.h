/* Running lane instructions: operands to pointers, results into the lanes that execute.
 *
 * Almost all of them have one register result and sources that are registers or immediates of exactly
 * the sizes the row works on; the linker marks those SHAPE_PLAIN and they run inline here. Everything
 * else (predicates, special registers, registers wider than the type, carries) goes through
 * lanes_run_general(). */
#ifndef EXEC_LANES_H
#define EXEC_LANES_H

#include "exec/step.h"

typedef enum Shape {
    SHAPE_GENERAL,
    SHAPE_PLAIN4,   /* 4-byte register result; sources registers or immediates */
    SHAPE_PLAIN8,   /* the same with an 8-byte result */
    SHAPE_COMPARE,  /* one predicate result, two plain sources */
    SHAPE_SELECT4,  /* 4-byte register result, two plain sources and a predicate */
    SHAPE_SELECT8
} Shape;

/* Finds the shape of a lane instruction; called by the linker when the operands are in place. */
Shape lanes_shape(const Insn *insn);

/* Whether instructions of the row read or write CC.CF. */
bool lanes_use_carry(uint32_t row);

void lanes_run_general(Warp *warp, Frame *frame, const Insn *insn, Mask mask);

static inline void lanes_blend4(void *to, const void *from, uint32_t mask)
{
    static const uint32_t bit[LANES] = {
        1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10,
        1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20,
        1u << 21, 1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30,
        1u << 31};
    uint32_t *d = to;
    const uint32_t *s = from;
    for (int i = 0; i < LANES; i++)
        d[i] = mask & bit[i] ? s[i] : d[i];
}

static inline void lanes_blend8(void *to, const void *from, uint32_t mask)
{
    uint64_t *d = to;
    const uint64_t *s = from;
    for (int i = 0; i < LANES; i++)
        d[i] = mask >> i & 1 ? s[i] : d[i];
}

static inline const void *lanes_source(const char *const base[2], const Operand *operand, uint32_t chunk)
{
    bool immediate = operand->kind == OPERAND_IMMEDIATE;
    return base[immediate] + operand->offset + (immediate ? 0 : chunk * LANES * operand->bytes);
}

static inline void lanes_run_chunk(Frame *frame, const uint64_t *constants, const Insn *insn, uint32_t chunk,
                                   uint32_t mask)
{
    const char *const base[2] = {(const char *)frame->words, (const char *)constants};
    const Operand *op = insn->op;
    LaneFrame lanes;
    _Alignas(64) uint64_t result[LANES];
    uint32_t predicate;
    lanes.mods = insn->mods;
    lanes.src[0] = lanes_source(base, &op[1], chunk);
    lanes.src[1] = lanes_source(base, &op[2], chunk);
    if (insn->shape == SHAPE_COMPARE) {
        insn->lane(&lanes);
        Mask *p = &frame->predicates[op[0].slot];
        Mask bits = (Mask)mask << (chunk * LANES);
        *p = (*p & ~bits) | ((Mask)lanes.p << (chunk * LANES) & bits);
        return;
    }
    if (insn->shape >= SHAPE_SELECT4) {
        Mask p = frame->predicates[op[3].slot];
        predicate = (uint32_t)((op[3].negated ? ~p : p) >> (chunk * LANES));
        lanes.src[2] = &predicate;
    } else {
        lanes.src[2] = lanes_source(base, &op[3], chunk);
        lanes.src[3] = lanes_source(base, &op[4], chunk);
    }
    void *d = (char *)frame->words + op[0].offset + chunk * LANES * op[0].bytes;
    lanes.d = mask == UINT32_MAX ? d : (void *)result;
    insn->lane(&lanes);
    if (mask != UINT32_MAX) {
        if (insn->shape == SHAPE_PLAIN4 || insn->shape == SHAPE_SELECT4)
            lanes_blend4(d, result, mask);
        else
            lanes_blend8(d, result, mask);
    }
}

/* Runs a lane instruction for the lanes of the mask. */
static inline void lanes_run(Warp *warp, Frame *frame, const uint64_t *constants, const Insn *insn, Mask mask)
{
    if (insn->shape == SHAPE_GENERAL) {
        lanes_run_general(warp, frame, insn, mask);
        return;
    }
    lanes_run_chunk(frame, constants, insn, 0, (uint32_t)mask);
    if (warp->width > LANES)
        lanes_run_chunk(frame, constants, insn, 1, (uint32_t)(mask >> LANES));
}

#endif

/* Lane functions: what an arithmetic instruction computes, for 32 lanes at a time.
 *
 * A register is 32 lanes side by side: 4 bytes a lane for types of up to 32 bits, 8 bytes for 64-bit
 * types. A lane function reads up to four such arrays, writes one, and computes all 32 lanes whether
 * active or not: a lane function has no side effect, and its caller keeps the lanes it wants. The loop
 * has a fixed count and no branch, so that the compiler makes vector code of it. */
#ifndef ISA_LANE_H
#define ISA_LANE_H

#include <stdbool.h>
#include <stdint.h>

enum { LANES = 32 };

typedef enum Rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_NEAREST_AWAY } Rounding;

/* Comparisons of setp and set. The integer ones lo, ls, hi, hs are stored as lt, le, gt, ge. */
typedef enum Compare {
    COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE,
    COMPARE_EQU, COMPARE_NEU, COMPARE_LTU, COMPARE_LEU, COMPARE_GTU, COMPARE_GEU, COMPARE_NUM, COMPARE_NAN
} Compare;

typedef enum BoolOp { BOOL_NONE, BOOL_AND, BOOL_OR, BOOL_XOR } BoolOp;

/* The suffixes of an instruction that lane functions look at. A row that does not allow a suffix never
 * sees it set. */
typedef struct LaneMods {
    uint8_t rounding;     /* Rounding; rni, rzi, rmi, rpi give the same values with `to_integer` */
    bool to_integer;
    bool ftz, sat, satfinite, relu, nan, xorsign;
    bool wrap;            /* shf.wrap, bmsk.wrap; not set: clamp */
    bool shiftamt;
    uint8_t compare;      /* Compare */
    uint8_t bool_op;      /* BoolOp */
    uint8_t mode;         /* prmt mode: 0 none, 1 f4e .. 6 rc16; testp class: 0 finite .. 5 subnormal;
                             third operation of a video instruction: 0 none, 1 add, 2 min, 3 max */
    uint8_t signs;        /* bit k: the k-th type suffix is a signed one; for video instructions */
    /* what the operands of a video instruction say, put in by isa_select(); all 0: whole words */
    uint8_t keep;         /* bit k: byte k of the result is that of c */
    uint8_t minus;        /* bit 0: the product is negated, bit 1: c is; also for isa_signed_lane() */
    uint16_t select[2];   /* which part of a and b is taken */
} LaneMods;

/* Invariant: d and src point to LANES elements of the row's element types and never overlap partly
 * (d may equal a source). */
typedef struct LaneFrame {
    void *d;
    const void *src[4];
    uint32_t p_in;        /* one bit a lane: a predicate that follows four sources (lop3 with a bool op); the
                             predicates of other rows are sources that point to one word */
    uint32_t carry;       /* CC.CF, one bit a lane: read and written by the rows that name it */
    uint32_t p, q;        /* predicate results, one bit a lane */
    LaneMods mods;
} LaneFrame;

typedef void LaneFn(LaneFrame *frame);

#endif

/* Turns the LANE rows of a .def file into their functions. A lane_*.c includes this, then its helpers,
 * then its .def; OTHER rows and hand-written ones produce nothing here.
 *
 * The functions keep the frame's pointers in variables of their own and promise the compiler that lanes
 * do not depend on each other (a destination equals a source or does not overlap it), so that one vector
 * loop without a run-time check comes out. */
#include "isa/element.h"
#include "isa/isa.h"

#define ISA_DECLARE
#include "isa/rows.h"
#undef ISA_DECLARE

#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* rows such as integer division stay scalar */
#define LANE_LOOP _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < LANES; i++)
#else
#define LANE_LOOP _Pragma("GCC ivdep") for (int i = 0; i < LANES; i++)
#endif

/* What every row's function begins with, and how it reads one lane. */
#define LANE_PROLOGUE                                                                                  \
    const LaneMods m = frame->mods;                                                                    \
    void *const destination = frame->d;                                                                \
    (void)m;
#define LANE_POINTER(k) const void *const source##k = frame->src[k];
#define LANE_VALUE(T, name, k) const T name = ELEMENT_LOAD(T, source##k, i);

#define LANE1(id, pattern, unit, D, A, expression)                                                     \
    void lane_##id(LaneFrame *frame)                                                                   \
    {                                                                                                  \
        LANE_PROLOGUE                                                                                  \
        LANE_POINTER(0)                                                                                \
        LANE_LOOP {                                                                                    \
            LANE_VALUE(A, a, 0)                                                                        \
            ELEMENT_STORE(D, destination, i, expression);                                              \
        }                                                                                              \
    }
#define LANE2(id, pattern, unit, D, A, B, expression)                                                  \
    void lane_##id(LaneFrame *frame)                                                                   \
    {                                                                                                  \
        LANE_PROLOGUE                                                                                  \
        LANE_POINTER(0) LANE_POINTER(1)                                                                \
        LANE_LOOP {                                                                                    \
            LANE_VALUE(A, a, 0) LANE_VALUE(B, b, 1)                                                    \
            ELEMENT_STORE(D, destination, i, expression);                                              \
        }                                                                                              \
    }
#define LANE3(id, pattern, unit, D, A, B, C, expression)                                               \
    void lane_##id(LaneFrame *frame)                                                                   \
    {                                                                                                  \
        LANE_PROLOGUE                                                                                  \
        LANE_POINTER(0) LANE_POINTER(1) LANE_POINTER(2)                                                \
        LANE_LOOP {                                                                                    \
            LANE_VALUE(A, a, 0) LANE_VALUE(B, b, 1) LANE_VALUE(C, c, 2)                                \
            ELEMENT_STORE(D, destination, i, expression);                                              \
        }                                                                                              \
    }
#define LANE4(id, pattern, unit, D, A, B, C, E, expression)                                            \
    void lane_##id(LaneFrame *frame)                                                                   \
    {                                                                                                  \
        LANE_PROLOGUE                                                                                  \
        LANE_POINTER(0) LANE_POINTER(1) LANE_POINTER(2) LANE_POINTER(3)                                \
        LANE_LOOP {                                                                                    \
            LANE_VALUE(A, a, 0) LANE_VALUE(B, b, 1) LANE_VALUE(C, c, 2) LANE_VALUE(E, e, 3)            \
            ELEMENT_STORE(D, destination, i, expression);                                              \
        }                                                                                              \
    }
#define LANE_HAND(id, pattern, unit, T, operands, sources)
#define LANE_CUSTOM(id, pattern, unit, operands, sources)
#define OTHER(id, pattern, unit, action, operands)

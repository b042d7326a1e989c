/* All rows, in the order of the table. Included several times with different meanings of the row
 * macros; each includer defines exactly one of
 *   ISA_ENUM        row numbers
 *   ISA_DECLARE     prototypes of the lane functions
 *   ISA_TABLE       entries of isa_rows
 * and the lane_*.c files, which define the functions themselves, include their .def with ISA_DEFINE.
 *
 * The row macros, with UNIT one of INT FP32 FP64 HALF SFU TENSOR LDST CONTROL, and D, A, B, C, E element
 * types of element.h (u8 u16 u32 u64 s8 s16 s32 s64 f32 f64, h16 for the bits of an f16 or bf16):
 *
 *   LANE1(id, pattern, UNIT, D, A, expression)            the expression sees a, b, c, e and m (LaneMods)
 *   LANE2(id, pattern, UNIT, D, A, B, expression)
 *   LANE3(id, pattern, UNIT, D, A, B, C, expression)
 *   LANE4(id, pattern, UNIT, D, A, B, C, E, expression)
 *   LANE_COMPARE(id, pattern, UNIT, A)                    setp: predicates p|q from a, b, maybe a predicate
 *   LANE_SET(id, pattern, UNIT, A, one)                   set: writes `one`, at most 4 bytes, where it holds
 *   LANE_HAND(id, pattern, UNIT, T, operands, sources)    lane_<id>() stands by hand in the same lane_*.c;
 *                                                         all operands but predicates are of type T
 *   LANE_CUSTOM(id, pattern, UNIT, operands, sources)     the same where all operands are predicates
 *   OTHER(id, pattern, UNIT, ACTION, operands)            handled in exec/
 */
#ifdef ISA_ENUM
#define LANE1(id, pattern, unit, D, A, expression) ROW_##id,
#define LANE2(id, pattern, unit, D, A, B, expression) ROW_##id,
#define LANE3(id, pattern, unit, D, A, B, C, expression) ROW_##id,
#define LANE4(id, pattern, unit, D, A, B, C, E, expression) ROW_##id,
#define LANE_COMPARE(id, pattern, unit, A) ROW_##id,
#define LANE_SET(id, pattern, unit, A, one) ROW_##id,
#define LANE_HAND(id, pattern, unit, T, operands, sources) ROW_##id,
#define LANE_CUSTOM(id, pattern, unit, operands, sources) ROW_##id,
#define OTHER(id, pattern, unit, action, operands) ROW_##id,
#endif
#ifdef ISA_DECLARE
#define LANE1(id, pattern, unit, D, A, expression) LaneFn lane_##id;
#define LANE2(id, pattern, unit, D, A, B, expression) LaneFn lane_##id;
#define LANE3(id, pattern, unit, D, A, B, C, expression) LaneFn lane_##id;
#define LANE4(id, pattern, unit, D, A, B, C, E, expression) LaneFn lane_##id;
#define LANE_COMPARE(id, pattern, unit, A) LaneFn lane_##id;
#define LANE_SET(id, pattern, unit, A, one) LaneFn lane_##id;
#define LANE_HAND(id, pattern, unit, T, operands, sources) LaneFn lane_##id;
#define LANE_CUSTOM(id, pattern, unit, operands, sources) LaneFn lane_##id;
#define OTHER(id, pattern, unit, action, operands)
#endif
#ifdef ISA_TABLE
#define LANE_ROW(id, pattern, unit, operands, sources, ...) \
    [ROW_##id] = {pattern, operands, UNIT_##unit, ACTION_LANE, lane_##id, sources, {__VA_ARGS__}},
#define SIZE(T) sizeof(STORAGE_##T)
#define LANE1(id, pattern, unit, D, A, expression) LANE_ROW(id, pattern, unit, "Ds", 1, SIZE(D), SIZE(A))
#define LANE2(id, pattern, unit, D, A, B, expression)                                                        \
    LANE_ROW(id, pattern, unit, "Dss", 2, SIZE(D), SIZE(A), SIZE(B))
#define LANE3(id, pattern, unit, D, A, B, C, expression)                                                     \
    LANE_ROW(id, pattern, unit, "Dsss", 3, SIZE(D), SIZE(A), SIZE(B), SIZE(C))
#define LANE4(id, pattern, unit, D, A, B, C, E, expression) \
    LANE_ROW(id, pattern, unit, "Dssss", 4, SIZE(D), SIZE(A), SIZE(B), SIZE(C), SIZE(E))
#define LANE_COMPARE(id, pattern, unit, A) LANE_ROW(id, pattern, unit, "Pssp?", 2, 0, SIZE(A), SIZE(A))
#define LANE_SET(id, pattern, unit, A, one) \
    LANE_ROW(id, pattern, unit, "Dssp?", 2, SIZE(u32), SIZE(A), SIZE(A))
#define LANE_HAND(id, pattern, unit, T, operands, sources) \
    LANE_ROW(id, pattern, unit, operands, sources, SIZE(T), SIZE(T), SIZE(T), SIZE(T), SIZE(T))
#define LANE_CUSTOM(id, pattern, unit, operands, sources) LANE_ROW(id, pattern, unit, operands, sources, 0)
#define OTHER(id, pattern, unit, action, operands) \
    [ROW_##id] = {pattern, operands, UNIT_##unit, ACTION_##action, 0, 0, {0}},
#endif

#include "isa/move.def"
#include "isa/integer.def"
#include "isa/bits.def"
#include "isa/logic.def"
#include "isa/float.def"
#include "isa/half.def"
#include "isa/special.def"
#include "isa/compare.def"
#include "isa/convert.def"
#include "isa/video.def"
#include "isa/memory.def"
#include "isa/texture.def"
#include "isa/control.def"
#include "isa/warp.def"
#include "isa/matrix.def"

#undef LANE1
#undef LANE2
#undef LANE3
#undef LANE4
#undef LANE_COMPARE
#undef LANE_SET
#undef LANE_HAND
#undef LANE_CUSTOM
#undef OTHER
#undef LANE_ROW
#undef SIZE

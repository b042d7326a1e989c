/* Element types of lane functions, and the loops that the row macros become.
 *
 * Types narrower than 32 bits live in 32-bit lanes: the load takes the low bits, the store extends the
 * value to the full lane by its sign. So a register that is wider than the instruction's type holds
 * what PTX says it holds. */
#ifndef ISA_ELEMENT_H
#define ISA_ELEMENT_H

#include <stdint.h>

#include "isa/lane.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef float f32;
typedef double f64;
typedef uint16_t h16; /* the bits of an f16 or a bf16 */

/* The C type of one lane of storage. */
#define STORAGE_u8 uint32_t
#define STORAGE_u16 uint32_t
#define STORAGE_u32 uint32_t
#define STORAGE_u64 uint64_t
#define STORAGE_s8 int32_t
#define STORAGE_s16 int32_t
#define STORAGE_s32 int32_t
#define STORAGE_s64 int64_t
#define STORAGE_f32 float
#define STORAGE_f64 double
#define STORAGE_h16 uint32_t
#define STORAGE_f16 uint32_t /* f16 and bf16 name what a comparison is of; their lanes are those of h16 */
#define STORAGE_bf16 uint32_t

#define ELEMENT_LOAD(T, pointer, i) ((T)((const STORAGE_##T *)(pointer))[i])
#define ELEMENT_STORE(T, pointer, i, value) (((STORAGE_##T *)(pointer))[i] = (STORAGE_##T)(T)(value))

#endif

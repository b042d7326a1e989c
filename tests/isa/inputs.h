/* The operands that forms are run on: a fixed function of input class, vector number and operand.
 *
 * A class is a type name, maybe with a letter that narrows or widens what is drawn:
 *   u8 s8 b8 .. u64 s64 b64, f16 bf16 f32 f64 f16x2 bf16x2 tf32 e4m3x2 e5m2x2 pred
 *   z  integers other than zero (divisors)                     u32z
 *   i  floats near integers, integer limits and halves          f32i f64i f16i bf16i
 *   n  floats near the rounding ties of narrower formats        f32n f64n
 *   r  floats below 256 (angles, exponents)                      f32r
 *   m  moderate floats, for sums of products                    f16x2m bf16x2m f32m f64m
 *   k  small integers as floats, whose sums are exact           f16x2k bf16x2k f32k f64k f16k
 *   t  floats around the smallest normal number and one, whose products are on the edge of tiny   f32t f16t
 *   o  16-bit NaNs of all kinds among ordinary floats            f16o bf16x2o
 *   q  four small eight-bit floats                             b32q
 *   s  shift and field amounts, also beyond the width           u32s
 *   l  lane numbers and small numbers                           u32l
 *   g  few different values, so that lanes meet                 u32g u64g
 *
 * Vector i does not depend on how many vectors there are: a recording can be cut short. */
#ifndef TESTS_ISA_INPUTS_H
#define TESTS_ISA_INPUTS_H

#include <stdint.h>

/* The width of a type or class in bits; 0 for an unknown one. pred has 32, as it lies in the inputs. */
unsigned inputs_bits(const char *name);

/* Fills the `count` operands of one vector; `names` are their classes. */
void inputs_vector(const char *const *names, unsigned count, unsigned vector, uint64_t *values);

#endif

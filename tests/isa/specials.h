/* Values that are likely to show a mistake, the most telling ones first. */
#ifndef TESTS_ISA_SPECIALS_H
#define TESTS_ISA_SPECIALS_H

#include <stdint.h>

unsigned specials_integer_count(void);
uint64_t specials_integer(unsigned number, unsigned bits);

/* Floats of 16 (bias 15: f16, bias 127: bf16), 32 and 64 bits. With the letter 'i' the limits of integer
 * types and halves come too; with 'm' and the like the caller does not ask. */
unsigned specials_float_count(unsigned bits, unsigned bias, char letter);
uint64_t specials_float(unsigned bits, unsigned bias, unsigned number);

#endif

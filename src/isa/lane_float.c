/* f32 and f64 arithmetic rounded to nearest. Everything is in the rows of float.def and the rules of
 * float_bits.h; the other roundings are in lane_rounded.c. */
#include "isa/define.h"
#include "isa/float_bits.h"

#include "isa/float.def"

/* Cubins: machine code for one architecture, as ELF. Its instructions are not run here, but it says what the
 * assembler has given each kernel: registers and local memory of a thread. */
#ifndef RT_CUBIN_H
#define RT_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "warpbeam.h"

/* Names are in the image; 0 registers: it does not say. */
typedef VEC(WbCompiledKernel) CubinKernels;

/* Kernels and other functions of the cubin, in its order. False, with none, if it is not one of 64 bits or is
 * damaged: nothing beyond its size is read, whatever it says. The list is freed with VEC_FREE; `is_older` is
 * put into it. */
bool cubin_read(const void *image, size_t size, bool is_older, CubinKernels *kernels);

#endif

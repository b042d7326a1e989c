/* Arguments of a kernel as they are given on the command line: u32:5, f32:1.5, buffer:4096:random. */
#ifndef CLI_ARGUMENT_H
#define CLI_ARGUMENT_H

#include "cli/command.h"

typedef struct KernelArgument {
    uint64_t bits; /* the value, or the buffer's address */
    size_t size;   /* bytes of the kernel's parameter */
} KernelArgument;

/* Reads one, and makes its buffer in the GPU's memory. Returns EXIT_DONE, or once the failure has been told
 * EXIT_FAILED or EXIT_USAGE. */
int argument_make(WbGpu *gpu, const char *text, KernelArgument *argument);

#endif

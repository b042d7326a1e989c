/* From forms to the PTX text that both the GPU and Warpbeam run. */
#ifndef TESTS_ISA_KERNEL_H
#define TESTS_ISA_KERNEL_H

#include "forms.h"
#include <stdbool.h>

enum { KERNEL_VALUES = 24, KERNEL_NAME = 24, KERNEL_PARAMETER = 32 };

/* The inputs or outputs of a form. An output's column begins at before * vectors in the output array. */
typedef struct KernelValue {
    char name[16];   /* type or input class */
    unsigned bytes;  /* 1, 2, 4, 8, 16 in memory; predicates take 1 */
    unsigned before; /* bytes of all values before this one */
    bool is_predicate;
} KernelValue;

/* Parses a list of types; returns how many. */
unsigned kernel_values(const char *list, KernelValue *values);
/* Bytes of one vector's outputs. */
unsigned kernel_output_bytes(const Form *form);
/* Bytes of one vector's inputs: 8 for each. */
unsigned kernel_input_bytes(const Form *form);
bool kernel_uses_memory(const Form *form);

/* A module of `count` forms that share a target; kernel k is called form_k. Free the text with free(). */
char *kernel_module(const Form *const *forms, unsigned count);

/* The contents of the `value` parameter and of the memory that %mem points to. */
void kernel_fill(uint8_t *bytes, size_t size);

#endif

/* The forms: every PTX instruction in every spelling that is compared with a real GPU.
 *
 * A form is one instruction (or a few that only make sense together, such as add.cc and addc) in one
 * spelling. kernel.h makes the PTX kernel of a form, inputs.h its operands; the recorder runs that
 * kernel on a GPU and the test runs the very same text in Warpbeam.
 *
 * The forms_*.c files are tables of FormSpec. A spec stands for many forms: "<a|b|c>" in its body is a
 * choice, every combination of choices is a form, and "@1" anywhere in the spec repeats what the first
 * choice took. "<|.ftz>" is an optional suffix. */
#ifndef TESTS_ISA_FORMS_H
#define TESTS_ISA_FORMS_H

#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a result is compared with the recorded one. All but RULE_EXACT hold for finite results that are not
 * zero; whatever else the GPU gave (NaN, infinity, zero) must come out in the same bits. */
typedef enum Rule {
    RULE_EXACT,
    RULE_ULP,       /* at most `bound` units in the last place of the output's type */
    RULE_ABSOLUTE,  /* at most 2^bound */
    RULE_RELATIVE,  /* at most 2^bound of the recorded value */
    RULE_LOGARITHM, /* relative above 1, absolute below */
    RULE_SUM        /* matrix products: at most 2^bound of a bound of the sum of all absolute products */
} Rule;

/* To be raised when inputs.c or kernel.c change what a form computes: older recordings no longer fit. */
enum { FORM_VERSION = 1 };
enum { FORM_THREADS = 128, FORM_VECTORS = 1024, FORM_MEMORY = 128 };

/* Inside a body, a setup and an after part, these names exist:
 *   %a0..      inputs, %d0.. outputs, in the order of `inputs` and `outputs`
 *   %r0..39 %rd0..9 %h0..9 %q0..9 %x0..3  scratch of 32, 64 and 16 bits, predicates, and 128 bits
 *   %i %t %n   global thread number, thread in block, number of threads; %lane the lane
 *   %mem       64-bit address of this thread's own FORM_MEMORY bytes of global memory (patterned)
 *   %wmem      the same of the warp's first thread
 *   %shm %wshm address of this thread's, this warp's part of shared memory (uninitialized)
 *   %loc       address of 64 bytes of local memory (uninitialized)
 *   value      a parameter of 32 patterned bytes
 *   $          a number that is unique in the module, for names in `declare`
 * Inputs and outputs are types, or input classes of inputs.h, separated by one space. */
typedef struct FormSpec {
    const char *body, *inputs, *outputs;
    const char *setup, *after;
    const char *declare; /* at module scope */
    Rule rule;
    double bound;
    unsigned terms;   /* RULE_SUM: products in a sum */
    unsigned target;  /* 0: sm_75 */
    unsigned threads; /* a block; 0: FORM_THREADS */
    unsigned vectors; /* 0: FORM_VECTORS */
} FormSpec;

/* One form: a spec with all choices taken, all defaults filled in, no field null, and its key. */
typedef struct Form {
    FormSpec spec;
    uint64_t key; /* hash of all that determines its results */
} Form;

typedef struct FormList {
    Arena arena;
    Form *items;
    uint32_t count, capacity;
} FormList;

/* The tables; each ends with a null body. */
extern const FormSpec forms_integer[], forms_bits[], forms_video[], forms_float[], forms_half[],
    forms_special[], forms_compare[], forms_convert[], forms_load[], forms_store[], forms_atomic[],
    forms_async[], forms_warp[], forms_control[], forms_matrix[], forms_wmma[], forms_immediate[];

#define FORM(body_text, input_types, ...)                                                                    \
    {                                                                                                        \
        .body = (body_text), .inputs = (input_types), .outputs = __VA_ARGS__                                 \
    }
#define FORM_END                                                                                             \
    {                                                                                                        \
        .body = NULL                                                                                         \
    }

/* All forms, without repetitions, in the order of the tables. */
void forms_build(FormList *list);
void forms_free(FormList *list);

#endif

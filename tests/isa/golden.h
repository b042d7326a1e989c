/* Recorded results: the file format that recorder, packer and test share.
 *
 * A recording is a sequence of records: a RecordHeader, then `bytes` bytes of outputs, column by column.
 * In the tree it lies compressed by zstd. */
#ifndef TESTS_ISA_GOLDEN_H
#define TESTS_ISA_GOLDEN_H

#include "forms.h"

/* Little-endian, like the outputs. */
typedef struct RecordHeader {
    uint64_t key;
    uint32_t vectors, bytes;
} RecordHeader;

/* The inputs of the first `vectors` vectors, as the kernel expects them, and one word more so that a form
 * without inputs has an array too. Free with xfree(). */
uint64_t *golden_inputs(const Form *form, unsigned vectors);

#endif

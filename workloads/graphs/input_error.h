/* How the makers and readers of inputs fail: the first failure is kept as one full sentence, and whatever
 * comes after it does nothing. */
#ifndef WORKLOADS_INPUT_ERROR_H
#define WORKLOADS_INPUT_ERROR_H

#include <stdbool.h>
#include <stddef.h>

/* Invariant: text is empty exactly while nothing has failed. Begin with {0}. */
typedef struct InputError {
    char text[1024];
} InputError;

/* Keeps the sentence unless one stands already. Always false, so that a caller can return it. */
bool input_fail(InputError *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline bool input_failed(const InputError *error) { return error->text[0] != '\0'; }

/* Zeroed memory for `count` items of `size` bytes, to be given to free(), never null for want of items.
 * Null: an error stands, because memory ran out or because it stood before. */
void *input_array(InputError *error, size_t count, size_t size);

#endif

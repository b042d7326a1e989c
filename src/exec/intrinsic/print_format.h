/* The device's printf: a format string and an argument buffer in device memory become text.
 *
 * The buffer holds the arguments one after the other, each aligned to its size: 4 bytes for int and what
 * C promotes to it, 8 bytes for long, long long, pointers and double. */
#ifndef EXEC_INTRINSIC_PRINT_FORMAT_H
#define EXEC_INTRINSIC_PRINT_FORMAT_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* Device memory: copies `size` bytes, or is false where they are not readable. */
typedef bool PrintRead(void *context, uint64_t address, void *to, size_t size);

/* One call. Invariant: `bad_address` is set exactly when print_format returned PRINT_UNREADABLE. */
typedef struct Print {
    PrintRead *read;
    void *context;
    VEC(char) text;
    uint64_t bad_address;
} Print;

enum { PRINT_NO_FORMAT = -1, PRINT_UNREADABLE = -2 };

/* Appends to print->text; returns how many arguments were used, PRINT_NO_FORMAT for a null format as
 * CUDA does, or PRINT_UNREADABLE. Conversions that C does not know are printed as they stand. */
int print_format(Print *print, uint64_t format, uint64_t arguments);
void print_free(Print *print);

#endif

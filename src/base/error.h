/* An error is a status and one full sentence: what, where, and what to do. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "warpbeam.h"
#include <stdarg.h>

/* Invariant: status is WB_OK exactly when text is empty; text has no control characters but line ends and
 * tabs. The first error wins: a later one on top of it is usually its consequence, and must not hide the
 * cause. */
typedef struct Error {
    WbStatus status;
    char text[2048];
} Error;

/* Records the sentence unless one stands already; returns the status that stands. */
WbStatus error_set(Error *error, WbStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
WbStatus error_set_v(Error *error, WbStatus status, const char *format, va_list arguments);
void error_clear(Error *error);

#endif

#include "graphs/input_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool input_fail(InputError *error, const char *format, ...)
{
    if (input_failed(error))
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

void *input_array(InputError *error, size_t count, size_t size)
{
    if (input_failed(error))
        return NULL;
    void *array = calloc(count ? count : 1, size);
    if (!array)
        input_fail(error,
                   "There is no memory for %zu items of %zu bytes of an input: take a smaller size or a "
                   "machine with more memory.",
                   count, size);
    return array;
}

/* The first error stays; its text is made printable here, once for all who show it. */
#include "base/error.h"

#include <stdio.h>

#include "base/printable.h"

WbStatus error_set_v(Error *error, WbStatus status, const char *format, va_list arguments)
{
    /* A later error is most often the consequence of the first, so it must not take its place. */
    if (error->status != WB_OK)
        return error->status;
    error->status = status;
    char text[sizeof error->text];
    vsnprintf(text, sizeof text, format, arguments);
    printable_text(text, true, error->text, sizeof error->text);
    return status;
}

WbStatus error_set(Error *error, WbStatus status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    WbStatus result = error_set_v(error, status, format, arguments);
    va_end(arguments);
    return result;
}

void error_clear(Error *error)
{
    error->status = WB_OK;
    error->text[0] = '\0';
}

#include "base/error.h"

#include <stdio.h>

WbStatus error_set_v(Error *error, WbStatus status, const char *format, va_list arguments)
{
    if (error->status != WB_OK)
        return error->status;
    error->status = status;
    vsnprintf(error->text, sizeof error->text, format, arguments);
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

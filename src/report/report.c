/* The report through the C API. */
#include "report/report.h"

#include <errno.h>
#include <string.h>

#include "api/gpu.h"

static WbStatus write_report(WbGpu *gpu, const char *path, unsigned parts, Error *error)
{
    if (!path)
        return error_set(error, WB_ERROR_ARGUMENT, "wb_report needs the path of a file; it was null.");
    FILE *to = fopen(path, "w");
    if (!to)
        return error_set(error, WB_ERROR_NOT_FOUND, "The report cannot be written to %s: %s.", path,
                         strerror(errno));
    const ReportOptions options = {.details = parts & WB_REPORT_DETAILS, .blocks = parts & WB_REPORT_BLOCKS};
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".csv") == 0)
        report_csv(gpu, to);
    else
        report_json(gpu, &options, to);
    const bool failed = ferror(to);
    if (fclose(to) || failed)
        return error_set(error, WB_ERROR_ARGUMENT, "The report could not be written to %s: %s.", path,
                         strerror(errno));
    return WB_OK;
}

WbStatus wb_report(WbGpu *gpu, const char *path, unsigned parts)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    return gpu_end(gpu, write_report(gpu, path, parts, gpu_begin(gpu)));
}

/* The report through the C API: the ending of the path says which form is wanted. The file appears as a whole
 * or not at all. */
#include "report/report.h"

#include <string.h>

#include "api/gpu.h"
#include "base/output_file.h"

static WbStatus write_report(WbGpu *gpu, const char *path, unsigned parts, Error *error)
{
    if (!path)
        return error_set(error, WB_ERROR_ARGUMENT, "wb_report needs the path of a file; it was null.");
    OutputFile *file = output_file_begin("report", path, error);
    if (!file)
        return error->status;
    const ReportOptions options = {.details = parts & WB_REPORT_DETAILS, .blocks = parts & WB_REPORT_BLOCKS};
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".csv") == 0)
        report_csv(gpu, output_file_stream(file));
    else
        report_json(gpu, &options, output_file_stream(file));
    return output_file_end(file, error);
}

WbStatus wb_report(WbGpu *gpu, const char *path, unsigned parts)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    return gpu_end(gpu, write_report(gpu, path, parts, gpu_begin(gpu)));
}

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

WbGpu *harness_open(const char *name, const char *const *knobs)
{
    char error[2048];
    WbGpu *gpu;
    if (wb_gpu_open(name, &gpu, error, sizeof error) != WB_OK)
        fail_msg("%s", error);
    for (; knobs && *knobs; knobs++) {
        char key[128];
        const char *equals = strchr(*knobs, '=');
        snprintf(key, sizeof key, "%.*s", (int)(equals - *knobs), *knobs);
        if (wb_gpu_set(gpu, key, equals + 1) != WB_OK)
            fail_msg("%s", wb_error(gpu));
    }
    return gpu;
}

static WbStatus launch(const HarnessRun *run, WbModule *module, uint64_t out)
{
    WbKernel *kernel;
    WbStatus status = wb_module_kernel(module, run->kernel, &kernel);
    WbArgument argument = WB_ARG(out);
    const WbLaunch description = {.grid = run->grid,
                                  .block = run->block,
                                  .shared_bytes = run->shared_bytes,
                                  .arguments = &argument,
                                  .argument_count = 1};
    if (status == WB_OK)
        status = wb_launch(kernel, &description);
    if (status == WB_OK)
        status = wb_wait(run->gpu);
    return status;
}

WbStatus harness_run(const HarnessRun *run)
{
    WbModule *module;
    uint64_t out;
    WbStatus status = wb_module_load(run->gpu, "test.ptx", run->ptx, strlen(run->ptx), &module);
    if (status != WB_OK)
        return status;
    size_t bytes = run->words * sizeof *run->out;
    status = wb_malloc(run->gpu, bytes, &out);
    if (status == WB_OK)
        status = wb_copy_to_device(run->gpu, out, run->out, bytes);
    if (status == WB_OK)
        status = launch(run, module, out);
    if (status == WB_OK)
        status = wb_copy_from_device(run->gpu, run->out, out, bytes);
    wb_module_unload(module);
    return status;
}

void harness_run_ok(const HarnessRun *run)
{
    if (harness_run(run) != WB_OK)
        fail_msg("%s", wb_error(run->gpu));
}

void harness_run_error(const HarnessRun *run, WbStatus expected, ...)
{
    WbStatus status = harness_run(run);
    if (status != expected)
        fail_msg("expected %s, got %s: %s", wb_status_name(expected), wb_status_name(status),
                 wb_error(run->gpu));
    va_list parts;
    va_start(parts, expected);
    for (const char *part; (part = va_arg(parts, const char *));)
        if (!strstr(wb_error(run->gpu), part))
            fail_msg("the sentence does not hold '%s': %s", part, wb_error(run->gpu));
    va_end(parts);
}

char *harness_report(const WbGpu *gpu)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    report_json(gpu, &(ReportOptions){.details = true, .blocks = true}, file);
    fclose(file);
    char *host = strstr(text, "\n  \"host\"");
    assert_non_null(host);
    *host = '\0';
    return text;
}

void harness_same_report(const WbGpu *gpu, const char *text, char **first)
{
    char *report = harness_report(gpu);
    assert_non_null(strstr(report, text));
    if (!*first) {
        *first = report;
        return;
    }
    assert_string_equal(report, *first);
    free(report);
}

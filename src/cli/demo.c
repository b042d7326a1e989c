/* `warpbeam demo`: loads two kernels, runs them on a simulated GPU, checks every result on the host. */
#include "cli/running.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 100000, THREADS = 256 };

typedef struct Demo {
    WbGpu *gpu;
    WbModule *module;
    float *x, *y, *result;
    int32_t *values;
    uint64_t device_x, device_y, device_values, device_total;
} Demo;

/* Makes the inputs: small numbers from a fixed recurrence, so that every run is the same. */
static void fill(Demo *demo)
{
    uint32_t state = 12345;
    for (int i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        demo->x[i] = (float)(state >> 8) / 65536.0f;
        demo->y[i] = (float)i;
        demo->values[i] = (int32_t)(state >> 20) - 2048;
    }
}

static WbStatus upload(Demo *demo)
{
    const struct {
        uint64_t *address;
        const void *data;
        size_t size;
    } buffers[] = {
        {&demo->device_x, demo->x, COUNT * sizeof *demo->x},
        {&demo->device_y, demo->y, COUNT * sizeof *demo->y},
        {&demo->device_values, demo->values, COUNT * sizeof *demo->values},
        {&demo->device_total, &(int32_t){0}, sizeof(int32_t)},
    };
    WbStatus status = WB_OK;
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers && status == WB_OK; i++) {
        status = wb_malloc(demo->gpu, buffers[i].size, buffers[i].address);
        if (status == WB_OK)
            status = wb_copy_to_device(demo->gpu, *buffers[i].address, buffers[i].data, buffers[i].size);
    }
    return status;
}

static WbStatus launch(Demo *demo, const char *name, uint32_t blocks, const WbArgument *arguments,
                       uint32_t count)
{
    WbKernel *kernel;
    WbStatus status = wb_module_kernel(demo->module, name, &kernel);
    const WbLaunch launch = {
        .grid = {blocks, 1, 1},
        .block = {THREADS, 1, 1},
        .arguments = arguments,
        .argument_count = count,
    };
    return status == WB_OK ? wb_launch(kernel, &launch) : status;
}

static WbStatus run_kernels(Demo *demo)
{
    int32_t count = COUNT;
    float a = 2.5f;
    const WbArgument saxpy[] = {WB_ARG(count), WB_ARG(a), WB_ARG(demo->device_x), WB_ARG(demo->device_y)};
    const WbArgument sum[] = {WB_ARG(count), WB_ARG(demo->device_values), WB_ARG(demo->device_total)};
    WbStatus status = launch(demo, "saxpy", (COUNT + THREADS - 1) / THREADS, saxpy, 4);
    if (status == WB_OK)
        status = launch(demo, "sum", 64, sum, 3);
    return status == WB_OK ? wb_wait(demo->gpu) : status;
}

static int check(Demo *demo, bool talking)
{
    int32_t total = 0, expected = 0;
    if (wb_copy_from_device(demo->gpu, demo->result, demo->device_y, COUNT * sizeof *demo->result) ||
        wb_copy_from_device(demo->gpu, &total, demo->device_total, sizeof total))
        return fail("%s", wb_error(demo->gpu));
    for (int i = 0; i < COUNT; i++) {
        expected += demo->values[i];
        float wanted = fmaf(2.5f, demo->x[i], demo->y[i]);
        if (demo->result[i] != wanted)
            return fail("saxpy is wrong at %d: %a instead of %a.", i, (double)demo->result[i],
                        (double)wanted);
    }
    if (total != expected)
        return fail("sum is wrong: %d instead of %d.", total, expected);
    if (talking)
        printf("saxpy: all %d values equal the host's, bit for bit\nsum: %d, as on the host\n", COUNT, total);
    return EXIT_DONE;
}

static int run_demo(Demo *demo, const char *path, const Running *running)
{
    fill(demo);
    if (wb_module_load_file(demo->gpu, path, &demo->module) || upload(demo) || run_kernels(demo))
        return fail("%s", wb_error(demo->gpu));
    int result = check(demo, running_is_talking(running));
    return result == EXIT_DONE ? running_report(running, demo->gpu) : result;
}

static const char *demo_path(void)
{
    const char *installed = DEMO_INSTALL_DIRECTORY "/demo/demo.ptx";
    return access(installed, R_OK) == 0 ? installed : DEMO_SOURCE_DIRECTORY "/demo/demo.ptx";
}

static int open_and_run(const Running *running)
{
    Demo demo = {.gpu = running_open(running)};
    if (!demo.gpu)
        return EXIT_FAILED;
    demo.x = malloc(COUNT * sizeof *demo.x);
    demo.y = malloc(COUNT * sizeof *demo.y);
    demo.result = malloc(COUNT * sizeof *demo.result);
    demo.values = malloc(COUNT * sizeof *demo.values);
    if (running_is_talking(running))
        printf("saxpy and sum over %d elements on %s\n", COUNT, wb_gpu_name(demo.gpu));
    int result = demo.x && demo.y && demo.result && demo.values
                     ? run_demo(&demo, demo_path(), running)
                     : fail("the host has no memory for the demo.");
    free(demo.x);
    free(demo.y);
    free(demo.result);
    free(demo.values);
    wb_gpu_close(demo.gpu);
    return result;
}

int command_demo(int argument_count, char **arguments)
{
    static const char *const options[] = {RUNNING_OPTIONS, "--cycle", NULL};
    Running running = running_take(&argument_count, arguments);
    running.cycle = take_flag(&argument_count, arguments, "--cycle");
    int result = check_left_over(argument_count, arguments, 0, options);
    if (result == EXIT_DONE)
        result = open_and_run(&running);
    running_free(&running);
    return result;
}

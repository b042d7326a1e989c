/* `warpbeam ptx`: what a PTX file holds, and which of its kernels this build can run. */
#include "cli/running.h"

#include <limits.h>
#include <stdio.h>

#include "base/terminal.h"
#include "cli/parameters.h"

/* What does not fit on a terminal goes below. */
static void print_row(const char *row)
{
    terminal_wrap(row, 0, 8, terminal_is(stdout) ? terminal_columns(stdout) : UINT_MAX, stdout);
}

/* "16s/8d/2c": registers of 32 bits, 64 bits and one bit [channels table 3]. */
static const char *kinds_text(WbKernel *kernel, char *text, size_t size)
{
    WbRegisterKinds kinds = {0};
    wb_kernel_register_kinds(kernel, &kinds);
    snprintf(text, size, "%us/%ud/%uc", kinds.words, kinds.pairs, kinds.predicates);
    return text;
}

static void print_kernel(WbGpu *gpu, WbKernel *kernel, size_t *unsupported)
{
    WbKernelInfo info;
    if (wb_kernel_info(kernel, &info)) {
        printf("cannot run: %s\n", wb_error(gpu));
        ++*unsupported;
        return;
    }
    char parameters[PARAMETERS_TEXT_SIZE], row[PARAMETERS_TEXT_SIZE + 1024], kinds[64];
    snprintf(row, sizeof row, "%9u %12s %8u %8u %7u %6u  %s: %s", info.registers,
             kinds_text(kernel, kinds, sizeof kinds), info.shared_bytes,
             info.local_bytes, info.max_threads, info.parameter_bytes, info.plain_name,
             parameters_text(kernel, parameters));
    print_row(row);
}

static int print_file(WbGpu *gpu, const char *path)
{
    WbModule *module;
    if (wb_module_load_file(gpu, path, &module))
        return fail("%s", wb_error(gpu));
    size_t count = wb_module_kernel_count(module), unsupported = 0;
    char row[128];
    snprintf(row, sizeof row, "%9s %12s %8s %8s %7s %6s  %s", "registers", "by kind", "shared", "local",
             "threads", "bytes", "kernel: parameters");
    print_row(row);
    for (size_t i = 0; i < count; i++)
        print_kernel(gpu, wb_module_kernel_at(module, i), &unsupported);
    printf("%zu kernel%s, %zu of them cannot run\n", count, count == 1 ? "" : "s", unsupported);
    return unsupported ? EXIT_FAILED : EXIT_DONE;
}

int command_ptx(int argument_count, char **arguments)
{
    const char *name = take_option(&argument_count, arguments, "--gpu");
    if (check_left_over(argument_count, arguments, 1) != EXIT_DONE)
        return EXIT_USAGE;
    if (argument_count != 2)
        return misuse("ptx needs one PTX file.");
    WbGpu *gpu;
    int result = gpu_open(name ? name : "h200", &gpu);
    if (result == EXIT_DONE)
        gpu_tell(gpu);
    if (result == EXIT_DONE)
        result = print_file(gpu, arguments[1]);
    wb_gpu_close(gpu);
    return result;
}

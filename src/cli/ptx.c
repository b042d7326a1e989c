/* `warpbeam ptx`: what a PTX file holds, and which of its kernels this build can run. */
#include "cli/command.h"

#include <stdio.h>

static void print_kernel(WbGpu *gpu, WbKernel *kernel, size_t *unsupported)
{
    WbKernelInfo info;
    if (wb_kernel_info(kernel, &info)) {
        printf("cannot run: %s\n", wb_error(gpu));
        ++*unsupported;
        return;
    }
    printf("%9u %8u %8u %7u %10u %6u  %s\n", info.registers, info.shared_bytes, info.local_bytes,
           info.max_threads, info.parameter_count, info.parameter_bytes, info.plain_name);
}

static int print_file(WbGpu *gpu, const char *path)
{
    WbModule *module;
    if (wb_module_load_file(gpu, path, &module))
        return fail("%s", wb_error(gpu));
    size_t count = wb_module_kernel_count(module), unsupported = 0;
    printf("%9s %8s %8s %7s %10s %6s  %s\n", "registers", "shared", "local", "threads", "parameters", "bytes",
           "kernel");
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
    char error[2048];
    if (wb_gpu_open(name ? name : "h200", &gpu, error, sizeof error))
        return fail("%s", error);
    int result = print_file(gpu, arguments[1]);
    wb_gpu_close(gpu);
    return result;
}

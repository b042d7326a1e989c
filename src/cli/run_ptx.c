/* `warpbeam run FILE.ptx`: one kernel with arguments from the command line. */
#include "cli/run_ptx.h"

#include "cli/argument.h"
#include "cli/elf.h"
#include "cli/parameters.h"
#include "cli/running.h"
#include "base/knob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Job {
    Running running;
    const char *path, *kernel;
    const char *grid_text, *block_text, *shared_text; /* null: not given */
    WbDim3 grid, block;
    uint32_t shared_bytes;
    VEC(const char *) texts; /* of the arguments */
    VEC(KernelArgument) arguments;
} Job;

/* "X", "X,Y" or "X,Y,Z"; 1 what is not given. */
static bool parse_dimensions(const char *option, const char *text, WbDim3 *to)
{
    uint32_t *const fields[] = {&to->x, &to->y, &to->z};
    *to = (WbDim3){1, 1, 1};
    const char *at = text;
    for (int i = 0; at && i < 3; i++) {
        char *end;
        const unsigned long long value = strtoull(at, &end, 10);
        /* strtoull() takes a minus and wraps; here it is a mistake. */
        if (end == at || *at == '-' || value > UINT32_MAX || (*end && *end != ','))
            break;
        *fields[i] = (uint32_t)value;
        at = *end ? end + 1 : NULL;
    }
    if (at)
        misuse("%s needs one to three numbers with commas between them, not '%s'.", option, text);
    return !at;
}

static bool parse_shared(const char *text, uint32_t *to)
{
    uint64_t bytes;
    if (!knob_parse_bytes(text, &bytes) || bytes > UINT32_MAX) {
        misuse("--shared needs a number of bytes, not '%s'.", text);
        return false;
    }
    *to = (uint32_t)bytes;
    return true;
}

/* What is no PTX, and can be told to be something else. */
static int check_file(const char *path)
{
    const char *end = strrchr(path, '.');
    if (elf_look(path).kind == FILE_ELF)
        return misuse("%s is a program, not a PTX file: write `warpbeam run [options] -- %s%s ...`.", path,
                      strchr(path, '/') ? "" : "./", path);
    if (end && strcmp(end, ".cu") == 0)
        return misuse(
            "%s is CUDA source: compile it with `nvcc -cudart shared -gencode "
            "arch=compute_75,code=compute_75 %s -o program` and write `warpbeam run -- ./program`, or "
            "make PTX of it with `nvcc -ptx -arch=sm_75 %s`.",
            path, path, path);
    return EXIT_DONE;
}

/* Nobody means one thread unless it is said. */
static void tell_shape(const Job *job)
{
    if (!job->grid_text && !job->block_text)
        fputs("warpbeam: neither --grid nor --block is given: one block of one thread runs.\n", stderr);
    else if (!job->block_text)
        fputs("warpbeam: --block is not given: every block has one thread.\n", stderr);
    else if (!job->grid_text)
        fputs("warpbeam: --grid is not given: one block runs.\n", stderr);
}

static int read_options(int argument_count, char **arguments, Job *job)
{
    job->running = running_take(&argument_count, arguments);
    job->kernel = take_option(&argument_count, arguments, "--kernel");
    job->grid_text = take_option(&argument_count, arguments, "--grid");
    job->block_text = take_option(&argument_count, arguments, "--block");
    job->shared_text = take_option(&argument_count, arguments, "--shared");
    /* Taken one by one from the left, so they keep their order. */
    for (const char *text; (text = take_option(&argument_count, arguments, "--arg"));)
        VEC_PUSH(&job->texts, text);
    if (check_without(argument_count, arguments, &program_options) != EXIT_DONE ||
        check_without(argument_count, arguments, &workload_options) != EXIT_DONE ||
        check_left_over(argument_count, arguments, 1) != EXIT_DONE)
        return EXIT_USAGE;
    job->path = job->running.input = arguments[1];
    if (check_file(job->path) != EXIT_DONE)
        return EXIT_USAGE;
    const bool right = parse_dimensions("--grid", job->grid_text ? job->grid_text : "1", &job->grid) &&
                       parse_dimensions("--block", job->block_text ? job->block_text : "1", &job->block) &&
                       parse_shared(job->shared_text ? job->shared_text : "0", &job->shared_bytes);
    return right ? EXIT_DONE : EXIT_USAGE;
}

/* The kernel of that name, or the only one; null once the misuse has been told. */
static WbKernel *find_kernel(const Job *job, WbGpu *gpu, WbModule *module)
{
    WbKernel *kernel = NULL;
    const size_t count = wb_module_kernel_count(module);
    if (!job->kernel && count != 1)
        misuse("%s has %zu kernels; --kernel says which one to run, and `warpbeam ptx %s` lists them.",
               job->path, count, job->path);
    else if (!job->kernel)
        kernel = wb_module_kernel_at(module, 0);
    else if (wb_module_kernel_plain(module, job->kernel, &kernel))
        misuse("%s", wb_error(gpu));
    return kernel;
}

static int check_count(const Job *job, WbGpu *gpu, WbKernel *kernel)
{
    WbKernelInfo info;
    char types[PARAMETERS_TEXT_SIZE];
    if (wb_kernel_info(kernel, &info))
        return fail("%s", wb_error(gpu));
    if (info.parameter_count == job->texts.count)
        return EXIT_DONE;
    return misuse(
        "kernel %s needs %u %s (%s), and --arg is given %u times; write `--arg u32:5`, `--arg f32:1.5`, or "
        "`--arg buffer:4096` for a pointer.",
        info.name, info.parameter_count, info.parameter_count == 1 ? "argument" : "arguments",
        parameters_text(kernel, types), job->texts.count);
}

static WbStatus launch(const Job *job, WbGpu *gpu, WbKernel *kernel)
{
    VEC(WbArgument) arguments = {0};
    for (uint32_t i = 0; i < job->arguments.count; i++) {
        const KernelArgument *argument = &job->arguments.items[i];
        VEC_PUSH(&arguments, ((WbArgument){&argument->bits, argument->size}));
    }
    const WbLaunch description = {
        .grid = job->grid,
        .block = job->block,
        .shared_bytes = job->shared_bytes,
        .arguments = arguments.items,
        .argument_count = arguments.count,
    };
    WbStatus status = wb_launch(kernel, &description);
    if (status == WB_OK)
        status = wb_wait(gpu);
    VEC_FREE(&arguments);
    return status;
}

/* Options that say what is launched, as they were written, are the run's arguments. */
static void describe(const Job *job, WbGpu *gpu, WbKernel *kernel)
{
    WbKernelInfo info = {0};
    VEC(const char *) words = {0};
    const struct {
        const char *option, *text;
    } given[] = {{"--grid", job->grid_text}, {"--block", job->block_text}, {"--shared", job->shared_text}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].text) {
            VEC_PUSH(&words, given[i].option);
            VEC_PUSH(&words, given[i].text);
        }
    for (uint32_t i = 0; i < job->texts.count; i++) {
        VEC_PUSH(&words, "--arg");
        VEC_PUSH(&words, job->texts.items[i]);
    }
    wb_kernel_info(kernel, &info); /* fails where the launch will, too */
    wb_set_run(gpu, &(WbRunInfo){
                        .kind = "ptx",
                        .what = job->path,
                        .mode = info.plain_name,
                        .arguments = words.items,
                        .argument_count = words.count,
                    });
    VEC_FREE(&words);
}

static int run_job(Job *job, WbGpu *gpu)
{
    WbModule *module;
    gpu_tell(gpu);
    if (wb_module_load_file(gpu, job->path, &module))
        return fail("%s", wb_error(gpu));
    if (!wb_module_kernel_count(module))
        return fail("%s has no kernel that could be run: no .entry function.", job->path);
    WbKernel *kernel = find_kernel(job, gpu, module);
    int result = kernel ? check_count(job, gpu, kernel) : EXIT_USAGE;
    for (uint32_t i = 0; i < job->texts.count && result == EXIT_DONE; i++) {
        KernelArgument argument;
        result = argument_make(gpu, job->texts.items[i], &argument);
        VEC_PUSH(&job->arguments, argument);
    }
    if (result != EXIT_DONE)
        return result;
    describe(job, gpu, kernel);
    wb_expect_launches(gpu, 1);
    tell_shape(job);
    if (launch(job, gpu, kernel))
        return running_fail(&job->running, gpu, wb_error(gpu));
    return running_report(&job->running, gpu);
}

int run_ptx(int argument_count, char **arguments)
{
    Job job = {0};
    int result = read_options(argument_count, arguments, &job);
    WbGpu *gpu = NULL;
    if (result == EXIT_DONE)
        result = running_open(&job.running, &gpu);
    if (result == EXIT_DONE)
        result = run_job(&job, gpu);
    wb_gpu_close(gpu);
    running_free(&job.running);
    VEC_FREE(&job.texts);
    VEC_FREE(&job.arguments);
    return result;
}

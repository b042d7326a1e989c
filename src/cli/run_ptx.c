/* `warpbeam run FILE.ptx`: one kernel with arguments from the command line. */
#include "cli/run_ptx.h"

#include "cli/argument.h"
#include "cli/elf.h"
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
    if (!knob_parse_integer(text, &bytes) || bytes > UINT32_MAX) {
        misuse("--shared needs a number of bytes, not '%s'.", text);
        return false;
    }
    *to = (uint32_t)bytes;
    return true;
}

static int read_options(int argument_count, char **arguments, Job *job)
{
    job->running = running_take(&argument_count, arguments);
    job->kernel = take_option(&argument_count, arguments, "--kernel");
    job->grid_text = take_option(&argument_count, arguments, "--grid");
    job->block_text = take_option(&argument_count, arguments, "--block");
    job->shared_text = take_option(&argument_count, arguments, "--shared");
    for (const char *text; (text = take_option(&argument_count, arguments, "--arg"));)
        VEC_PUSH(&job->texts, text);
    if (check_without(argument_count, arguments, &program_options) != EXIT_DONE ||
        check_without(argument_count, arguments, &workload_options) != EXIT_DONE ||
        check_left_over(argument_count, arguments, 1) != EXIT_DONE)
        return EXIT_USAGE;
    job->path = arguments[1];
    if (elf_look(job->path).kind == FILE_ELF)
        return misuse("%s is a program, not a PTX file: write `warpbeam run [options] -- %s ...`.", job->path,
                      job->path);
    const bool right = parse_dimensions("--grid", job->grid_text ? job->grid_text : "1", &job->grid) &&
                       parse_dimensions("--block", job->block_text ? job->block_text : "1", &job->block) &&
                       parse_shared(job->shared_text ? job->shared_text : "0", &job->shared_bytes);
    return right ? EXIT_DONE : EXIT_USAGE;
}

/* The kernel of that name, or the only one; null once the failure has been told. */
static WbKernel *find_kernel(const Job *job, WbGpu *gpu, WbModule *module)
{
    WbKernel *kernel = NULL;
    const size_t count = wb_module_kernel_count(module);
    if (!job->kernel && count != 1)
        fail("%s has %zu kernels; --kernel says which one to run, and `warpbeam ptx %s` lists them.",
             job->path, count, job->path);
    else if (!job->kernel)
        kernel = wb_module_kernel_at(module, 0);
    else if (wb_module_kernel_plain(module, job->kernel, &kernel))
        fail("%s", wb_error(gpu));
    return kernel;
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
    if (wb_module_load_file(gpu, job->path, &module))
        return fail("%s", wb_error(gpu));
    WbKernel *kernel = find_kernel(job, gpu, module);
    if (!kernel)
        return EXIT_FAILED;
    for (uint32_t i = 0; i < job->texts.count; i++) {
        KernelArgument argument;
        if (!argument_make(gpu, job->texts.items[i], &argument))
            return EXIT_USAGE;
        VEC_PUSH(&job->arguments, argument);
    }
    describe(job, gpu, kernel);
    wb_expect_launches(gpu, 1);
    if (launch(job, gpu, kernel))
        return running_fail(&job->running, gpu, wb_error(gpu));
    return running_report(&job->running, gpu);
}

int run_ptx(int argument_count, char **arguments)
{
    Job job = {0};
    int result = read_options(argument_count, arguments, &job);
    WbGpu *gpu = result == EXIT_DONE ? running_open(&job.running) : NULL;
    if (result == EXIT_DONE)
        result = gpu ? run_job(&job, gpu) : EXIT_FAILED;
    wb_gpu_close(gpu);
    running_free(&job.running);
    VEC_FREE(&job.texts);
    VEC_FREE(&job.arguments);
    return result;
}

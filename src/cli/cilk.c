/* `warpbeam cilk`: translates a Cilk program, and runs one of its functions on a GPU or on the host. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/knob.h"
#include "base/output_file.h"
#include "cilk/host.h"
#include "cilk/run.h"
#include "cilk/translate.h"
#include "cli/running.h"

/* Invariant: call.function belongs to `program`, and is null where no call is given. */
typedef struct Job {
    Running running;
    const char *path, *out, *call_text, *width_text, *levels_text;
    bool host;
    uint32_t levels, width;
    CilkProgram *program;
    CilkCall call;
    CilkGraph graph;
    char *cuda, *ptx;
} Job;

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);
    return length > wanted && strcmp(text + length - wanted, end) == 0;
}

static int read_number(const char *option, const char *text, uint64_t least, uint64_t most, uint32_t *to)
{
    uint64_t number;
    if (!text)
        return EXIT_DONE;
    if (!knob_parse_count(text, &number) || number < least || number > most)
        return misuse("%s takes %llu to %llu, not '%s'.", option, (unsigned long long)least,
                      (unsigned long long)most, text);
    *to = (uint32_t)number;
    return EXIT_DONE;
}

static int check_combination(const Job *job)
{
    if (!job->out && !job->call_text)
        return misuse("cilk needs --call 'FUNCTION(ARGUMENTS)' to run one, or -o FILE.ptx to translate.");
    if (job->host && !job->call_text)
        return misuse("--host runs a function: --call 'FUNCTION(ARGUMENTS)' says which.");
    if (!ends_with(job->path, ".ptx"))
        return EXIT_DONE;
    if (job->out || job->host || job->levels_text)
        return misuse("%s is translated already: %s is for the program's source.", job->path,
                      job->out    ? "-o"
                      : job->host ? "--host"
                                  : "--levels");
    return EXIT_DONE;
}

static int read_options(int argument_count, char **arguments, Job *job)
{
    job->running = running_take(&argument_count, arguments);
    job->out = take_option(&argument_count, arguments, "--out");
    job->call_text = take_option(&argument_count, arguments, "--call");
    job->levels_text = take_option(&argument_count, arguments, "--levels");
    job->width_text = take_option(&argument_count, arguments, "--width");
    job->host = take_flag(&argument_count, arguments, "--host");
    job->levels = CILK_USUAL_LEVELS;
    int result = check_left_over(argument_count, arguments, 1);
    if (result == EXIT_DONE && argument_count < 2)
        result = misuse("cilk needs a program: cilk FILE.c --call 'fib(24)'.");
    if (result != EXIT_DONE)
        return result;
    job->path = job->running.input = arguments[1];
    result = check_combination(job);
    if (result == EXIT_DONE)
        result = read_number("--levels", job->levels_text, 1, CILK_MOST_LEVELS, &job->levels);
    if (result == EXIT_DONE)
        result = read_number("--width", job->width_text, 1, 1u << 30, &job->width);
    return result;
}

/* -- what is run -- */

static int load_ptx(Job *job, Error *error)
{
    size_t length;
    job->ptx = file_read("PTX file", job->path, &length, error);
    if (job->ptx && cilk_graph_read(job->path, job->ptx, &job->graph, error))
        job->program = cilk_graph_program(&job->graph, job->path, error);
    return job->program ? EXIT_DONE : fail("%s", error->text);
}

static int translate(Job *job, Error *error)
{
    const CilkFunction *called = job->out ? NULL : job->call.function; /* what is kept can call all of it */
    job->cuda = cilk_translate(job->program, job->levels, called, &job->graph, error);
    if (!job->cuda)
        return fail("%s", error->text);
    if (job->out && ends_with(job->out, ".cu") && !job->call_text)
        return EXIT_DONE;
    job->ptx = cilk_compile(job->program, job->cuda, &job->graph, error);
    return job->ptx ? EXIT_DONE : fail("%s", error->text);
}

static int write_out(const Job *job, Error *error)
{
    OutputFile *file = output_file_begin("translation", job->out, error);
    if (!file)
        return fail("%s", error->text);
    fputs(ends_with(job->out, ".cu") ? job->cuda : job->ptx, output_file_stream(file));
    if (output_file_end(file, error))
        return fail("%s", error->text);
    running_tell_written((const char *const[]){job->out}, 1, "");
    return EXIT_DONE;
}

/* Where no other output takes it, the answer goes to standard output. */
static void tell_result(const Job *job, const CilkValue *result)
{
    char text[CILK_VALUE_TEXT];
    FILE *out = job->host || running_is_talking(&job->running) ? stdout : stderr;
    if (result->type)
        fprintf(out, "%s = %s\n", job->call_text, cilk_value_text(result, text));
    else
        fprintf(out, "%s returns nothing.\n", job->call_text);
}

static int run_on_host(const Job *job, Error *error)
{
    CilkValue result;
    if (cilk_host_run(job->path, &job->call, &result, error))
        return fail("%s", error->text);
    tell_result(job, &result);
    return EXIT_DONE;
}

static int run_on_gpu(const Job *job)
{
    char name[RUNNING_PATH_SIZE]; /* that of PTX which is nowhere but here */
    const CilkRun run = {name, job->ptx, &job->graph, &job->call, job->width, NULL};
    WbGpu *gpu;
    CilkValue value;
    int result = running_open(&job->running, &gpu);
    if (result != EXIT_DONE)
        return result;
    snprintf(name, sizeof name, "%s%s", job->path, ends_with(job->path, ".ptx") ? "" : ".ptx");
    gpu_tell(gpu);
    wb_set_run(gpu, &(WbRunInfo){.kind = "cilk", .what = job->path, .mode = job->call_text});
    wb_expect_launches(gpu, 1);
    if (cilk_run(gpu, &run, &value)) {
        result = running_fail(&job->running, gpu, wb_error(gpu));
    } else {
        tell_result(job, &value);
        result = running_report(&job->running, gpu);
    }
    wb_gpu_close(gpu);
    return result;
}

static int run_job(Job *job, Error *error)
{
    const bool is_ptx = ends_with(job->path, ".ptx");
    if (is_ptx && load_ptx(job, error) != EXIT_DONE)
        return EXIT_FAILED;
    if (!is_ptx && !(job->program = cilk_read(job->path, error)))
        return fail("%s", error->text);
    if (job->call_text && cilk_call_parse(job->program, job->call_text, &job->call, error))
        return misuse("%s", error->text);
    if (job->host && !job->out)
        return run_on_host(job, error);
    if (!is_ptx && translate(job, error) != EXIT_DONE)
        return EXIT_FAILED;
    if (job->out && write_out(job, error) != EXIT_DONE)
        return EXIT_FAILED;
    if (job->host)
        return run_on_host(job, error);
    if (!job->call_text)
        return EXIT_DONE;
    uint32_t stack;
    if (!cilk_graph_find(&job->graph, job->call.function, &stack))
        return misuse(
            "'%s' neither spawns nor is spawned, so it is no kernel of %s: leave -o out to call it.",
            job->call.function->name, job->path);
    return run_on_gpu(job);
}

int command_cilk(int argument_count, char **arguments)
{
    Job job = {0};
    Error error = {0};
    int result = read_options(argument_count, arguments, &job);
    if (result == EXIT_DONE)
        result = run_job(&job, &error);
    if (job.program)
        cilk_free(job.program);
    cilk_graph_free(&job.graph);
    xfree(job.cuda);
    xfree(job.ptx);
    running_free(&job.running);
    return result;
}

/* Options that choose and change the GPU are taken first; whatever is left belongs to the command. */
#include "cli/running.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/check_policies.h"
#include "api/open_set.h"
#include "base/file.h"
#include "base/outputs.h"
#include "base/printable.h"
#include "cli/page.h"
#include "cli/progress.h"
#include "config/config.h"

Running running_take(int *argument_count, char **arguments)
{
    Running running = {.gpu = take_option(argument_count, arguments, "--gpu")};
    const char *usual = getenv("WARPBEAM_GPU");
    if (!running.gpu && usual && *usual)
        running.gpu = usual;
    for (const char *setting; (setting = take_option(argument_count, arguments, "--set"));)
        VEC_PUSH(&running.settings, (char *)setting);
    running.policies = policies_take(argument_count, arguments);
    running.threads = take_option(argument_count, arguments, "--threads");
    running.stats = take_option(argument_count, arguments, "--stats");
    running.timeline = take_option(argument_count, arguments, "--timeline");
    running.cycle = !take_flag(argument_count, arguments, "--functional");
    running.page = take_option(argument_count, arguments, "--report");
    running.progress = take_option(argument_count, arguments, "--progress");
    running.report.details = take_flag(argument_count, arguments, "--detail");
    if (running.page)
        VEC_PUSH(&running.settings, "timeline=true"); /* for series, launches and waits */
    running.lines = take_flag(argument_count, arguments, "--profile-lines");
    if (running.lines || running.page)
        VEC_PUSH(&running.settings, "profile_lines=true");
    running.report.blocks = take_flag(argument_count, arguments, "--blocks");
    return running;
}

void running_free(Running *running)
{
    VEC_FREE(&running->policies);
    VEC_FREE(&running->settings);
}

static bool is_stream(const char *path) { return path && strcmp(path, "-") == 0; }

bool running_is_talking(const Running *running)
{
    return !is_stream(running->stats) && !is_stream(running->timeline) && !is_stream(running->page);
}

/* Two outputs in one stream could not be told apart. */
static int check_streams(const Running *running)
{
    const struct {
        const char *option, *path;
    } outputs[] = {
        {"--stats", running->stats}, {"--timeline", running->timeline}, {"--report", running->page}};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        if (!is_stream(outputs[i].path))
            continue;
        if (first)
            return misuse("only one of %s and %s can be - for standard output.", first, outputs[i].option);
        first = outputs[i].option;
    }
    return EXIT_DONE;
}

/* What the user has given. */
static int set(WbGpu *gpu, const char *knob, const char *value)
{
    return wb_gpu_set(gpu, knob, value) == WB_OK ? EXIT_DONE : misuse("%s", wb_error(gpu));
}

/* What the run needs, and the GPU cannot have. */
static int set_needed(const Running *running, WbGpu *gpu)
{
    WbStatus status = wb_gpu_set(gpu, "mode", running->cycle ? "cycle" : "functional");
    if (status == WB_OK && running->timeline)
        status = wb_gpu_set(gpu, "timeline", "true");
    for (size_t i = 0; status == WB_OK && running->needed && running->needed[i]; i += 2)
        status = wb_gpu_set(gpu, running->needed[i], running->needed[i + 1]);
    return status == WB_OK ? EXIT_DONE : fail("%s", wb_error(gpu));
}

/* Returns as running_open() does. */
static int set_all(const Running *running, WbGpu *gpu)
{
    int result = set_needed(running, gpu);
    for (uint32_t i = 0; i < running->settings.count && result == EXIT_DONE; i++) {
        char knob[64];
        const char *setting = running->settings.items[i], *equals = strchr(setting, '=');
        if (!equals)
            return misuse("--set needs KNOB=VALUE; '%s' has no '='.", setting);
        snprintf(knob, sizeof knob, "%.*s", (int)(equals - setting), setting);
        result = set(gpu, knob, equals + 1);
    }
    if (result == EXIT_DONE && gpu_check_policies(gpu))
        result = misuse("%s", wb_error(gpu));
    return result == EXIT_DONE && running->threads ? set(gpu, "threads", running->threads) : result;
}

static void print_output(void *context, const char *text, size_t length)
{
    progress_clear();
    fwrite(text, 1, length, context);
}

bool gpu_is_there(const char *name)
{
    char path[CONFIG_PATH_SIZE];
    return config_find(name, NULL, path) || config_is_path(name);
}

static void print_notice(void *context, const char *text, size_t length)
{
    (void)context;
    fprintf(stderr, "warpbeam: %.*s\n", (int)length, text);
}

/* PTX of the user's own is told of; that of workloads is known to run. */
void gpu_tell(WbGpu *gpu) { wb_set_notice(gpu, print_notice, NULL); }

int gpu_open(const char *name, WbGpu **gpu)
{
    char error[2048];
    *gpu = NULL;
    if (wb_gpu_open(name, gpu, error, sizeof error) == WB_OK)
        return EXIT_DONE;
    return gpu_is_there(name) ? fail("%s", error) : misuse("%s", error);
}

/* What has no time cannot be shown where time went. */
static int check_functional(const Running *running)
{
    const char *option = running->page       ? "--report"
                         : running->timeline ? "--timeline"
                         : running->lines    ? "--profile-lines"
                                             : NULL;
    return option && !running->cycle ? misuse("%s shows where time went: --functional has none.", option)
                                     : EXIT_DONE;
}

/* Null where it is none: not given, or standard output. */
static const char *file_of(const char *path) { return is_stream(path) ? NULL : path; }

/* Before hours of simulation. */
static int check_outputs(const Running *running)
{
    Error error = {0};
    const OutputPath paths[] = {
        {.what = "--stats", .path = file_of(running->stats)},
        {.what = "--timeline", .path = file_of(running->timeline)},
        {.what = "--report", .path = file_of(running->page)},
        {.what = "--graph-profile", .path = running->profile},
        {.what = "the file that is run", .path = running->input, .is_input = true},
        {.what = "the GPU's configuration", .path = running->gpu, .is_input = true},
    };
    return outputs_check(paths, sizeof paths / sizeof *paths, &error) ? EXIT_DONE : fail("%s", error.text);
}

/* A name that is none of a GPU is misuse; what is wrong with files is not. */
static int open_set(const char *text, const char *usual, WbGpu **gpus, uint32_t *count)
{
    Error error = {0};
    GpuSet set;
    const bool is_read = !gpu_set_read(text, usual, &set, &error);
    bool is_there = is_read || config_is_path(text);
    for (uint32_t i = 0; i < set.count; i++)
        is_there &= gpu_is_there(set.items[i].configuration);
    *count = 0;
    if (is_read)
        gpu_set_open(&set, gpus, count, &error);
    gpu_set_free(&set);
    if (error.status == WB_OK)
        return EXIT_DONE;
    return is_there ? fail("%s", error.text) : misuse("%s", error.text);
}

static int open_gpus(const Running *running, const char *gpus, WbGpu **opened, uint32_t *count)
{
    const char *usual = running->gpu ? running->gpu : "h200";
    if (gpus)
        return open_set(gpus, usual, opened, count);
    const int result = gpu_open(usual, opened);
    *count = result == EXIT_DONE;
    return result;
}

int running_open_all(const Running *running, const char *gpus, WbGpu *opened[GPU_SET_MOST], uint32_t *count)
{
    *count = 0;
    int result = check_functional(running);
    if (result == EXIT_DONE)
        result = check_streams(running);
    if (result == EXIT_DONE)
        result = check_outputs(running);
    if (result == EXIT_DONE)
        result = policies_load(&running->policies);
    if (result == EXIT_DONE)
        result = open_gpus(running, gpus, opened, count);
    if (result != EXIT_DONE)
        return result;
    for (uint32_t i = 0; i < *count && result == EXIT_DONE; i++)
        result = set_all(running, opened[i]);
    if (result == EXIT_DONE && !progress_start(opened[0], running->progress))
        result = EXIT_USAGE;
    if (result != EXIT_DONE) {
        for (uint32_t i = 0; i < *count; i++)
            wb_gpu_close(opened[i]);
        *count = 0;
        return result;
    }
    if (running->stats || running->timeline || running->page)
        progress_outlive_pipes();
    for (uint32_t i = 0; i < *count; i++)
        wb_set_output(opened[i], print_output, running_is_talking(running) ? stdout : stderr);
    return EXIT_DONE;
}

int running_open(const Running *running, WbGpu **gpu)
{
    WbGpu *opened[GPU_SET_MOST];
    uint32_t count;
    const int result = running_open_all(running, NULL, opened, &count);
    *gpu = count ? opened[0] : NULL;
    return result;
}

/* With a page, the statistics have all that it shows, so that a page can be made of them again. */
static int write_statistics(const Running *running, WbGpu *gpu, const char *path)
{
    const unsigned parts = (running->report.details ? WB_REPORT_DETAILS : 0u) |
                           (running->report.blocks || running->page ? WB_REPORT_BLOCKS : 0u);
    return wb_report(gpu, path, parts) ? fail("%s", wb_error(gpu)) : EXIT_DONE;
}

bool running_new_file(char path[RUNNING_PATH_SIZE])
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, RUNNING_PATH_SIZE, "%s/warpbeam-XXXXXX.json", folder && *folder ? folder : "/tmp");
    const int file = mkstemps(path, (int)strlen(".json"));
    if (file < 0) {
        fail("the file for what is to be shown cannot be made: %s: %s.", path, strerror(errno));
        return false;
    }
    close(file);
    return true;
}

int running_write_page(const Running *running, const char *statistics)
{
    Error error = {0};
    return page_write_own(statistics, running->page, &error) ? EXIT_DONE : fail("%s", error.text);
}

/* A file in memory, of which nothing is left whatever ends the process; -1 once the failure has been told. */
static int open_memory(char path[RUNNING_PATH_SIZE])
{
    const int file = memfd_create("warpbeam", MFD_CLOEXEC);
    if (file < 0)
        fail("there is no memory for what is to be shown: %s.", strerror(errno));
    snprintf(path, RUNNING_PATH_SIZE, "/proc/self/fd/%d", file);
    return file;
}

static int write_page(const Running *running, WbGpu *gpu, const char *path)
{
    char statistics[RUNNING_PATH_SIZE];
    Running here = *running;
    const int file = open_memory(statistics);
    here.page = path;
    if (file < 0)
        return EXIT_FAILED;
    const int result = wb_report(gpu, statistics, WB_REPORT_BLOCKS) ? fail("%s", wb_error(gpu))
                                                                    : running_write_page(&here, statistics);
    close(file);
    return result;
}

static int write_timeline(const Running *running, WbGpu *gpu, const char *path)
{
    (void)running;
    return wb_timeline(gpu, path) ? fail("%s", wb_error(gpu)) : EXIT_DONE;
}

/* Whether it arrives there is found out at the end of main(). */
static int copy_out(const char *path)
{
    Error error = {0};
    size_t length;
    char *text = file_read("file", path, &length, &error);
    if (!text)
        return fail("%s", error.text);
    fwrite(text, 1, length, stdout);
    xfree(text);
    return EXIT_DONE;
}

typedef int WriteFn(const Running *running, WbGpu *gpu, const char *path);

/* What can only be written to a path goes through a file to standard output. */
static int write_out(const Running *running, WbGpu *gpu, WriteFn *write)
{
    char made[RUNNING_PATH_SIZE];
    const int file = open_memory(made);
    if (file < 0)
        return EXIT_FAILED;
    int result = write(running, gpu, made);
    if (result == EXIT_DONE)
        result = copy_out(made);
    close(file);
    return result;
}

void running_tell_written(const char *const *paths, size_t count, const char *more)
{
    char shown[PRINTABLE_NAME_SIZE];
    const char *files[8];
    size_t known = 0;
    struct stat status;
    for (size_t i = 0; i < count && known < sizeof files / sizeof *files; i++)
        if (paths[i] && stat(paths[i], &status) == 0 && S_ISREG(status.st_mode))
            files[known++] = paths[i];
    for (size_t i = 0; i < known; i++)
        fprintf(stderr, "%s%s", i == 0 ? "warpbeam: " : i + 1 < known ? ", " : " and ",
                printable_name(files[i], shown));
    if (known)
        fprintf(stderr, " %s written%s.\n", known == 1 ? "is" : "are", more);
}

/* One output that fails does not keep the others from being written. */
static int give_out(const Running *running, WbGpu *gpu, const char *more)
{
    enum { OUTPUTS = 3 };
    const char *const paths[OUTPUTS] = {running->stats, running->timeline, running->page};
    WriteFn *const functions[OUTPUTS] = {write_statistics, write_timeline, write_page};
    const char *written[OUTPUTS] = {0};
    int result = EXIT_DONE;
    progress_clear();
    for (int i = 0; i < OUTPUTS; i++) {
        if (!file_of(paths[i]))
            continue;
        if (functions[i](running, gpu, paths[i]) == EXIT_DONE)
            written[i] = paths[i];
        else
            result = EXIT_FAILED;
    }
    running_tell_written(written, OUTPUTS, more);
    if (running_is_talking(running))
        report_text(gpu, &running->report, stdout);
    for (int i = 0; i < OUTPUTS; i++)
        if (is_stream(paths[i]) && write_out(running, gpu, functions[i]) != EXIT_DONE)
            result = EXIT_FAILED;
    return result;
}

int running_report(const Running *running, WbGpu *gpu) { return give_out(running, gpu, ""); }

int running_fail(const Running *running, WbGpu *gpu, const char *sentence)
{
    fail("%s", sentence);
    if (progress_was_interrupted() || wb_record_count(gpu))
        give_out(running, gpu, ", with what had run until then");
    return progress_was_interrupted() ? progress_exit_status() : EXIT_FAILED;
}

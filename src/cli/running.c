#include "cli/running.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/page.h"
#include "cli/progress.h"

Running running_take(int *argument_count, char **arguments)
{
    Running running = {.gpu = take_option(argument_count, arguments, "--gpu")};
    for (const char *setting; (setting = take_option(argument_count, arguments, "--set"));)
        VEC_PUSH(&running.settings, (char *)setting);
    running.threads = take_option(argument_count, arguments, "--threads");
    running.stats = take_option(argument_count, arguments, "--stats");
    running.timeline = take_option(argument_count, arguments, "--timeline");
    running.cycle = !take_flag(argument_count, arguments, "--functional");
    running.page = take_option(argument_count, arguments, "--report");
    running.progress = take_option(argument_count, arguments, "--progress");
    running.report.details = take_flag(argument_count, arguments, "--detail");
    if (running.page)
        VEC_PUSH(&running.settings, "timeline=true"); /* for series, launches and waits */
    if (take_flag(argument_count, arguments, "--profile-lines") || running.page)
        VEC_PUSH(&running.settings, "profile_lines=true");
    running.report.blocks = take_flag(argument_count, arguments, "--blocks");
    return running;
}

void running_free(Running *running) { VEC_FREE(&running->settings); }

bool running_is_talking(const Running *running)
{
    return !running->stats || strcmp(running->stats, "-") != 0;
}

static bool set(WbGpu *gpu, const char *knob, const char *value)
{
    if (wb_gpu_set(gpu, knob, value) == WB_OK)
        return true;
    fail("%s", wb_error(gpu));
    return false;
}

static bool set_all(const Running *running, WbGpu *gpu)
{
    if (!set(gpu, "mode", running->cycle ? "cycle" : "functional") ||
        (running->timeline && !set(gpu, "timeline", "true")))
        return false;
    for (size_t i = 0; running->needed && running->needed[i]; i += 2)
        if (!set(gpu, running->needed[i], running->needed[i + 1]))
            return false;
    for (uint32_t i = 0; i < running->settings.count; i++) {
        char knob[64];
        const char *setting = running->settings.items[i], *equals = strchr(setting, '=');
        if (!equals) {
            fail("--set needs KNOB=VALUE; '%s' has no '='.", setting);
            return false;
        }
        snprintf(knob, sizeof knob, "%.*s", (int)(equals - setting), setting);
        if (!set(gpu, knob, equals + 1))
            return false;
    }
    return !running->threads || set(gpu, "threads", running->threads);
}

static void print_output(void *context, const char *text, size_t length)
{
    progress_clear();
    fwrite(text, 1, length, context);
}

WbGpu *running_open(const Running *running)
{
    WbGpu *gpu;
    char error[2048];
    if (running->page && !running->cycle) {
        fail("--report shows where time went: --functional has none.");
        return NULL;
    }
    if (wb_gpu_open(running->gpu ? running->gpu : "h200", &gpu, error, sizeof error)) {
        fail("%s", error);
        return NULL;
    }
    if (!set_all(running, gpu) || !progress_start(gpu, running->progress)) {
        wb_gpu_close(gpu);
        return NULL;
    }
    wb_set_output(gpu, print_output, running_is_talking(running) ? stdout : stderr);
    return gpu;
}

static int write_statistics(const Running *running, WbGpu *gpu)
{
    if (running_is_talking(running)) {
        const unsigned parts = (running->report.details ? WB_REPORT_DETAILS : 0u) |
                               (running->report.blocks ? WB_REPORT_BLOCKS : 0u);
        return wb_report(gpu, running->stats, parts) ? fail("%s", wb_error(gpu)) : EXIT_DONE;
    }
    report_json(gpu, &running->report, stdout);
    return fflush(stdout) || ferror(stdout) ? fail("the report could not be written.") : EXIT_DONE;
}

bool running_new_file(char path[RUNNING_PATH_SIZE])
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, RUNNING_PATH_SIZE, "%s/warpbeam-XXXXXX.json", folder && *folder ? folder : "/tmp");
    const int file = mkstemps(path, (int)strlen(".json"));
    if (file < 0) {
        fail("the statistics for the page cannot be kept: %s: %s.", path, strerror(errno));
        return false;
    }
    close(file);
    return true;
}

int running_write_page(const Running *running, const char *statistics)
{
    Error error = {0};
    const PageInput input = {.path = statistics};
    return page_write(&input, 1, PAGE_BYTES, running->page, &error) ? EXIT_DONE : fail("%s", error.text);
}

static int make_page(const Running *running, WbGpu *gpu)
{
    char path[RUNNING_PATH_SIZE];
    if (!running_new_file(path))
        return EXIT_FAILED;
    const int result = wb_report(gpu, path, WB_REPORT_DETAILS | WB_REPORT_BLOCKS)
                           ? fail("%s", wb_error(gpu))
                           : running_write_page(running, path);
    unlink(path);
    return result;
}

int running_report(const Running *running, WbGpu *gpu)
{
    progress_clear();
    if (running_is_talking(running))
        report_text(gpu, &running->report, stdout);
    if (running->timeline && wb_timeline(gpu, running->timeline))
        return fail("%s", wb_error(gpu));
    const int result = running->page ? make_page(running, gpu) : EXIT_DONE;
    return running->stats && result == EXIT_DONE ? write_statistics(running, gpu) : result;
}

int running_fail(const Running *running, WbGpu *gpu, const char *sentence)
{
    fail("%s", sentence);
    if (!progress_was_interrupted())
        return EXIT_FAILED;
    fputs("warpbeam: the report is of what had run until then.\n", stderr);
    running_report(running, gpu);
    return EXIT_INTERRUPTED;
}

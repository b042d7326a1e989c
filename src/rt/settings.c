/* All variables are read and checked before the GPU is opened, so that a wrong one stops the program at
 * once. */
#include "rt/settings.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/check_policies.h"
#include "api/load_policy.h"
#include "api/open_set.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/outputs.h"
#include "rt/finish.h"
#include "rt/live.h"
#include "rt/progress.h"
#include "rt/variable.h"
#include "warpbeam_graph.h"

/* Long enough that a program which goes on to its next call is not overtaken: what it puts into streams until
 * it waits shall start at one instant of simulated time, whatever the speed of the machine. */
enum { PATIENCE_MS = 1000, MOST_PATIENCE_MS = 24 * 3600 * 1000 };

/* Those that are no text, read and checked. */
typedef struct Settings {
    bool is_functional, wants_summary;
    unsigned parts;
    long patience_ms;
} Settings;

static bool read_settings(Settings *settings)
{
    return variable_switch("WARPBEAM_FUNCTIONAL", &settings->is_functional) &&
           variable_switch("WARPBEAM_SUMMARY", &settings->wants_summary) &&
           variable_parts("WARPBEAM_REPORT", &settings->parts) &&
           variable_number("WARPBEAM_PATIENCE", PATIENCE_MS, MOST_PATIENCE_MS, &settings->patience_ms);
}

static bool set(WbGpu *gpu, const char *knob, const char *value)
{
    if (wb_gpu_set(gpu, knob, value) == WB_OK)
        return true;
    fprintf(stderr, "warpbeam: %s\n", wb_error(gpu));
    return false;
}

/* One KNOB=VALUE of `length` characters. */
static bool set_pair(WbGpu *gpu, const char *text, size_t length)
{
    char pair[1024], *equals;
    snprintf(pair, sizeof pair, "%.*s", (int)length, text);
    if (length < sizeof pair && (equals = strchr(pair, '='))) {
        *equals = '\0';
        return set(gpu, pair, equals + 1);
    }
    fprintf(stderr,
            "warpbeam: WARPBEAM_SET holds KNOB=VALUE, separated by semicolons; '%s' is no such pair.\n",
            pair);
    return false;
}

static bool set_pairs(WbGpu *gpu, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, ";\n");
        if (length && !set_pair(gpu, text, length))
            return false;
        text += length + (text[length] != '\0');
    }
    return true;
}

/* Before hours of simulation. */
static bool check_outputs(const Settings *settings)
{
    Error error = {0};
    const OutputPath paths[] = {
        {.what = "WARPBEAM_STATS", .path = variable_text("WARPBEAM_STATS", NULL)},
        {.what = "WARPBEAM_TIMELINE", .path = variable_text("WARPBEAM_TIMELINE", NULL)},
        {.what = "WARPBEAM_GRAPH_PROFILE", .path = variable_text("WARPBEAM_GRAPH_PROFILE", NULL)},
        {.what = "the GPU's configuration", .path = variable_text("WARPBEAM_GPU", NULL), .is_input = true},
        {.what = "the list of GPUs", .path = variable_text("WARPBEAM_GPUS", NULL), .is_input = true},
    };
    if (settings->is_functional && paths[1].path)
        error_set(&error, WB_ERROR_ARGUMENT,
                  "WARPBEAM_TIMELINE shows what happened over time: WARPBEAM_FUNCTIONAL has none.");
    else
        outputs_check(paths, sizeof paths / sizeof *paths, &error);
    if (error.status != WB_OK)
        fprintf(stderr, "warpbeam: %s\n", error.text);
    return error.status == WB_OK;
}

/* Real programs read a little beside their allocations, and run: they do here, unless the configuration or
 * the user wants something else. */
static bool loosen(WbGpu *gpu)
{
    uint64_t check = 0;
    return wb_gpu_get(gpu, "memory_check", &check) || check || set(gpu, "memory_check", "report");
}

/* What no output will ask for is not kept: a program may launch millions of kernels. */
static bool keep_little(WbGpu *gpu, const Settings *settings)
{
    const bool statistics = variable_text("WARPBEAM_STATS", NULL) != NULL;
    const bool timeline = variable_text("WARPBEAM_TIMELINE", NULL) != NULL;
    const unsigned parts = statistics ? settings->parts : 0;
    return (parts & WB_REPORT_DETAILS || set(gpu, "record_details", "0")) &&
           (parts & WB_REPORT_BLOCKS || timeline || set(gpu, "block_records", "false")) &&
           (statistics || timeline || settings->wants_summary || set(gpu, "kernel_records", "false"));
}

/* Before the program runs, not at its first launch. */
static bool check_policies(WbGpu *gpu)
{
    if (gpu_check_policies(gpu) == WB_OK)
        return true;
    fprintf(stderr, "warpbeam: %s\n", wb_error(gpu));
    return false;
}

static bool configure(WbGpu *gpu, const Settings *settings)
{
    const char *threads = variable_text("WARPBEAM_THREADS", NULL);
    return set(gpu, "mode", settings->is_functional ? "functional" : "cycle") && loosen(gpu) &&
           keep_little(gpu, settings) &&
           (!threads || set(gpu, "threads", threads)) &&
           (!variable_text("WARPBEAM_TIMELINE", NULL) || set(gpu, "timeline", "true")) &&
           set_pairs(gpu, variable_text("WARPBEAM_SET", "")) && check_policies(gpu);
}

static void print(void *context, const char *text, size_t length)
{
    rt_live_clear();
    fwrite(text, 1, length, context);
}

static void print_notice(void *context, const char *text, size_t length)
{
    rt_live_clear();
    fflush(stdout); /* what the program said before */
    fprintf(context, "warpbeam: %.*s\n", (int)length, text);
}

/* Whoever wants to know may be gone by now, and its place be taken: then nothing is said. */
void settings_give_notice(char what)
{
    const char *path = variable_text("WARPBEAM_NOTICE", NULL);
    const int file = path ? open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : -1;
    struct stat status;
    if (file < 0)
        return;
    if (fstat(file, &status) == 0 && S_ISFIFO(status.st_mode) && write(file, &what, 1) < 0)
        fprintf(stderr, "warpbeam: WARPBEAM_NOTICE is '%s', which cannot be written to.\n", path);
    close(file);
}

static bool load_all_policies(void)
{
    Error error = {0};
    if (load_policies(variable_text("WARPBEAM_POLICY", NULL), &error))
        fprintf(stderr, "warpbeam: %s\n", error.text);
    return error.status == WB_OK;
}

/* The program and its arguments, as it was called. */
static void describe(WbGpu *gpu)
{
    enum { MOST_WORDS = 4096 };
    size_t length = 0;
    Error error = {0};
    char *words = file_read("command", "/proc/self/cmdline", &length, &error);
    const char *arguments[MOST_WORDS];
    size_t count = 0;
    const bool is_whole = words && length && !words[length - 1]; /* programs may write into it */
    for (size_t at = 0; is_whole && at < length && count < MOST_WORDS; at += strlen(words + at) + 1)
        arguments[count++] = words + at;
    if (count)
        wb_set_run(gpu, &(WbRunInfo){.kind = "program",
                                     .what = arguments[0],
                                     .arguments = arguments + 1,
                                     .argument_count = count - 1});
    xfree(words);
}

/* One GPU unless the environment says otherwise. */
static uint32_t open_gpus(WbGpu **gpus)
{
    const char *usual = variable_text("WARPBEAM_GPU", "h200");
    const char *several = variable_text("WARPBEAM_GPUS", NULL);
    Error error = {0};
    uint32_t count = 1;
    char sentence[2048];
    if (several)
        gpu_set_open_text(several, usual, gpus, &count, &error);
    else if (wb_gpu_open(usual, gpus, sentence, sizeof sentence))
        error_set(&error, WB_ERROR_ARGUMENT, "%s", sentence);
    if (error.status == WB_OK)
        return count;
    fprintf(stderr, "warpbeam: %s\n", error.text);
    return 0;
}

static void prepare(WbGpu *gpu)
{
    describe(gpu);
    wb_set_output(gpu, print, stdout);
    wb_set_assertion_output(gpu, print, stderr);
    wb_set_notice(gpu, print_notice, stderr);
    if (variable_text("WARPBEAM_GRAPH_PROFILE", NULL))
        wb_profile_begin(gpu);
}

int settings_open(WbGpu **gpus)
{
    Settings settings;
    settings_give_notice(SETTINGS_NOTICE_OPENED);
    if (!read_settings(&settings) || !check_outputs(&settings) || !load_all_policies())
        return 0;
    const uint32_t count = open_gpus(gpus);
    bool is_ready = count && rt_live_open(gpus, count);
    for (uint32_t i = 0; i < count && is_ready; i++)
        is_ready = configure(gpus[i], &settings);
    for (uint32_t i = 0; i < count; i++) {
        if (is_ready) {
            prepare(gpus[i]);
        } else {
            wb_gpu_close(gpus[i]);
            gpus[i] = NULL; /* there is none, for whoever looks */
        }
    }
    if (!is_ready)
        return 0;
    rt_progress_set_patience(settings.patience_ms);
    finish_expect(gpus, count, &(FinishFiles){
                                   .statistics = variable_text("WARPBEAM_STATS", NULL),
                                   .timeline = variable_text("WARPBEAM_TIMELINE", NULL),
                                   .profile = variable_text("WARPBEAM_GRAPH_PROFILE", NULL),
                                   .parts = settings.parts,
                                   .summary = settings.wants_summary,
                               });
    return (int)count;
}

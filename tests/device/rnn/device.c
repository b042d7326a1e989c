/* Tests of libwarpbeam_rnn on a real GPU. Prints what fails, and a count.
 *
 *     device --groups
 *     device [--kernels FOLDER] [--only PART] [--small] [--cases N] [--repeats N] [--watchdog MS]
 *
 * --groups lists what there is. --only runs the groups whose name has PART in it; --small takes the smallest
 * shapes, for compute-sanitizer and simulators. --cases bounds the groups sizes (306 are all of them) and
 * random: the reference on the host is what takes time there. The exit status is 0 only when nothing failed.
 * run.sh builds and runs it. */
#include "groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *name;
    void (*run)(Program *program);
    bool small; /* there is something small in it, and it waits for no watchdog */
} groups[] = {
    {"ways", test_ways, true},           {"layouts", test_layouts, true},
    {"sizes", test_sizes, false},        {"random", test_random, false},
    {"long", test_long, false},          {"repeats", test_repeats, false},
    {"graph", test_graph, true},         {"streams", test_streams, false},
    {"busy", test_busy, false},          {"watchdog", test_watchdog, false},
    {"nan", test_nan, true},             {"errors", test_errors, true},
};

static bool parse(int count, char **words, Program *program)
{
    for (int i = 1; i < count; i++) {
        const char *value = i + 1 < count ? words[i + 1] : NULL;
        if (strcmp(words[i], "--small") == 0) {
            program->small = true;
            continue;
        }
        if (!value)
            return false;
        if (strcmp(words[i], "--kernels") == 0)
            program->kernels = value;
        else if (strcmp(words[i], "--only") == 0)
            program->only = value;
        else if (strcmp(words[i], "--cases") == 0)
            program->cases = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(words[i], "--repeats") == 0)
            program->repeats = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(words[i], "--watchdog") == 0)
            program->watchdog_ms = (uint32_t)strtoul(value, NULL, 10);
        else
            return false;
        i++;
    }
    return true;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void run_groups(Program *program)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (program->only ? !strstr(groups[i].name, program->only) : program->small && !groups[i].small)
            continue;
        const Program before = *program;
        const double began = seconds();
        groups[i].run(program);
        printf("%-9s %u passed, %u failed, %u skipped, %.1f s\n", groups[i].name,
               program->passed - before.passed, program->failed - before.failed,
               program->skipped - before.skipped, seconds() - began);
        fflush(stdout);
    }
}

static int list_groups(void)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        puts(groups[i].name);
    return 0;
}

int main(int count, char **words)
{
    if (count == 2 && strcmp(words[1], "--groups") == 0)
        return list_groups();
    Program program = {.cases = 100, .repeats = 1000, .watchdog_ms = 500};
    char error[512];
    if (!parse(count, words, &program)) {
        fprintf(stderr, "usage: %s [--kernels FOLDER] [--only PART] [--small] [--cases N] [--repeats N] "
                "[--watchdog MS]\n",
                words[0]);
        return 2;
    }
    if (device_cuda_open(program.kernels, &program.gpu, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return 2;
    }
    printf("a GPU with %u SMs, compute capability %u\n", program.gpu->gpu.sms, program.gpu->gpu.capability);
    run_groups(&program);
    program.gpu->calls->close(program.gpu);
    printf("%u passed, %u failed\n", program.passed, program.failed);
    return program.failed != 0;
}

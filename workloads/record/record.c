/* Runs workloads on a real GPU in the size that is measured, for Nsight Compute to count:
 *
 *     record CUBINS INDEX WORKLOAD[/KERNEL]...
 *
 * INDEX gets a line for each launch, "WORKLOAD ROW CLASS HALF", in the order in which they happen. The
 * exit status is 1 if a result is wrong. */
#include "correlation/correlation.h"
#include "launch/launch.h"
#include "record/host_cuda.h"
#include "suite/suite.h"
#if __has_include("polybench/polybench.h")
#include "polybench/polybench.h"
#define HAS_POLYBENCH
#endif

#include <stdio.h>
#include <string.h>

/* One workload: its names, and how one of its kernels is run with the cubins of a folder. */
typedef struct Set {
    const char *name;
    size_t count;
    const char *(*kernel)(size_t index);
    const char *(*class)(size_t index); /* and half of it; null: kernels have none */
    bool (*run)(size_t index, const char *folder, Host *host);
    bool by_launch; /* a row of the table is a kernel of the program, not the program */
} Set;

static const char *suite_name(size_t index) { return suite_kernels[index].name; }
static const char *suite_class(size_t index)
{
    static char both[64];
    snprintf(both, sizeof both, "%s %s", suite_class_name(suite_kernels[index].class),
             suite_is_unseen(index) ? "unseen" : "seen");
    return both;
}

static bool run_suite(size_t index, const char *folder, Host *host)
{
    return suite_run(index, NULL, folder, true, false, host);
}

static const char *correlation_name(size_t index) { return correlation_kernels[index].name; }
static bool run_correlation(size_t index, const char *folder, Host *host)
{
    *host = host_begin(NULL, folder, "correlation.ptx");
    host->measured_size = true;
    return host->status == WB_OK && correlation_kernels[index].run(host) && host->status == WB_OK;
}

static const char *launch_name(size_t index) { return launch_cases[index].name; }
static bool run_launch(size_t index, const char *folder, Host *host)
{
    return launch_run(&launch_cases[index], NULL, folder, host);
}

#ifdef HAS_POLYBENCH
static const char *polybench_name(size_t index) { return polybench_programs[index].name; }
static bool run_polybench(size_t index, const char *folder, Host *host)
{
    static PolybenchRun run;
    return polybench_run(&polybench_programs[index], POLYBENCH_LAUNCHES, true, NULL, folder, host, &run);
}
#endif

static const Set sets[] = {
    {"suite", SUITE_COUNT, suite_name, suite_class, run_suite, false},
    {"correlation", CORRELATION_COUNT, correlation_name, NULL, run_correlation, false},
    {"launch", LAUNCH_COUNT, launch_name, NULL, run_launch, false},
#ifdef HAS_POLYBENCH
    {"polybench", POLYBENCH_PROGRAMS, polybench_name, NULL, run_polybench, true},
#endif
};

/* Runs one kernel and writes what it launched since launch *done to the index. */
static bool run_one(const Set *set, size_t index, const char *cubins, FILE *file, size_t *done)
{
    char folder[1024];
    Host host;
    snprintf(folder, sizeof folder, "%s/%s", cubins, set->name);
    const bool right = set->run(index, folder, &host);
    if (!right)
        fprintf(stderr, "%s/%s: %s\n", set->name, set->kernel(index),
                host.error[0] ? host.error : "The result is wrong.");
    host_end(&host);
    for (const char *name; (name = host_cuda_launch(*done)); ++*done)
        fprintf(file, "%s %s %s\n", set->name, set->by_launch ? name : set->kernel(index),
                set->class ? set->class(index) : "- -");
    return right;
}

/* Whether the wish is WORKLOAD or WORKLOAD/KERNEL. */
static bool is_wished(const char *wish, const Set *set, const char *kernel)
{
    const size_t length = strlen(set->name);
    return !strncmp(wish, set->name, length) &&
           (!wish[length] || (wish[length] == '/' && !strcmp(wish + length + 1, kernel)));
}

int main(int count, char **arguments)
{
    FILE *index = count > 3 ? fopen(arguments[2], "w") : NULL;
    if (!index) {
        fprintf(stderr, "usage: record CUBINS INDEX WORKLOAD[/KERNEL]..., and INDEX can be written\n");
        return 2;
    }
    size_t done = 0, runs = 0, wrong = 0;
    for (int i = 3; i < count; i++)
        for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
            for (size_t k = 0; k < sets[s].count; k++)
                if (is_wished(arguments[i], &sets[s], sets[s].kernel(k))) {
                    runs++;
                    wrong += !run_one(&sets[s], k, arguments[1], index, &done);
                }
    fclose(index);
    fprintf(stderr, "%zu runs, %zu launches, %zu results wrong\n", runs, done, wrong);
    return runs == 0 || wrong > 0;
}

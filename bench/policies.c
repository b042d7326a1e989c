/* What policies cost the simulation: its speed with each warp scheduler and admission policy against that with
 * the GPU's own, on the six programs.
 *
 *   policies [GPU ...] [--rounds N] [--only TEXT]      c2050 and gtx970; 5; all policies
 *
 * The speed is warp instructions for each second of processor time of one thread. All policies have a turn in
 * every round, so that they see the same weather, and the best of the rounds counts. A policy changes
 * what is simulated, too: one that makes a program wait more gives the simulator other work. Beside the ratio
 * of speeds stands that of simulated cycles. `--only` leaves out policies that do not have the text in
 * their names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid/policy_kinds.h"
#include "six/six.h"

enum { MOST_GPUS = 8, MOST_SETTINGS = 64 };

/* A policy to be measured. */
typedef struct Setting {
    const char *knob, *value;
} Setting;

/* Admission policies that are used together. */
static const Setting sums[] = {{"block_admit", "claso+dyncta"}};

typedef struct Bench {
    const char *gpus[MOST_GPUS], *only;
    int gpu_count, rounds;
    Setting settings[MOST_SETTINGS]; /* the first: none, the GPU's own policies */
    int setting_count;
} Bench;

/* Of one program with one setting: the best speed, and the simulated cycles. */
typedef struct Result {
    double rate, cycles;
} Result;

/* All that a GPU is measured with. */
static Result results[MOST_SETTINGS][SIX_COUNT];

static bool run_once(const char *name, const Setting *setting, const SixProgram *program, Result *result)
{
    char error[2048];
    WbGpu *gpu;
    if (wb_gpu_open(name, &gpu, error, sizeof error) != WB_OK) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    Host host = {0};
    WbStat stat = {0};
    bool ran = wb_gpu_set(gpu, "mode", "cycle") == WB_OK && wb_gpu_set(gpu, "threads", "1") == WB_OK &&
               (!setting->knob || wb_gpu_set(gpu, setting->knob, setting->value) == WB_OK);
    if (!ran) {
        fprintf(stderr, "%s\n", wb_error(gpu));
    } else {
        ran = six_run(program, gpu, SOURCE_DIRECTORY "/workloads/six", program->size, &host);
        if (!ran)
            fprintf(stderr, "%s\n", host.error);
        wb_stat_find(gpu, "warp_instructions", &stat);
        result->rate = fmax(result->rate, (double)stat.value / host.seconds);
        result->cycles = (double)host.total_cycles;
        host_end(&host);
    }
    wb_gpu_close(gpu);
    return ran;
}

/* Neighbours change places from round to round. */
static bool measure(const Bench *bench, const char *gpu)
{
    memset(results, 0, sizeof results);
    for (int round = 0; round < bench->rounds; round++)
        for (size_t p = 0; p < SIX_COUNT; p++)
            for (int i = 0; i < bench->setting_count; i++) {
                const int s = (i + round) % bench->setting_count;
                if (!run_once(gpu, &bench->settings[s], &six_programs[p], &results[s][p]))
                    return false;
            }
    return true;
}

static void print_gpu(const Bench *bench, const char *gpu)
{
    printf("%-28s", gpu);
    for (size_t p = 0; p < SIX_COUNT; p++)
        printf(" %10s", six_programs[p].name);
    printf(" %10s %8s\n%-28s", "mean", "cycles", "own policies, instr./s");
    for (size_t p = 0; p < SIX_COUNT; p++)
        printf(" %10.0f", results[0][p].rate);
    putchar('\n');
    for (int s = 1; s < bench->setting_count; s++) {
        double rate = 0, cycles = 0;
        char name[64];
        snprintf(name, sizeof name, "%s=%s", bench->settings[s].knob, bench->settings[s].value);
        printf("%-28s", name);
        for (size_t p = 0; p < SIX_COUNT; p++) {
            const Result *own = &results[0][p], *with = &results[s][p];
            printf(" %10.3f", with->rate / own->rate);
            rate += log(with->rate / own->rate) / SIX_COUNT;
            cycles += log(with->cycles / own->cycles) / SIX_COUNT;
        }
        printf(" %10.3f %8.3f\n", exp(rate), exp(cycles));
    }
    putchar('\n');
    fflush(stdout);
}

/* -- what is measured -- */

static void add_setting(Bench *bench, const Setting *setting)
{
    if (strstr(setting->value, bench->only) && bench->setting_count < MOST_SETTINGS)
        bench->settings[bench->setting_count++] = *setting;
}

static void find_settings(Bench *bench)
{
    bench->setting_count = 1;
    for (size_t k = 0; k < policy_kind_count; k++) {
        const char *knob = policy_kinds[k]->knob;
        if (strcmp(knob, "warp_scheduler") != 0 && strcmp(knob, "block_admit") != 0)
            continue;
        Policy policy;
        for (size_t i = 0; (policy = policy_kinds[k]->at(i)).name; i++)
            add_setting(bench, &(Setting){knob, policy.name});
    }
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        add_setting(bench, &sums[i]);
}

/* False: an option is not understood. */
static bool read_options(int count, char **arguments, Bench *bench)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--rounds") == 0 && i + 1 < count)
            bench->rounds = atoi(arguments[++i]);
        else if (strcmp(arguments[i], "--only") == 0 && i + 1 < count)
            bench->only = arguments[++i];
        else if (arguments[i][0] != '-' && bench->gpu_count < MOST_GPUS)
            bench->gpus[bench->gpu_count++] = arguments[i];
        else
            return false;
    }
    if (!bench->gpu_count) {
        bench->gpus[bench->gpu_count++] = "c2050";
        bench->gpus[bench->gpu_count++] = "gtx970";
    }
    return bench->rounds > 0;
}

int main(int argument_count, char **arguments)
{
    static Bench bench = {.rounds = 5, .only = ""};
    if (!read_options(argument_count, arguments, &bench)) {
        fputs("policies [GPU ...] [--rounds N] [--only TEXT]\n", stderr);
        return 2;
    }
    find_settings(&bench);
    if (bench.setting_count == 1) { /* the own policies */
        fprintf(stderr, "policies: none has '%s' in its name.\n", bench.only);
        return 2;
    }
    for (int i = 0; i < bench.gpu_count; i++) {
        if (!measure(&bench, bench.gpus[i]))
            return 1;
        print_gpu(&bench, bench.gpus[i]);
    }
    return 0;
}

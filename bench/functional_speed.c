/* Speed of functional mode: warp instructions a second for the six programs, on one core.
 *
 * Usage: functional_speed [GPU [repetitions]]. Every result is checked; a wrong one ends the run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "six/six.h"

/* Instructions per second of the best of several runs; the machine that measures has other work. */
static double measure(const SixProgram *program, WbGpu *gpu, int repetitions, uint64_t *instructions)
{
    double best = 0;
    for (int i = 0; i < repetitions; i++) {
        Host host;
        WbStat stat;
        wb_stats_reset(gpu);
        if (!six_run(program, gpu, SOURCE_DIRECTORY "/workloads/six", program->size, &host)) {
            fprintf(stderr, "%s: %s\n", program->name, host.error);
            exit(1);
        }
        host_end(&host);
        wb_stat_find(gpu, "warp_instructions", &stat);
        *instructions = stat.value;
        double rate = (double)*instructions / host.seconds;
        best = rate > best ? rate : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "h200";
    int repetitions = argc > 2 ? atoi(argv[2]) : 5;
    char error[2048];
    WbGpu *gpu;
    if (wb_gpu_open(name, &gpu, error, sizeof error) != WB_OK) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    double product = 1;
    printf("%-12s %12s %18s\n", "program", "instructions", "instructions/s");
    for (int i = 0; i < SIX_COUNT; i++) {
        uint64_t instructions = 0;
        double rate = measure(&six_programs[i], gpu, repetitions, &instructions);
        printf("%-12s %12llu %18.0f\n", six_programs[i].name, (unsigned long long)instructions, rate);
        product *= rate;
    }
    printf("%-12s %12s %18.0f\n", "geomean", "", pow(product, 1.0 / SIX_COUNT));
    wb_gpu_close(gpu);
    return 0;
}

/* The tables: which mechanism is best where, each problem by itself, and policies upon mechanisms. */
#include "papers/together.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- means -- */

/* Geometric mean of what there is. */
typedef struct Mean {
    double sum, count;
} Mean;

static void mean_add(Mean *mean, double value)
{
    if (isfinite(value) && value > 0)
        mean->sum += log(value), mean->count++;
}

static double mean_of(const Mean *mean) { return mean->count ? exp(mean->sum / mean->count) : NAN; }

static double mean_over_gpus(const Results *results, size_t problem, TogetherMode mode)
{
    Mean mean = {0};
    for (TogetherColumn gpu = 0; gpu < TG_GPUS; gpu++)
        mean_add(&mean, together_speedup(results, problem, mode, gpu));
    return mean_of(&mean);
}

/* -- the answer -- */

/* The fastest but for those in `without` (bits); TOGETHER_MODES: there is none. */
static TogetherMode best(const Results *results, size_t problem, TogetherColumn gpu, unsigned without)
{
    TogetherMode found = TOGETHER_MODES;
    double least = INFINITY;
    for (TogetherMode mode = 0; mode < TOGETHER_MODES; mode++) {
        const double time = together_time(results, problem, mode, gpu);
        if (time < least && !(without >> mode & 1))
            least = time, found = mode;
    }
    return found;
}

static void add_best(Sheet *sheet, const Results *results, size_t problem, TogetherColumn gpu,
                     unsigned without)
{
    char text[64] = "-";
    const TogetherMode mode = best(results, problem, gpu, without);
    if (mode < TOGETHER_MODES)
        snprintf(text, sizeof text, "%s %.2f", together_mode_names[mode],
                 together_speedup(results, problem, mode, gpu));
    sheet_text(sheet, text);
}

static Sheet answer(const Results *results)
{
    Sheet sheet = {.name = "answer",
                   .title = "The answer: the fastest mechanism, and the next, with speedups over launches by "
                            "the host"};
    sheet_column(&sheet, "problem");
    sheet_column(&sheet, "place");
    for (TogetherColumn gpu = 0; gpu < TG_GPUS; gpu++)
        sheet_column(&sheet, together_columns[gpu]);
    for (size_t problem = 0; problem < TOGETHER_PROBLEMS; problem++)
        for (int place = 1; results_have(results, problem) && place <= 2; place++) {
            sheet_text(&sheet, place == 1 ? together_problems[problem].name : "");
            sheet_text(&sheet, place == 1 ? "first" : "second");
            for (TogetherColumn gpu = 0; gpu < TG_GPUS; gpu++) {
                const TogetherMode first = best(results, problem, gpu, 0);
                add_best(&sheet, results, problem, gpu, place == 1 ? 0 : 1u << first);
            }
        }
    return sheet;
}

/* A row for each problem, a bar for each mechanism. */
static Sheet overview(const Results *results)
{
    Sheet sheet = {.name = "overview",
                   .title = "Speedups over launches by the host, geometric means over the four GPUs",
                   .plotted = true};
    sheet_column(&sheet, "problem");
    for (TogetherMode mode = TOGETHER_CDP; mode < TOGETHER_MODES; mode++)
        sheet_column_in(&sheet, together_mode_names[mode], "times");
    for (size_t problem = 0; problem < TOGETHER_PROBLEMS; problem++) {
        if (!results_have(results, problem))
            continue;
        sheet_text(&sheet, together_problems[problem].name);
        for (TogetherMode mode = TOGETHER_CDP; mode < TOGETHER_MODES; mode++)
            sheet_number(&sheet, mean_over_gpus(results, problem, mode), 2);
    }
    return sheet;
}

/* -- a problem -- */

static Sheet problem_sheet(const Results *results, size_t problem)
{
    static const char *const titles[TOGETHER_PROBLEMS] = {
        [TOGETHER_WAVE] = "wave, a wavefront: speedups over launches by the host",
        [TOGETHER_STENCIL] = "stencil, many barriers: speedups over launches by the host",
        [TOGETHER_GRAPH] = "graph, a search: speedups over launches by the host",
        [TOGETHER_ROWS] = "rows, irregular lists: speedups over launches by the host",
        [TOGETHER_TREE] = "tree, tasks that are found: speedups over launches by the host",
    };
    Sheet sheet = {.name = together_problems[problem].name, .title = titles[problem], .plotted = true};
    sheet_column(&sheet, "mechanism");
    for (TogetherColumn gpu = 0; gpu < TG_GPUS; gpu++)
        sheet_column_in(&sheet, together_columns[gpu], "times");
    for (TogetherMode mode = TOGETHER_CDP; results_have(results, problem) && mode < TOGETHER_MODES; mode++) {
        sheet_text(&sheet, together_mode_names[mode]);
        for (TogetherColumn gpu = 0; gpu < TG_GPUS; gpu++)
            sheet_number(&sheet, together_speedup(results, problem, mode, gpu), 2);
    }
    return sheet;
}

static Sheet times(const Results *results)
{
    Sheet sheet = {.name = "times", .title = "Time of each run, microseconds"};
    sheet_column(&sheet, "problem");
    sheet_column(&sheet, "mechanism");
    for (TogetherColumn gpu = 0; gpu < TG_GPUS; gpu++)
        sheet_column_in(&sheet, together_columns[gpu], "us");
    for (size_t problem = 0; problem < TOGETHER_PROBLEMS; problem++)
        for (TogetherMode mode = 0; results_have(results, problem) && mode < TOGETHER_MODES; mode++) {
            sheet_text(&sheet, together_problems[problem].name);
            sheet_text(&sheet, together_mode_names[mode]);
            for (TogetherColumn gpu = 0; gpu < TG_GPUS; gpu++)
                sheet_number(&sheet, together_time(results, problem, mode, gpu), 1);
        }
    return sheet;
}

/* -- policies upon mechanisms -- */

/* What a policy gives a mechanism: its time with the GPU's own policies over that with this one. */
static double gain(const Results *results, size_t problem, TogetherMode mode, TogetherColumn column)
{
    return quotient(together_time(results, problem, mode, TG_POLICY_GPU),
                    together_time(results, problem, mode, column));
}

static Sheet policies(const Results *results)
{
    Sheet sheet = {.name = "policies",
                   .title = "What policies give each mechanism on gtx970, geometric means over the problems "
                            "that have it",
                   .plotted = true};
    sheet_column(&sheet, "mechanism");
    for (TogetherColumn column = TG_GPUS; column < TG_COLUMNS; column++)
        sheet_column_in(&sheet, together_columns[column], "times");
    for (TogetherMode mode = 0; mode < TOGETHER_MODES; mode++) {
        sheet_text(&sheet, together_mode_names[mode]);
        for (TogetherColumn column = TG_GPUS; column < TG_COLUMNS; column++) {
            Mean mean = {0};
            for (size_t problem = 0; problem < TOGETHER_PROBLEMS; problem++)
                mean_add(&mean, gain(results, problem, mode, column));
            sheet_number(&sheet, mean_of(&mean), 3);
        }
    }
    return sheet;
}

Sheet together_figure(const Results *results, size_t index)
{
    enum { FIRST = 3 };
    if (index >= FIRST && index < FIRST + TOGETHER_PROBLEMS)
        return problem_sheet(results, index - FIRST);
    switch (index) {
    case 0:
        return answer(results);
    case 1:
        return overview(results);
    case 2:
        return together_balance(results);
    case FIRST + TOGETHER_PROBLEMS:
        return policies(results);
    case FIRST + TOGETHER_PROBLEMS + 1:
        return together_pairs(results);
    case FIRST + TOGETHER_PROBLEMS + 2:
        return together_side_by_side(results);
    case FIRST + TOGETHER_PROBLEMS + 3:
        return together_hardware(results);
    case FIRST + TOGETHER_PROBLEMS + 4:
        return together_policy_state(results);
    default:
        return times(results);
    }
}

/* The paper's figures as tables, with what its text says of them beside our numbers. */
#include "papers/claso.h"

#include <math.h>
#include <string.h>

#include "grid/policy.h"
#include "sm/sched/registry.h"

/* -- a row for each benchmark -- */

#define OF(metric, mode)                                                                                     \
    {                                                                                                        \
        metric, mode, ALONE, 0                                                                               \
    }
#define FASTER(mode, base)                                                                                   \
    {                                                                                                        \
        CLM_IPC, mode, RISE, base                                                                            \
    }
#define NORMALIZED(metric, mode, base)                                                                       \
    {                                                                                                        \
        metric, mode, OVER, base                                                                             \
    }
/* Upon LRR, with all levels of figures 16 and 17. */
#define SENSITIVITY(quantity, decimals)                                                                      \
    {                                                                                                        \
        {"CLASO10", quantity(CL_LRR_C10), decimals, NULL}, {"CLASO20", quantity(CL_LRR_C20), decimals, NULL},\
            {"CLASO40", quantity(CL_LRR_C40), decimals, NULL},                                               \
            {"CLASO11", quantity(CL_LRR_C11), decimals, NULL},                                               \
            {"CLASO21", quantity(CL_LRR_C21), decimals, NULL},                                               \
            {"CLASO41", quantity(CL_LRR_C41), decimals, NULL},                                               \
            {"CLASO12", quantity(CL_LRR_C12), decimals, NULL},                                               \
            {"CLASO22", quantity(CL_LRR_C22), decimals, NULL},                                               \
            {"CLASO42", quantity(CL_LRR_C42), decimals, NULL},                                               \
    }
#define FASTER_THAN_LRR(mode) FASTER(mode, CL_LRR)
#define IDLE_OF_LRR(mode) NORMALIZED(CLM_IDLE, mode, CL_LRR)
#define CONFLICTS_OF_LRR(mode) NORMALIZED(CLM_SCOREBOARD, mode, CL_LRR)
/* Upon the three other schedulers. */
#define COMPATIBILITY(quantity, decimals)                                                                    \
    {                                                                                                        \
        {"TL+10", quantity(CL_TL_C10, CL_TL), decimals, NULL},                                               \
            {"TL+20", quantity(CL_TL_C20, CL_TL), decimals, NULL},                                           \
            {"OWL+10", quantity(CL_OWL_C10, CL_OWL), decimals, NULL},                                        \
            {"OWL+20", quantity(CL_OWL_C20, CL_OWL), decimals, NULL},                                        \
            {"DYNCTA+10", quantity(CL_DYNCTA_C10, CL_DYNCTA), decimals, NULL},                               \
            {"DYNCTA+20", quantity(CL_DYNCTA_C20, CL_DYNCTA), decimals, NULL},                               \
    }
#define IDLE_OF(mode, base) NORMALIZED(CLM_IDLE, mode, base)
#define CONFLICTS_OF(mode, base) NORMALIZED(CLM_SCOREBOARD, mode, base)

static const Figure ipc = {
    .name = "ipc",
    .title = "Warp instructions per cycle of the schedulers alone, and their idle cycles upon LRR",
    .columns = {{"LRR", OF(CLM_IPC, CL_LRR), 2, "instructions/cycle"},
                {"TL", OF(CLM_IPC, CL_TL), 2, "instructions/cycle"},
                {"OWL", OF(CLM_IPC, CL_OWL), 2, "instructions/cycle"},
                {"DYNCTA", OF(CLM_IPC, CL_DYNCTA), 2, "instructions/cycle"},
                {"idle LRR", OF(CLM_IDLE_SHARE, CL_LRR), 1, "%"},
                {"idle TL", OF(CLM_IDLE_SHARE, CL_TL), 1, "%"},
                {"idle OWL", OF(CLM_IDLE_SHARE, CL_OWL), 1, "%"},
                {"idle DYNCTA", OF(CLM_IDLE_SHARE, CL_DYNCTA), 1, "%"}},
};
static const Figure figure4 = {
    .name = "figure4",
    .title = "Figure 4. Most over least DRAM accesses served for an SM, mean of ten intervals of 500 cycles",
    .columns = {{"difference", OF(CLM_DIFFERENCE, CL_LRR), 2, "times"}},
    .words = {{"cp", "above 2.5"}, {"nn", "above 2.5"}, {"average", "most benchmarks above 1.2"}},
};
static const Figure figure5 = {
    .name = "figure5",
    .title = "Figure 5. DRAM accesses served directly behind one for the same SM",
    .columns = {{"same core", OF(CLM_SAME_CORE, CL_LRR), 1, "%"}},
    .words = {{"average", "above 30"}},
};
static const Figure figure11 = {
    .name = "figure11",
    .plotted = true,
    .title = "Figure 11. Speedup of CLASO upon LRR",
    .columns = {{"CLASO10", FASTER(CL_LRR_C10, CL_LRR), 1, NULL},
                {"CLASO20", FASTER(CL_LRR_C20, CL_LRR), 1, NULL}},
    .words = {{"aes", "1.1"},
              {"bs", "12.5"},
              {"cp", "26.6"},
              {"mc", "5.1"},
              {"sla", "1.0"},
              {"sp", "26.1"},
              {"average", "8.4"}},
};
static const Figure figure12 = {
    .name = "figure12",
    .plotted = true,
    .title = "Figure 12. Idle cycles (left) and scoreboard conflicts (right) of CLASO over those of LRR",
    .columns = {{"idle 10", IDLE_OF(CL_LRR_C10, CL_LRR), 2, NULL},
                {"idle 20", IDLE_OF(CL_LRR_C20, CL_LRR), 2, NULL},
                {"conflicts 10", CONFLICTS_OF(CL_LRR_C10, CL_LRR), 2, NULL},
                {"conflicts 20", CONFLICTS_OF(CL_LRR_C20, CL_LRR), 2, NULL}},
    .words = {{"cp", "idle 0.075"}, {"sp", "idle 10 0.20, conflicts 10 1.23"}, {"average", "idle 0.476"}},
};
static const Figure figure13 = {
    .name = "figure13",
    .plotted = true,
    .title = "Figure 13. Speedup of CLASO10 and CLASO20 upon TL, OWL and DYNCTA",
    .columns = COMPATIBILITY(FASTER, 1),
    .words = {{"bfs", "DYNCTA+10 2.5, DYNCTA+20 3.7"},
              {"bs", "upon TL 18.3"},
              {"mc", "upon TL 18.0"},
              {"sp", "none upon OWL and DYNCTA"},
              {"average", "upon TL 7.4, OWL 4.4, DYNCTA 3.5"}},
};
static const Figure figure14 = {
    .name = "figure14",
    .title = "Figure 14. Idle cycles of CLASO10 and CLASO20 over those of TL, OWL and DYNCTA alone",
    .columns = COMPATIBILITY(IDLE_OF, 2),
    .words = {{"aes", "more upon OWL with CLASO10"}, {"bfs", "more upon DYNCTA with CLASO10"}},
};
static const Figure figure15 = {
    .name = "figure15",
    .title = "Figure 15. Scoreboard conflicts of CLASO10 and CLASO20 over those of TL, OWL and DYNCTA alone",
    .columns = COMPATIBILITY(CONFLICTS_OF, 2),
    .words = {{"bs", "more"}, {"cp", "more"}, {"st", "more"}},
};
static const Figure figure16 = {
    .name = "figure16",
    .title = "Figure 16. Speedup of CLASO upon LRR by active and loose levels",
    .columns = SENSITIVITY(FASTER_THAN_LRR, 1),
    .words = {{"aes", "CLASO42 0"}, {"lib", "CLASO42 0"}, {"mc", "CLASO42 0"}, {"sla", "CLASO42 0"},
              {"st", "CLASO42 0"},  {"average", "less with more levels, loose ones above all"}},
};
static const Figure figure17a = {
    .name = "figure17a",
    .title = "Figure 17a. Idle cycles of CLASO over those of LRR by active and loose levels",
    .columns = SENSITIVITY(IDLE_OF_LRR, 2),
    .words = {{"average", "more with more levels, loose ones above all"}},
};
static const Figure figure17b = {
    .name = "figure17b",
    .title = "Figure 17b. Scoreboard conflicts of CLASO over those of LRR by active and loose levels",
    .columns = SENSITIVITY(CONFLICTS_OF_LRR, 2),
    .words = {{"average", "fewer with more levels"}},
};

/* -- figure 2: a row for each grid -- */

static Sheet sweep(const Results *results)
{
    Sheet sheet = {.name = "figure2",
                   .title = "Figure 2. Idle cycles of gtx480 by blocks of the grid, % of all"};
    sheet_column_in(&sheet, "blocks", "blocks");
    for (size_t b = 0; b < results->benchmark_count; b++)
        if (claso_is_swept(b) && results_have(results, b))
            sheet_column_in(&sheet, results->benchmark(b), "%");
    if (sheet.column_count == 1)
        return sheet;
    for (size_t g = 0; g < CL_GRIDS; g++) {
        sheet_number(&sheet, claso_grid(g), 0);
        for (size_t b = 0; b < results->benchmark_count; b++)
            if (claso_is_swept(b) && results_have(results, b))
                sheet_number(&sheet,
                             quantity_value(results, (Quantity){CLM_IDLE_SHARE, (int)(CL_GRID + g), ALONE, 0},
                                            b),
                             1);
    }
    return sheet;
}

/* -- figure 3: a row for each length of time, a column for each SM -- */

static const RunResult *profiled(const Results *results)
{
    for (size_t b = 0; b < results->benchmark_count; b++)
        if (strcmp(results->benchmark(b), "sp") == 0)
            return results_at(results, b, CL_LRR);
    return NULL;
}

static Sheet profile(const Results *results, ClasoProfile which)
{
    static const char *const names[] = {"figure3a", "figure3b", "figure3c"};
    static const char *const titles[] = {
        "Figure 3a. SP upon LRR: instructions executed per 500 cycles, by SM, up to each cycle",
        "Figure 3b. SP upon LRR: blocks issued by SM, up to each cycle",
        "Figure 3c. SP upon LRR: blocks finished by SM, up to each cycle"};
    static const char *const columns[CL_SHOWN] = {"0", "1", "2",  "3",  "4",  "5",  "6", "7",
                                                  "8", "9", "10", "11", "12", "13", "14"};
    Sheet sheet = {.name = names[which], .title = titles[which]};
    const RunResult *run = profiled(results);
    sheet_column_in(&sheet, "cycle", "cycles");
    for (size_t sm = 0; run && sm < (size_t)run->samples[CL_SHOWN_SMS]; sm++)
        sheet_column(&sheet, columns[sm]);
    for (size_t row = 0; run && row < (size_t)run->samples[CL_ROW_COUNT]; row++) {
        const double end = (double)(row + 1) * run->samples[CL_ROW_CYCLES];
        sheet_number(&sheet, end < (double)run->cycles ? end : (double)run->cycles, 0);
        for (size_t sm = 0; sm < (size_t)run->samples[CL_SHOWN_SMS]; sm++)
            sheet_number(&sheet, run->samples[claso_profile_at(which, row, sm)], 0);
    }
    return sheet;
}

/* -- hardware [3.3] -- */

static Sheet hardware(const Results *results)
{
    static const struct {
        const char *name, *policy, *published;
        const PolicyKind *kind;
    } rows[] = {
        {"CLASO", "claso", "a register for each SM and one more, for each concurrent kernel", &admit_policies},
        {"DYNCTA", "dyncta", "", &admit_policies},
        {"TL", "two-level", "", &sched_policies},
        {"OWL", "owl", "", &sched_policies},
    };
    Sheet sheet = {.name = "hardware", .title = "Hardware [3.3]: state that each mechanism adds to the GPU"};
    sheet_column(&sheet, "mechanism");
    sheet_column_in(&sheet, "bits", "bits");
    sheet_column_in(&sheet, "bytes", "bytes");
    sheet_column(&sheet, "published");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t bits = policy_state_bits(rows[i].kind, rows[i].policy, &results->config);
        sheet_text(&sheet, rows[i].name);
        sheet_number(&sheet, (double)bits, 0);
        sheet_number(&sheet, (double)bits_bytes(bits), 0);
        sheet_text(&sheet, rows[i].published);
    }
    return sheet;
}

Sheet claso_figure(const Results *results, size_t index)
{
    static const Figure *const figures[] = {&figure4,  &figure5,  &figure11, &figure12,  &figure13, &figure14,
                                            &figure15, &figure16, &figure17a, &figure17b};
    enum { FIGURES = sizeof figures / sizeof *figures, FIRST = 5 };
    _Static_assert(FIRST + FIGURES + 1 == CLASO_FIGURES, "the last one is the hardware");
    if (index == 0)
        return figure_sheet(&ipc, results);
    if (index == 1)
        return sweep(results);
    if (index < FIRST)
        return profile(results, (ClasoProfile)(index - 2));
    return index < FIRST + FIGURES ? figure_sheet(figures[index - FIRST], results) : hardware(results);
}

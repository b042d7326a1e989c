/* The paper's figures as tables, with what its prose says of them beside the benchmarks. */
#include "papers/dtbl.h"

#define FLAT DTBL_FLAT
#define CDPI DTBL_CDP_IDEAL
#define DTBLI DTBL_DTBL_IDEAL
#define CDP DTBL_CDP
#define DTBL DTBL_DTBL

/* "A over B" of cycles is B's speedup over A. */
static const Figure figures[] = {
    {.name = "cycles",
     .title = "Cycles of all kernels that the host launches",
     .unit = "cycles",
     .columns = {{"flat", {METRIC_CYCLES, FLAT, ALONE, 0}, 0},
                 {"CDPI", {METRIC_CYCLES, CDPI, ALONE, 0}, 0},
                 {"DTBLI", {METRIC_CYCLES, DTBLI, ALONE, 0}, 0},
                 {"CDP", {METRIC_CYCLES, CDP, ALONE, 0}, 0},
                 {"DTBL", {METRIC_CYCLES, DTBL, ALONE, 0}, 0},
                 {"DTBL512", {METRIC_CYCLES, DTBL_DTBL_512, ALONE, 0}, 0},
                 {"DTBL2048", {METRIC_CYCLES, DTBL_DTBL_2048, ALONE, 0}, 0},
                 {"lines", {METRIC_CYCLES, DTBL_LINES, ALONE, 0}, 0},
                 {"fallback", {METRIC_CYCLES, DTBL_FALLBACK, ALONE, 0}, 0},
                 {"CDPonce", {METRIC_CYCLES, DTBL_CDP_AT_ONCE, ALONE, 0}, 0},
                 {"CDPedges", {METRIC_CYCLES, DTBL_CDP_EDGES, ALONE, 0}, 0}},
     .without_average = true},
    {.name = "figure6",
     .plotted = true,
     .title = "Figure 6. Warp activity: active threads of a warp, %, and its rise over flat in points and in "
              "percent",
     .unit = "% of a warp",
     .columns = {{"flat", {METRIC_ACTIVITY, FLAT, ALONE, 0}, 1},
                 {"CDP", {METRIC_ACTIVITY, CDP, ALONE, 0}, 1},
                 {"DTBL", {METRIC_ACTIVITY, DTBL, ALONE, 0}, 1},
                 {"CDP points", {METRIC_ACTIVITY, CDP, POINTS, FLAT}, 1},
                 {"DTBL points", {METRIC_ACTIVITY, DTBL, POINTS, FLAT}, 1},
                 {"CDP percent", {METRIC_ACTIVITY, CDP, RISE, FLAT}, 1},
                 {"DTBL percent", {METRIC_ACTIVITY, DTBL, RISE, FLAT}, 1}},
     .words = {{"amr", "CDP points 45.3, DTBL points 45.3"},
               {"join_gaussian", "CDP points 21.3, DTBL points 21.3"},
               {"clr_graph500", "no obvious change"},
               {"clr_cage15", "CDP points -5.9, DTBL points -5.9"},
               {"average", "CDP points 10.7, DTBL points 10.7"}}},
    {.name = "figure7",
     .plotted = true,
     .title = "Figure 7. DRAM efficiency: reads and writes in a tick of a channel that has a request",
     .unit = "accesses a tick",
     .columns = {{"flat", {METRIC_DRAM, FLAT, ALONE, 0}, 3},
                 {"CDP", {METRIC_DRAM, CDP, ALONE, 0}, 3},
                 {"DTBL", {METRIC_DRAM, DTBL, ALONE, 0}, 3},
                 {"CDP/flat", {METRIC_DRAM, CDP, OVER, FLAT}, 2},
                 {"DTBL/flat", {METRIC_DRAM, DTBL, OVER, FLAT}, 2},
                 {"DTBL/CDP", {METRIC_DRAM, DTBL, OVER, CDP}, 2}},
     .words = {{"clr_cage15", "one of the two highest rises"},
               {"sssp_cage15", "one of the two highest rises"},
               {"average", "CDP/flat 1.14, DTBL/flat 1.27, DTBL/CDP 1.08"}}},
    {.name = "figure8",
     .plotted = true,
     .title = "Figure 8. SMX occupancy: resident warps of 64, %; what launch latency takes away, in percent",
     .unit = "% of 64 warps",
     .columns = {{"flat", {METRIC_OCCUPANCY, FLAT, ALONE, 0}, 1},
                 {"CDPI", {METRIC_OCCUPANCY, CDPI, ALONE, 0}, 1},
                 {"DTBLI", {METRIC_OCCUPANCY, DTBLI, ALONE, 0}, 1},
                 {"CDP", {METRIC_OCCUPANCY, CDP, ALONE, 0}, 1},
                 {"DTBL", {METRIC_OCCUPANCY, DTBL, ALONE, 0}, 1},
                 {"DTBLI/CDPI", {METRIC_OCCUPANCY, DTBLI, OVER, CDPI}, 2},
                 {"DTBL/CDP", {METRIC_OCCUPANCY, DTBL, OVER, CDP}, 2},
                 {"CDP loss", {METRIC_OCCUPANCY, CDP, REDUCTION, CDPI}, 1},
                 {"DTBL loss", {METRIC_OCCUPANCY, DTBL, REDUCTION, DTBLI}, 1}},
     .words = {{"bht", "DTBLI/CDPI 1.38, the highest"},
               {"regx_string", "DTBLI/CDPI 1.14, DTBL/CDP 1.48"},
               {"pre_movielens", "DTBLI/CDPI 1.01"},
               {"average", "DTBLI/CDPI 1.24, CDP loss 13.5, DTBL loss 7.6"}}},
    {.name = "figure9",
     .plotted = true,
     .title = "Figure 9. Waiting time: cycles from a launch to its first block, mean over launches; its "
              "reduction, %",
     .unit = "cycles",
     .columns = {{"CDPI", {METRIC_WAIT, CDPI, ALONE, 0}, 0},
                 {"DTBLI", {METRIC_WAIT, DTBLI, ALONE, 0}, 0},
                 {"CDP", {METRIC_WAIT, CDP, ALONE, 0}, 0},
                 {"DTBL", {METRIC_WAIT, DTBL, ALONE, 0}, 0},
                 {"DTBLI from CDPI", {METRIC_WAIT, DTBLI, REDUCTION, CDPI}, 1},
                 {"DTBL from CDP", {METRIC_WAIT, DTBL, REDUCTION, CDP}, 1}},
     .words = {{"clr_graph500", "little change by latency"},
               {"regx_string", "DTBL from CDP 41.8, the highest"},
               {"pre_movielens", "DTBLI from CDPI: little"},
               {"join_uniform", "DTBLI from CDPI: little"},
               {"average", "DTBLI from CDPI 18.8, DTBL from CDP 24.1"}}},
    {.name = "figure10",
     .title = "Figure 10. Memory footprint: most bytes reserved for launches that have not begun; its "
              "reduction, %",
     .unit = "bytes",
     .columns = {{"CDP", {METRIC_FOOTPRINT, CDP, ALONE, 0}, 0},
                 {"DTBL", {METRIC_FOOTPRINT, DTBL, ALONE, 0}, 0},
                 {"DTBL from CDP", {METRIC_FOOTPRINT, DTBL, REDUCTION, CDP}, 1}},
     .words = {{"clr_graph500", "none"},
               {"regx_string", "DTBL from CDP 51.2"},
               {"average", "DTBL from CDP 25.6"}}},
    {.name = "figure11",
     .plotted = true,
     .title = "Figure 11. Speedup over flat",
     .columns = {{"CDPI", {METRIC_CYCLES, FLAT, OVER, CDPI}, 2},
                 {"DTBLI", {METRIC_CYCLES, FLAT, OVER, DTBLI}, 2},
                 {"CDP", {METRIC_CYCLES, FLAT, OVER, CDP}, 2},
                 {"DTBL", {METRIC_CYCLES, FLAT, OVER, DTBL}, 2},
                 {"DTBL/CDP", {METRIC_CYCLES, CDP, OVER, DTBL}, 2}},
     .words = {{"bfs_usa_road", "DTBL: very little change"},
               {"clr_graph500", "DTBL 0.97"},
               {"regx_string", "CDPI 2.73, DTBLI 3.10, DTBL 0.95"},
               {"sssp_flight", "DTBL: very little change"},
               {"average", "CDPI 1.43, DTBLI 1.63, CDP 1/1.16, DTBL 1.21, DTBL/CDP 1.40"}},
     .geometric = true},
    {.name = "figure12",
     .plotted = true,
     .title = "Figure 12. Speed with a table of so many groups, over that of the DTBL runs (1024)",
     .columns = {{"512", {METRIC_CYCLES, DTBL, OVER, DTBL_DTBL_512}, 3},
                 {"2048", {METRIC_CYCLES, DTBL, OVER, DTBL_DTBL_2048}, 3}},
     .words = {{"bht", "among the more sensitive"},
               {"regx_darpa", "among the more sensitive"},
               {"regx_string", "among the more sensitive"},
               {"average", "512 1/1.31, 2048 1.20"}}},
    {.name = "launches",
     .title = "Launches by kernels: how many, threads of one in whole blocks, and what became of groups, %; "
              "cycles in which the SMX scheduler waits for a group's record, %",
     .columns = {{"CDP", {METRIC_LAUNCHES, CDP, ALONE, 0}, 0, "launches"},
                 {"DTBL", {METRIC_LAUNCHES, DTBL, ALONE, 0}, 0, "launches"},
                 {"CDP threads", {METRIC_THREADS, CDP, ALONE, 0}, 1, "threads"},
                 {"DTBL threads", {METRIC_THREADS, DTBL, ALONE, 0}, 1, "threads"},
                 {"joined", {METRIC_JOINED, DTBL, ALONE, 0}, 1, "%"},
                 {"overflowed", {METRIC_OVERFLOWED, DTBL, ALONE, 0}, 1, "%"},
                 {"scheduler waits", {METRIC_STALL, DTBL, ALONE, 0}, 1, "% of cycles"}},
     .words = {{"bht", "33.4 threads"},
               {"bfs_usa_road", "very few launches"},
               {"pre_movielens", "1527.9 threads"},
               {"sssp_flight", "very few launches"},
               {"average", "around 40 threads; joined 98"}}},
    {.name = "open",
     .title = "What the paper leaves open: DTBL's speedup over flat as above, with records of groups that "
              "are read in lines and ahead, and with groups that take as long as cudaLaunchDevice if they "
              "find no kernel; CDP's speedup as above, with any number of kernels on their way to the "
              "distributor at once, and with 283 edges of clocks, 100 cycles, for 283 cycles there; what "
              "the scheduler waits, records in lines, and groups that join where they take long if they do "
              "not, %",
     .columns = {{"DTBL", {METRIC_CYCLES, FLAT, OVER, DTBL}, 2},
                 {"lines", {METRIC_CYCLES, FLAT, OVER, DTBL_LINES}, 2},
                 {"fallback", {METRIC_CYCLES, FLAT, OVER, DTBL_FALLBACK}, 2},
                 {"CDP", {METRIC_CYCLES, FLAT, OVER, CDP}, 2},
                 {"CDP at once", {METRIC_CYCLES, FLAT, OVER, DTBL_CDP_AT_ONCE}, 2},
                 {"CDP edges", {METRIC_CYCLES, FLAT, OVER, DTBL_CDP_EDGES}, 2},
                 {"lines: waits", {METRIC_STALL, DTBL_LINES, ALONE, 0}, 1, "% of cycles"},
                 {"fallback: joined", {METRIC_JOINED, DTBL_FALLBACK, ALONE, 0}, 1, "%"}},
     .words = {{"average", "DTBL 1.21"}},
     .geometric = true},
    {.name = "chip",
     .title = "The real chip (k20c) instead of the machine that the authors simulated (k20c-dtbl): its speed "
              "if flat over that here, speedups over flat, and DRAM efficiency",
     .columns = {{"flat", {METRIC_CYCLES, FLAT, OVER, DTBL_CHIP}, 2},
                 {"CDPI", {METRIC_CYCLES, DTBL_CHIP, OVER, DTBL_CHIP_CDP_IDEAL}, 2},
                 {"DTBLI", {METRIC_CYCLES, DTBL_CHIP, OVER, DTBL_CHIP_DTBL_IDEAL}, 2},
                 {"CDP", {METRIC_CYCLES, DTBL_CHIP, OVER, DTBL_CHIP_CDP}, 2},
                 {"DTBL", {METRIC_CYCLES, DTBL_CHIP, OVER, DTBL_CHIP_DTBL}, 2},
                 {"DTBL/CDP", {METRIC_CYCLES, DTBL_CHIP_CDP, OVER, DTBL_CHIP_DTBL}, 2},
                 {"DRAM, flat", {METRIC_DRAM, DTBL_CHIP, ALONE, 0}, 3, "accesses a tick"},
                 {"DRAM, DTBL/flat", {METRIC_DRAM, DTBL_CHIP_DTBL, OVER, DTBL_CHIP}, 2}},
     .words = {{"average", "CDPI 1.43, DTBLI 1.63, CDP 1/1.16, DTBL 1.21, DTBL/CDP 1.40"}},
     .geometric = true},
};

/* Whether any benchmark has run on the real chip. */
bool dtbl_has_chip(const Results *results)
{
    bool has = false;
    for (size_t i = 0; i < results->benchmark_count; i++)
        has = has || results_at(results, i, DTBL_CHIP);
    return has;
}

/* Empty, and so not shown, if nothing ran there. */
static Sheet chip_sheet(const Results *results)
{
    const Figure *figure = &figures[sizeof figures / sizeof *figures - 1];
    return dtbl_has_chip(results) ? figure_sheet(figure, results)
                                  : (Sheet){.name = figure->name, .title = figure->title};
}

Sheet dtbl_figure(const Results *results, size_t index)
{
    enum { FIGURES = sizeof figures / sizeof *figures, LEVELS = FIGURES + 1, CHOICES };
    _Static_assert(CHOICES + 1 == DTBL_FIGURES, "each table has its number");
    switch (index) {
    case 0:
        return dtbl_inputs(results);
    case FIGURES:
        return chip_sheet(results);
    case LEVELS:
        return dtbl_levels(results);
    case CHOICES:
        return dtbl_choices(results);
    default:
        return figure_sheet(&figures[index - 1], results);
    }
}

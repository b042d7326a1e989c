/* The inputs as a table: how many threads look for work, and how uneven it is. */
#include "papers/dtbl.h"

#include <math.h>

#include "papers/study.h"

static void add_row(Sheet *sheet, const DtblBenchmark *benchmark, const DtblShape *shape)
{
    const double lists = (double)shape->lists, elements = (double)shape->elements;
    sheet_text(sheet, benchmark->name);
    sheet_number(sheet, (double)shape->threads, 0);
    sheet_number(sheet, quotient(elements, lists), 1);
    sheet_number(sheet, shape->lists ? (double)shape->longest : NAN, 0);
    sheet_number(sheet, quotient((double)shape->longest * lists, elements), 1);
    sheet_number(sheet, quotient(100.0 * (double)shape->longest, elements), 3);
    sheet_text(sheet, shape->is_real ? "from a file" : "by chance");
}

Sheet dtbl_inputs(const Results *results)
{
    static const char *const columns[] = {"threads",      "mean list", "longest list",
                                          "longest/mean", "share, %",  "made"};
    char data[4096];
    paper_data("workloads/data", data, sizeof data);
    const PaperOptions *options = results->options;
    Sheet sheet = {.name = "inputs",
                   .title = "Inputs: threads that look for work at once, at most, and the lists of elements "
                            "that each goes through alone if flat; share of the longest in all elements"};
    sheet_column(&sheet, "benchmark");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        sheet_column(&sheet, columns[i]);
    for (size_t i = 0; i < results->benchmark_count; i++) {
        const DtblRun run = {.size = results->size,
                             .seed = options ? options->seed : 0,
                             .graph = options ? options->graph : NULL,
                             .data = data};
        DtblShape shape;
        Host host;
        if (results_have(results, i) && dtbl_describe(&dtbl_benchmarks[i], &run, &shape, &host))
            add_row(&sheet, &dtbl_benchmarks[i], &shape);
    }
    return sheet;
}

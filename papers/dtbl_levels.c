/* Levels that the paper does not print but implies: a rise that is given in points and as a ratio has one
 * level that it starts from. Beside them are ours. */
#include "papers/dtbl.h"

#include <math.h>

/* "17.9 or 1.24x": the higher quantity is that many points and that many times above the lower. */
typedef struct Pair {
    const char *what, *benchmark; /* null: the average */
    double points, ratio;
    int metric, decimals;
    DtblMode lower, higher;
} Pair;

static const Pair pairs[] = {
    {"occupancy, CDPI to DTBLI", NULL, 17.9, 1.24, METRIC_OCCUPANCY, 1, DTBL_CDP_IDEAL, DTBL_DTBL_IDEAL},
    {"occupancy, CDPI to DTBLI", "bht", 24.6, 1.38, METRIC_OCCUPANCY, 1, DTBL_CDP_IDEAL, DTBL_DTBL_IDEAL},
    {"occupancy, CDPI to DTBLI", "regx_string", 11.2, 1.14, METRIC_OCCUPANCY, 1, DTBL_CDP_IDEAL,
     DTBL_DTBL_IDEAL},
    {"occupancy, CDP to DTBL", "regx_string", 25.4, 1.48, METRIC_OCCUPANCY, 1, DTBL_CDP, DTBL_DTBL},
    {"DRAM efficiency, flat to CDP", NULL, 0.029, 1.14, METRIC_DRAM, 3, DTBL_FLAT, DTBL_CDP},
    {"DRAM efficiency, flat to DTBL", NULL, 0.053, 1.27, METRIC_DRAM, 3, DTBL_FLAT, DTBL_DTBL},
    {"DRAM efficiency, CDP to DTBL", NULL, 0.022, 1.08, METRIC_DRAM, 3, DTBL_CDP, DTBL_DTBL},
};

static double level(const Results *results, const Pair *pair, DtblMode mode)
{
    const Quantity quantity = {pair->metric, (int)mode, ALONE, 0};
    if (!pair->benchmark)
        return quantity_mean(results, quantity);
    for (size_t i = 0; i < results->benchmark_count; i++)
        if (results->benchmark(i) == dtbl_find(pair->benchmark)->name)
            return quantity_value(results, quantity, i);
    return NAN;
}

Sheet dtbl_levels(const Results *results)
{
    static const char *const columns[] = {
        "of", "points", "ratio", "implied lower", "implied higher", "measured lower", "measured higher"};
    Sheet sheet = {.name = "levels",
                   .title = "Levels that the paper implies: points / (ratio - 1), and ratio times that"};
    sheet_column(&sheet, "quantity");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        sheet_column(&sheet, columns[i]);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const Pair *pair = &pairs[i];
        const double lower = pair->points / (pair->ratio - 1);
        sheet_text(&sheet, pair->what);
        sheet_text(&sheet, pair->benchmark ? pair->benchmark : "average");
        sheet_number(&sheet, pair->points, pair->decimals);
        sheet_number(&sheet, pair->ratio, 2);
        sheet_number(&sheet, lower, pair->decimals);
        sheet_number(&sheet, lower * pair->ratio, pair->decimals);
        sheet_number(&sheet, level(results, pair, pair->lower), pair->decimals);
        sheet_number(&sheet, level(results, pair, pair->higher), pair->decimals);
    }
    return sheet;
}

/* Figures 15 and 18 as the paper draws them: bars of time, split into GPU active and GPU stalled. A program's
 * longest bar is as long as any other's. */
#include "papers/channels.h"

#include <math.h>
#include <string.h>

enum { LENGTH = 60, MOST_BARS = 6 };

typedef struct Bar {
    const char *label;
    ChannelsPaperMode mode;
} Bar;

typedef struct Bars {
    const char *name, *title, *what;
    Bar bars[MOST_BARS]; /* a null label behind the last one */
} Bars;

static const Bars charts[CHANNELS_BARS] = {
    {"figure15_bars",
     "Figure 15, drawn. Time by CUs: # GPU active, - GPU stalled",
     "CUs",
     {{"1", CH_CU1}, {"2", CH_CU2}, {"4", CH_CU4}, {"8", CH_BASE}}},
    {"figure18_bars",
     "Figure 18, drawn. Time by width of channels: # GPU active, - GPU stalled",
     "width",
     {{"256", CH_WIDTH_256},
      {"1024", CH_WIDTH_1024},
      {"4096", CH_WIDTH_4096},
      {"16384", CH_WIDTH_16384},
      {"65536", CH_WIDTH_65536},
      {"usual", CH_BASE}}},
};

static double part(const Results *results, ChannelsMetric metric, const Bar *bar, size_t benchmark)
{
    return quantity_value(results, (Quantity){(int)metric, (int)bar->mode, ALONE, 0}, benchmark);
}

static size_t bar_count(const Bars *chart)
{
    size_t count = 0;
    while (count < MOST_BARS && chart->bars[count].label)
        count++;
    return count;
}

/* Of the bars that there are. */
static double longest_of(const Results *results, const Bars *chart, size_t benchmark)
{
    double longest = 0;
    for (size_t i = 0; i < bar_count(chart); i++)
        longest = fmax(longest, part(results, CHM_ACTIVE_TIME, &chart->bars[i], benchmark) +
                                    part(results, CHM_STALLED_TIME, &chart->bars[i], benchmark));
    return longest;
}

/* A part that is there has a character at least. */
static size_t length_of(double time, double longest)
{
    const double length = round(LENGTH * quotient(time, longest));
    return isnan(length) || time <= 0 ? 0 : (size_t)fmax(length, 1);
}

static void draw(const Results *results, const Bar *bar, size_t benchmark, double longest, char *text)
{
    const size_t active = length_of(part(results, CHM_ACTIVE_TIME, bar, benchmark), longest);
    const size_t stalled = length_of(part(results, CHM_STALLED_TIME, bar, benchmark), longest);
    memset(text, '#', active);
    memset(text + active, '-', stalled);
    text[active + stalled] = '\0';
}

Sheet channels_bars(const Results *results, size_t index)
{
    const Bars *chart = &charts[index];
    Sheet sheet = {.name = chart->name, .title = chart->title};
    sheet_column(&sheet, "benchmark");
    sheet_column(&sheet, chart->what);
    sheet_column(&sheet, "time");
    for (size_t b = 0; b < results->benchmark_count; b++) {
        const double longest = results_have(results, b) ? longest_of(results, chart, b) : 0;
        for (size_t i = 0; i < bar_count(chart) && results_have(results, b); i++) {
            char text[2 * LENGTH + 3];
            draw(results, &chart->bars[i], b, longest, text);
            sheet_text(&sheet, i ? "" : results->benchmark(b));
            sheet_text(&sheet, chart->bars[i].label);
            sheet_text(&sheet, text);
        }
    }
    return sheet;
}

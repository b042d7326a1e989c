/* The lines at which warps spent most of their time, for people: summed over all kernels, of all GPUs, issues
 * and waits together, the most first, and only the first ten. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "base/printable.h"
#include "base/terminal.h"
#include "report/ratio.h"

/* What stands before the text of a line takes BEFORE_TEXT columns. */
enum { SHOWN = 10, TEXT_WIDTH = 52, PLACE_WIDTH = 24, BEFORE_TEXT = 26 + PLACE_WIDTH };

/* A line, and the GPU whose files it is numbered by. `file` is its file among those of all GPUs. */
typedef struct PlacedLine {
    LineRecord line;
    const WbGpu *gpu;
    uint32_t file;
} PlacedLine;

typedef VEC(PlacedLine) PlacedLines;
typedef VEC(const char *) FileNames;

/* Cycles of warps: each issue is one. */
static uint64_t spent(const LineRecord *line) { return line->counts.issued + line_waited(line); }

static int by_place(const void *a, const void *b)
{
    const PlacedLine *one = a, *other = b;
    if (one->file != other->file)
        return one->file < other->file ? -1 : 1;
    return (one->line.line > other->line.line) - (one->line.line < other->line.line);
}

/* Most first; of equal ones in the order of files and lines. */
static int by_cycles(const void *a, const void *b)
{
    const PlacedLine *one = a, *other = b;
    const uint64_t first = spent(&one->line), second = spent(&other->line);
    return first != second ? (first < second ? 1 : -1) : by_place(a, b);
}

static const char *name_of(const WbGpu *gpu, uint32_t file) { return gpu->sources.files.items[file].name; }

static uint32_t place_of(FileNames *names, const char *name)
{
    uint32_t i = 0;
    while (i < names->count && strcmp(names->items[i], name) != 0)
        i++;
    if (i == names->count)
        VEC_PUSH(names, name);
    return i;
}

static void add_lines(const WbGpu *gpu, FileNames *names, PlacedLines *lines)
{
    VEC(uint32_t) places = {0};
    for (uint32_t i = 0; i < gpu->sources.files.count; i++)
        VEC_PUSH(&places, place_of(names, name_of(gpu, i)));
    for (uint32_t r = 0; r < gpu->records.count; r++)
        for (uint32_t i = 0; i < gpu->records.items[r]->line_count; i++) {
            const LineRecord *line = &gpu->records.items[r]->lines[i];
            VEC_PUSH(lines, ((PlacedLine){*line, gpu, places.items[line->file]}));
        }
    VEC_FREE(&places);
}

/* Lines of all records, each once. */
static PlacedLines merge_lines(const System *system)
{
    PlacedLines lines = {0};
    FileNames names = {0};
    FOR_GPUS(gpu, system)
        add_lines(gpu, &names, &lines);
    VEC_FREE(&names);
    const uint32_t all = lines.count;
    if (all)
        qsort(lines.items, all, sizeof *lines.items, by_place);
    lines.count = 0;
    for (uint32_t i = 0; i < all; i++) {
        PlacedLine *last = lines.count ? &lines.items[lines.count - 1] : NULL;
        if (!last || by_place(last, &lines.items[i]) != 0) {
            lines.items[lines.count++] = lines.items[i];
            continue;
        }
        last->line.counts.issued += lines.items[i].line.counts.issued;
        for (unsigned wait = 0; wait < WAIT_COUNT; wait++)
            last->line.counts.waited[wait] += lines.items[i].line.counts.waited[wait];
    }
    return lines;
}

/* What the warps did there most: "memory 92%". */
static void put_reason(const LineRecord *line, FILE *to)
{
    const char *name = "issue";
    uint64_t most = line->counts.issued;
    char figure[RATIO_TEXT_SIZE], text[64];
    for (unsigned wait = 0; wait < WAIT_COUNT; wait++) {
        if (line->counts.waited[wait] <= most)
            continue;
        most = line->counts.waited[wait];
        name = wait_name((Wait)wait);
    }
    snprintf(text, sizeof text, "%s %s%%", name, ratio_text((Ratio){most, spent(line)}, 100, 0, figure));
    fprintf(to, "  %-12s", text);
}

static void put_line(const PlacedLine *placed, uint64_t all, FILE *to)
{
    const LineRecord *line = &placed->line;
    const char *name = name_of(placed->gpu, line->file), *last = strrchr(name, '/');
    char figure[RATIO_TEXT_SIZE], place[512], source[TEXT_WIDTH + 1], shown[PRINTABLE_NAME_SIZE];
    size_t length = 0;
    const char *text = line_text(&placed->gpu->sources, line, &length);
    snprintf(place, sizeof place, "%.480s:%u", printable_name(last ? last + 1 : name, shown), line->line);
    fprintf(to, "  %5s%%  %-*s", ratio_text((Ratio){spent(line), all}, 100, 1, figure), PLACE_WIDTH, place);
    put_reason(line, to);
    const size_t room = terminal_columns(to) - BEFORE_TEXT, most = room < TEXT_WIDTH ? room : TEXT_WIDTH;
    snprintf(source, sizeof source, "%.*s", (int)(length < most ? length : most), text ? text : "");
    fprintf(to, "  %s\n", printable_text(source, true, shown, sizeof shown));
}

void report_lines(const WbGpu *gpu, FILE *to)
{
    PlacedLines lines = merge_lines(gpu->system);
    uint64_t all = 0;
    for (uint32_t i = 0; i < lines.count; i++)
        all += spent(&lines.items[i].line);
    if (lines.count) {
        qsort(lines.items, lines.count, sizeof *lines.items, by_cycles);
        report_wrapped("where warps spent their time, by line; what for most; the line:", 2, to);
    }
    for (uint32_t i = 0; i < lines.count && i < SHOWN; i++)
        put_line(&lines.items[i], all, to);
    if (lines.count > SHOWN)
        fprintf(to, "  and %u lines more\n", lines.count - SHOWN);
    VEC_FREE(&lines);
}

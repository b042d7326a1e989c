/* The lines at which warps spent most of their time, for people: summed over all kernels, issues and waits
 * together, the most first, and only the first ten. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "base/printable.h"
#include "base/terminal.h"
#include "report/ratio.h"

/* What stands before the text of a line takes BEFORE_TEXT columns. */
enum { SHOWN = 10, TEXT_WIDTH = 52, PLACE_WIDTH = 24, BEFORE_TEXT = 26 + PLACE_WIDTH };

/* Cycles of warps: each issue is one. */
static uint64_t spent(const LineRecord *line) { return line->counts.issued + line_waited(line); }

static int by_place(const void *a, const void *b)
{
    const LineRecord *one = a, *other = b;
    if (one->file != other->file)
        return one->file < other->file ? -1 : 1;
    return (one->line > other->line) - (one->line < other->line);
}

/* Most first; of equal ones in the order of files and lines. */
static int by_cycles(const void *a, const void *b)
{
    const uint64_t one = spent(a), other = spent(b);
    return one != other ? (one < other ? 1 : -1) : by_place(a, b);
}

/* Lines of all records, each once. */
static LineRecord *merge_lines(const WbGpu *gpu, uint32_t *count)
{
    VEC(LineRecord) lines = {0};
    for (uint32_t r = 0; r < gpu->records.count; r++)
        for (uint32_t i = 0; i < gpu->records.items[r]->line_count; i++)
            VEC_PUSH(&lines, gpu->records.items[r]->lines[i]);
    *count = 0;
    if (lines.count)
        qsort(lines.items, lines.count, sizeof *lines.items, by_place);
    for (uint32_t i = 0; i < lines.count; i++) {
        LineRecord *last = *count ? &lines.items[*count - 1] : NULL;
        if (!last || by_place(last, &lines.items[i]) != 0) {
            lines.items[(*count)++] = lines.items[i];
            continue;
        }
        last->counts.issued += lines.items[i].counts.issued;
        for (unsigned wait = 0; wait < WAIT_COUNT; wait++)
            last->counts.waited[wait] += lines.items[i].counts.waited[wait];
    }
    return lines.items;
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

static void put_line(const WbGpu *gpu, const LineRecord *line, uint64_t all, FILE *to)
{
    const char *name = gpu->sources.files.items[line->file].name, *last = strrchr(name, '/');
    char figure[RATIO_TEXT_SIZE], place[512], source[TEXT_WIDTH + 1], shown[PRINTABLE_NAME_SIZE];
    size_t length = 0;
    const char *text = line_text(&gpu->sources, line, &length);
    snprintf(place, sizeof place, "%.480s:%u", printable_name(last ? last + 1 : name, shown), line->line);
    fprintf(to, "  %5s%%  %-*s", ratio_text((Ratio){spent(line), all}, 100, 1, figure), PLACE_WIDTH, place);
    put_reason(line, to);
    const size_t room = terminal_columns(to) - BEFORE_TEXT, most = room < TEXT_WIDTH ? room : TEXT_WIDTH;
    snprintf(source, sizeof source, "%.*s", (int)(length < most ? length : most), text ? text : "");
    fprintf(to, "  %s\n", printable_text(source, true, shown, sizeof shown));
}

void report_lines(const WbGpu *gpu, FILE *to)
{
    uint32_t count;
    LineRecord *lines = merge_lines(gpu, &count);
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += spent(&lines[i]);
    if (count) {
        qsort(lines, count, sizeof *lines, by_cycles);
        report_wrapped("where warps spent their time, by line; what for most; the line:", 2, to);
    }
    for (uint32_t i = 0; i < count && i < SHOWN; i++)
        put_line(gpu, &lines[i], all, to);
    if (count > SHOWN)
        fprintf(to, "  and %u lines more\n", count - SHOWN);
    xfree(lines);
}

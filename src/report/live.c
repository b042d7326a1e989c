/* The line that shows how far a run is. Rates are those of the last few seconds, between two samples that
 * move along; estimates are made from the first sample of what is estimated. What does not fit into a line is
 * left out in the order of `rank`, and never cut. */
#include "report/live.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "base/plain_name.h"
#include "base/terminal.h"

/* Between plain lines; of the samples that rates are made of. */
#define LINE_SECONDS 5.0
#define SAMPLE_SECONDS 2.0
/* What an estimate is made of at least. */
#define LEAST_SECONDS 0.5
enum { NARROW = 80, WIDEST = 400, NAME_WIDTH = 40, BAR_WIDTH = 30, NUMBER_SIZE = 40 };

bool live_style(const char *wanted, FILE *to, LiveStyle *style)
{
    const LiveStyle shown = terminal_can_redraw(to) ? LIVE_REDRAWN : LIVE_LINES;
    if (!wanted || strcmp(wanted, "auto") == 0)
        *style = terminal_is(to) ? shown : LIVE_NEVER;
    else if (strcmp(wanted, "always") == 0)
        *style = shown;
    else if (strcmp(wanted, "never") == 0)
        *style = LIVE_NEVER;
    else
        return false;
    return true;
}

/* The last column stays free: some terminals wrap there. */
static size_t columns_of(FILE *to)
{
    const unsigned width = terminal_width(to);
    const size_t columns = width ? width : (size_t)NARROW;
    return columns - 1 < WIDEST ? columns - 1 : WIDEST;
}

/* "12", "3.4k", "56.7M" */
static void put_number(char *text, size_t size, double value)
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    unsigned unit = 0;
    while (value >= 999.5 && unit < 4) {
        value /= 1000;
        unit++;
    }
    snprintf(text, size, unit && value < 99.95 ? "%.1f%s" : "%.0f%s", value, units[unit]);
}

/* "0:07", "1:02:03" */
static void put_time(char *text, size_t size, double seconds)
{
    const uint64_t whole = seconds < 1e9 ? (uint64_t)(seconds + 0.5) : 1000000000;
    if (whole < 3600)
        snprintf(text, size, "%" PRIu64 ":%02u", whole / 60, (unsigned)(whole % 60));
    else
        snprintf(text, size, "%" PRIu64 ":%02u:%02u", whole / 3600, (unsigned)(whole / 60 % 60),
                 (unsigned)(whole % 60));
}

/* -- what is known -- */

/* How much is done: of all kernels, where somebody said how many there will be, else of those that run. */
static double work_done(const WbProgress *now)
{
    const double blocks = now->blocks ? (double)now->blocks_ended / (double)now->blocks : 0;
    return now->launches_expected ? (double)now->launches_done + blocks : blocks;
}

/* False: nothing has been done yet to judge by, or nobody knows what there is to do, as kernels that launch
 * do not say how often they will. */
static bool seconds_left(const Live *live, const WbProgress *now, double *seconds)
{
    const double total = now->launches_expected ? (double)now->launches_expected : 1;
    const double before = work_done(&live->first), done = work_done(now);
    const double spent = now->seconds - live->first.seconds;
    if (now->device_launches || spent < LEAST_SECONDS || done <= before || done >= total)
        return false;
    /* What is left takes as long, in proportion, as what has been done since the first sample. */
    *seconds = spent * (total - done) / (done - before);
    return true;
}

static double rate(uint64_t now, uint64_t then, double seconds)
{
    return seconds > 0 && now > then ? (double)(now - then) / seconds : 0;
}

/* -- the line -- */

/* Parts in the order in which they are shown; those of the highest rank are left out first. */
typedef struct Part {
    char text[96];
    unsigned rank;
} Part;
enum { PART_KERNEL, PART_NAME, PART_BLOCKS, PART_CYCLE, PART_WORK, PART_SPEED, PART_LEFT, PART_COUNT };

static void say_kernel(const WbProgress *now, Part *number, Part *title)
{
    const uint64_t which =
        now->launches_done + 1 < now->launches_known ? now->launches_done + 1 : now->launches_known;
    if (now->launches_expected > 1)
        snprintf(number->text, sizeof number->text, "kernel %" PRIu64 " of %" PRIu64 " ", which,
                 now->launches_expected);
    else if (now->launches_known > 1)
        snprintf(number->text, sizeof number->text, "kernel %" PRIu64 " ", which);
    if (now->kernel) {
        char name[NAME_WIDTH + 1];
        snprintf(title->text, sizeof title->text, "%s: ", plain_name_fit(now->kernel, NAME_WIDTH, name));
    }
}

/* What kernels will still launch is not known, so that there is no share. */
static void say_blocks(const WbProgress *now, Part *part)
{
    if (!now->blocks)
        snprintf(part->text, sizeof part->text, "no kernel runs");
    else if (now->device_launches)
        snprintf(part->text, sizeof part->text,
                 "%" PRIu64 " of %" PRIu64 " blocks so far, %" PRIu64 " launch%s by kernels",
                 now->blocks_ended, now->blocks, now->device_launches, now->device_launches == 1 ? "" : "es");
    else
        snprintf(part->text, sizeof part->text, "%" PRIu64 " of %" PRIu64 " blocks (%u%%)", now->blocks_ended,
                 now->blocks, (unsigned)(100.0 * (double)now->blocks_ended / (double)now->blocks));
}

/* Nothing before there is a time to count in. */
static void say_rates(const Live *live, const WbProgress *now, Part *work, Part *speed)
{
    char number[NUMBER_SIZE];
    const double span = now->seconds - live->earlier.seconds;
    if (span <= 0)
        return;
    put_number(number, sizeof number, rate(now->warp_instructions, live->earlier.warp_instructions, span));
    snprintf(work->text, sizeof work->text, ", %s instr/s", number);
    put_number(number, sizeof number, rate(now->cycles, live->earlier.cycles, span));
    snprintf(speed->text, sizeof speed->text, ", %s cycles/s", number);
}

static void fill_parts(const Live *live, const WbProgress *now, Part *parts)
{
    static const unsigned ranks[PART_COUNT] = {3, 2, 0, 4, 5, 6, 1};
    char number[NUMBER_SIZE];
    double left;
    for (unsigned i = 0; i < PART_COUNT; i++)
        parts[i] = (Part){.rank = ranks[i]};
    say_kernel(now, &parts[PART_KERNEL], &parts[PART_NAME]);
    say_blocks(now, &parts[PART_BLOCKS]);
    put_number(number, sizeof number, (double)now->cycles);
    snprintf(parts[PART_CYCLE].text, sizeof parts->text, ", cycle %s", number);
    say_rates(live, now, &parts[PART_WORK], &parts[PART_SPEED]);
    if (seconds_left(live, now, &left)) {
        put_time(number, sizeof number, left);
        snprintf(parts[PART_LEFT].text, sizeof parts->text, ", about %s left%s", number,
                 now->launches_expected ? "" : " of this kernel");
    }
}

size_t live_describe(const Live *live, const WbProgress *now, char *text, size_t columns)
{
    Part parts[PART_COUNT];
    fill_parts(live, now, parts);
    size_t length = 0;
    for (unsigned i = 0; i < PART_COUNT; i++)
        length += strlen(parts[i].text);
    /* Rank 0, the blocks, always stays. */
    for (unsigned rank = PART_COUNT - 1; length > columns && rank > 0; rank--)
        for (unsigned i = 0; i < PART_COUNT; i++)
            if (parts[i].rank == rank) {
                length -= strlen(parts[i].text);
                parts[i].text[0] = '\0';
            }
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < PART_COUNT && used < columns; i++)
        used += (size_t)snprintf(text + used, columns + 1 - used, "%s", parts[i].text);
    return used < columns ? used : columns;
}

/* -- drawing -- */

void live_clear(Live *live)
{
    if (!live->is_drawn)
        return;
    fputs("\r\033[K", live->to);
    fflush(live->to);
    live->is_drawn = false;
}

static void draw(Live *live, const WbProgress *now)
{
    char text[WIDEST + 1];
    if (live->style == LIVE_REDRAWN) {
        live_describe(live, now, text, columns_of(live->to));
        fprintf(live->to, "\r%s\033[K", text);
        fflush(live->to);
        live->is_drawn = true;
    } else if (live->style == LIVE_LINES && now->seconds >= live->next_line) {
        live_describe(live, now, text, WIDEST);
        fprintf(live->to, "warpbeam: %s\n", text);
        live->next_line = now->seconds + LINE_SECONDS;
    }
}

static void show_snapshot(Live *live)
{
    const size_t size = wb_snapshot(live->gpu, NULL, 0) + 1;
    char *text = malloc(size);
    if (!text)
        return;
    live_clear(live);
    wb_snapshot(live->gpu, text, size);
    fprintf(live->to, "warpbeam: %s", text);
    fflush(live->to);
    free(text);
}

/* Estimates are made for all kernels that are expected, else for one after the other. */
static void take_samples(Live *live, const WbProgress *now)
{
    const bool is_older = now->seconds < live->later.seconds; /* statistics were reset */
    const bool is_next = !now->launches_expected && now->launches_done != live->first.launches_done;
    if (!live->has_begun || is_older || is_next || now->launches_expected != live->first.launches_expected)
        live->first = *now;
    if (!live->has_begun || is_older)
        live->earlier = live->later = *now;
    if (is_older)
        live->next_line = 0;
    live->has_begun = true;
    if (now->seconds - live->later.seconds < SAMPLE_SECONDS)
        return;
    /* Two samples back: the rate is over 2 to 4 seconds, never over an instant. */
    live->earlier = live->later;
    live->later = *now;
}

bool live_look(void *context, const WbProgress *now)
{
    Live *live = context;
    take_samples(live, now);
    if (live->is_asked) {
        live->is_asked = 0;
        show_snapshot(live);
    }
    /* Both are set by signal handlers. */
    if (live->must_stop) {
        live_clear(live);
        return false;
    }
    draw(live, now);
    return true;
}

void live_bar(FILE *to, const char *what, size_t done, size_t count, double seconds)
{
    if (!terminal_can_redraw(to))
        return;
    if (done >= count) {
        fputs("\r\033[K", to);
        fflush(to);
        return;
    }
    char left[NUMBER_SIZE + 32] = "", words[128], text[WIDEST + 1], bar[BAR_WIDTH + 1];
    if (done) {
        char time[NUMBER_SIZE];
        put_time(time, sizeof time, seconds * (double)(count - done) / (double)done);
        snprintf(left, sizeof left, ", about %s left", time);
    }
    snprintf(words, sizeof words, "%zu of %zu %s done%s", done, count, what, left);
    const size_t columns = columns_of(to);
    if (strlen(words) > columns)
        words[strlen(words) - strlen(left)] = '\0';
    const size_t taken = strlen(words) + strlen("[] ");
    const size_t room = columns > taken ? columns - taken : 0, width = room < BAR_WIDTH ? room : BAR_WIDTH;
    for (size_t i = 0; i < width; i++)
        bar[i] = i < done * width / count ? '#' : '.';
    snprintf(text, columns + 1, width ? "[%.*s] %s" : "%.*s%s", (int)width, bar, words);
    fprintf(to, "\r%s\033[K", text);
    fflush(to);
}

/* Synchronization-aware warp scheduling: once a warp is the first of its block at a barrier, its siblings on
 * the SM's other schedulers move up, so that the barrier is cleared soon.
 *
 * Synchronization thesis, chapter 7 (CTA is its word for a block). Every scheduler has a list of its warps by
 * priority; in every cycle the first ready one issues. The promotion algorithm is missing in print [7.2]. It
 * is put together of what the text around it says; each choice stands beside the sentence that it follows.
 *
 *  1. A block's warps stand together in a list and move together; among themselves they are by age. "The
 *     position with timestamp 1 ... is the second CTA position in the array" [7.3]; Figure 52 has each block
 *     once in a list [7.1.3].
 *  2. The scheduler is greedy-then-oldest until the SM's first barrier, and then scans the list "till the
 *     end" [7.3]: until a kernel begins on an empty GPU. The list begins as blocks came. What comes later
 *     goes to its end, as the youngest.
 *  3. The promotion register "is initially set to 1 (indicating that promoted warps are to be inserted after
 *     the first CTA)" [7.2]. Places in front of it are taken: by the first block and by promoted ones. It
 *     never falls below 1, since the first block is never passed by a promotion.
 *  4. A block behind the register moves to its place, and "after each promotion the register will be
 *     increased by 1" [7.3]. One that is exactly there stays and counts as promoted: it is "not moved since
 *     [its warps] are already the second CTA in the list" [7.1.3]. One in front of it has a place already;
 *     nothing changes.
 *  5. The first hit "promotes its sibling warps in SC1" [7.1.3]: in all schedulers but the one that was hit.
 *  6. "If a warp arrives at the barrier and becomes blocked, it is moved to the tail of the list" [7.1.2],
 *     and "when a CTA that has a timestamp value smaller than the promotion register is blocked by a
 *     barrier, the promotion register is decreased by 1" [7.3]. A blocked warp cannot issue, so its place
 *     matters only when the barrier has been cleared. If single warps stayed at the tail then, a block would
 *     be in two places, the last warp to come alone in front; lists as in Figure 52 (d), where a block that
 *     has just cleared a barrier is the head of the list and hits the next one, would not come about. So a
 *     block moves to the tail when all its warps of the scheduler are blocked, and the register falls then.
 *     A block on whose warps of this scheduler the barrier clears keeps its place.
 *  7. The toggle bit, "initially set to true" [7.2], is one for each block: promotion is toggled "on every
 *     other barrier of this CTA" [7.4.3]. The first barrier promotes, the second does not. Without
 *     saws_toggle every barrier promotes.
 *  8. A block that ends gives its place up as one that is blocked does: those behind it move up, the register
 *     with them. The thesis does not say.
 *  9. The synchronization control unit "sends a signal to both schedulers" [7.3]; what it takes is not said.
 *     It arrives saws_signal_cycles after the hit, one by default. A signal whose barrier has been cleared
 *     by then, or whose warps are all blocked, has no effect.
 *
 * What it takes beyond greedy-then-oldest: timestamps become priorities and the greedy pointer the promotion
 * register [7.3], so that only toggle bits, one for each block that a scheduler may have, and a bit that says
 * which of the two policies is on are new. Who is blocked and who is first the barrier unit knows anyway. */
#include "sm/sched/sched.h"

#include <string.h>

#include "base/alloc.h"

#define OWNER sched_saws
#define OWNER_DEF "sm/sched/saws.def"
#include "base/own_counters.h"

extern const WarpScheduler sched_gto; /* until the first barrier */
extern const WarpScheduler sched_saws;

enum { NO_BLOCK = UINT16_MAX, FIRST_REGISTER = 1 };

/* A block's warps of the scheduler. Invariant: there is at least one. Their slots are in the order of their
 * ages. */
typedef struct Entry {
    WarpSet warps;
    uint16_t block;
    bool promotes; /* the toggle bit: its next barrier does */
} Entry;

/* A first hit that the scheduler does not know of yet. */
typedef struct Signal {
    Cycle due;
    uint16_t block;
} Signal;

/* Invariant: list[0..count) is by priority; places in front of `next` are the first block's and those of
 * promoted ones; signals[0..signal_count) are in the order of their times, at most one a block. */
typedef struct Saws {
    Cycle on_at; /* it hears of the SM's first barrier then: greedy-then-oldest before */
    bool toggles;
    bool has_news;   /* there are signals, or `halted` is a block */
    uint16_t halted; /* a warp of it began to wait at a barrier; whether all do has not been looked at */
    uint32_t count;
    uint32_t next; /* the promotion register */
    uint32_t signal_count;
    Cycle delay;
    WarpSet blocked; /* warps that wait at a barrier that has not been cleared */
    Entry list[MAX_WARPS];
    Signal signals[MAX_WARPS];
} Saws;

static void *init(const SchedulerView *view, const GpuConfig *config, uint32_t sm)
{
    (void)view, (void)sm;
    Saws *saws = xcalloc(1, sizeof *saws);
    saws->toggles = config->saws_toggle;
    saws->delay = config->saws_signal_cycles;
    saws->halted = NO_BLOCK;
    saws->next = FIRST_REGISTER;
    saws->on_at = CYCLE_NEVER;
    return saws;
}

static void begin(SchedulerView *view)
{
    Saws *saws = view->state;
    saws->next = FIRST_REGISTER;
    saws->on_at = CYCLE_NEVER;
}

/* -- the list -- */

static uint32_t find(const Saws *saws, uint32_t block)
{
    uint32_t place = 0;
    while (place < saws->count && saws->list[place].block != block)
        place++;
    return place;
}

/* Those between the two places move by one. */
static void move(Saws *saws, uint32_t from, uint32_t to)
{
    Entry *list = saws->list;
    const Entry moved = list[from];
    if (from > to)
        memmove(&list[to + 1], &list[to], (from - to) * sizeof *list);
    else
        memmove(&list[from], &list[from + 1], (to - from) * sizeof *list);
    list[to] = moved;
}

/* The block at that place gives it up: what stands behind it moves up. */
static void give_up(Saws *saws, uint32_t place)
{
    saws->next -= place < saws->next && saws->next > FIRST_REGISTER;
    move(saws, place, saws->count - 1);
}

static bool is_blocked(const Saws *saws, const Entry *entry) { return !(entry->warps & ~saws->blocked); }

static void promote(Saws *saws, uint32_t block, Counters *counters)
{
    const uint32_t place = find(saws, block);
    if (place == saws->count || is_blocked(saws, &saws->list[place]))
        return;
    if (place <= saws->next)
        counters->near++;
    else
        counters->promoted++;
    if (place < saws->next)
        return;
    move(saws, place, saws->next++);
}

/* -- news, in the order in which they happened -- */

static void look_at_halted(SchedulerView *view)
{
    Saws *saws = view->state;
    const uint32_t place = find(saws, saws->halted);
    saws->halted = NO_BLOCK;
    if (place == saws->count || !is_blocked(saws, &saws->list[place]))
        return;
    ((Counters *)view->counters)->demoted++;
    give_up(saws, place);
}

static void drop_signal(Saws *saws, uint32_t number)
{
    saws->signal_count--;
    memmove(&saws->signals[number], &saws->signals[number + 1],
            (saws->signal_count - number) * sizeof *saws->signals);
}

static void drop_signal_of(Saws *saws, uint32_t block)
{
    for (uint32_t i = 0; i < saws->signal_count; i++)
        if (saws->signals[i].block == block)
            drop_signal(saws, i);
}

static void catch_up(SchedulerView *view)
{
    Saws *saws = view->state;
    if (saws->halted != NO_BLOCK)
        look_at_halted(view);
    while (saws->signal_count && saws->signals[0].due <= sched_now(view)) {
        promote(saws, saws->signals[0].block, view->counters);
        drop_signal(saws, 0);
    }
    saws->has_news = saws->signal_count != 0;
}

static uint32_t pick(SchedulerView *view)
{
    Saws *saws = view->state;
    if (saws->has_news)
        catch_up(view);
    if (sched_now(view) < saws->on_at)
        return sched_gto.pick(view);
    const Entry *entry = saws->list;
    while (!(view->ready & entry->warps))
        entry++;
    return warps_first(view->ready & entry->warps);
}

/* -- what the policy is told -- */

static void warp_came(SchedulerView *view, uint32_t warp)
{
    Saws *saws = view->state;
    const uint32_t block = sched_block(view, warp), place = find(saws, block);
    if (place == saws->count)
        saws->list[saws->count++] = (Entry){.block = (uint16_t)block, .promotes = true};
    saws->list[place].warps |= warp_bit(warp);
}

/* The last one to go takes the block's place and signal with it. Others may leave only blocked ones. */
static void warp_went(SchedulerView *view, uint32_t warp)
{
    Saws *saws = view->state;
    const uint32_t block = sched_block(view, warp);
    catch_up(view);
    const uint32_t place = find(saws, block);
    saws->list[place].warps &= ~warp_bit(warp);
    saws->blocked &= ~warp_bit(warp);
    if (saws->list[place].warps) {
        saws->halted = (uint16_t)block;
        saws->has_news = true;
        return;
    }
    give_up(saws, place);
    saws->count--;
    drop_signal_of(saws, block);
}

static void wait_begun(SchedulerView *view, uint32_t warp, Wait wait)
{
    (void)wait;
    Saws *saws = view->state;
    catch_up(view);
    saws->blocked |= warp_bit(warp);
    saws->halted = (uint16_t)sched_block(view, warp);
    saws->has_news = true;
}

static void wait_ended(SchedulerView *view, uint32_t warp, Wait wait)
{
    (void)wait;
    Saws *saws = view->state;
    saws->blocked &= ~warp_bit(warp);
}

static void barrier_reached(SchedulerView *view, uint32_t warp, bool is_first)
{
    Saws *saws = view->state;
    if (!is_first)
        return;
    const bool is_mine = view->mine >> warp & 1;
    const Cycle due = sched_now(view) + (is_mine ? 0 : saws->delay);
    saws->on_at = due < saws->on_at ? due : saws->on_at;
    const uint32_t block = sched_block(view, warp), place = find(saws, block);
    if (place == saws->count)
        return;
    const bool promotes = saws->list[place].promotes || !saws->toggles;
    saws->list[place].promotes ^= true;
    if (is_mine)
        return;
    if (promotes) {
        saws->signals[saws->signal_count++] = (Signal){.due = due, .block = (uint16_t)block};
        saws->has_news = true;
    } else
        ((Counters *)view->counters)->toggled++;
}

/* The warp that clears the barrier has begun to wait in this cycle; its block was not blocked for that. */
static void barrier_cleared(SchedulerView *view, uint32_t block)
{
    Saws *saws = view->state;
    const uint32_t place = find(saws, block);
    if (place == saws->count)
        return;
    if (saws->halted == block)
        saws->halted = NO_BLOCK;
    saws->blocked &= ~saws->list[place].warps;
    drop_signal_of(saws, block);
}

static uint64_t state_bits(const GpuConfig *config)
{
    return config->sm_count * config->schedulers * (config->max_blocks_per_sm + 1);
}

const WarpScheduler sched_saws = {
    .about =
        {
            .name = "saws",
            .description = "Synchronization-aware: warps that others wait for at a barrier move up; "
                           "greedy-then-oldest until the first barrier",
            .source = "Synchronization thesis, chapter 7",
            .counters = &sched_saws_counters,
            .state_bits = state_bits,
        },
    .init = init,
    .free = xfree,
    .begin = begin,
    .pick = pick,
    .warp_came = warp_came,
    .warp_went = warp_went,
    .waits = 1u << WAIT_BARRIER,
    .wait_begun = wait_begun,
    .wait_ended = wait_ended,
    .barrier_reached = barrier_reached,
    .barrier_cleared = barrier_cleared,
};

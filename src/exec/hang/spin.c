/* A warp's state as one number: a hash of its groups, of the registers that decide, and of the barriers of
 * its block. */
#include "exec/hang/spin.h"

#include <string.h>

static const uint64_t odd = 0x9E3779B97F4A7C15u;

static inline uint64_t mix(uint64_t sum, uint64_t value)
{
    /* Multiplying by an odd number loses nothing; the shift brings high bits down to where the next step
     * mixes them. */
    sum = (sum ^ value) * odd;
    return sum ^ sum >> 29;
}

/* Two sums side by side, so that one multiplication need not wait for the other. The second one knows the
 * data alone: whatever they are, different sums before give different sums behind. */
static uint64_t mix_bytes(uint64_t sum, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint64_t even = sum, uneven = size, word[2];
    for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word) {
        memcpy(word, bytes, sizeof word);
        even = mix(even, word[0]);
        uneven = mix(uneven, word[1]);
    }
    memset(word, 0, sizeof word);
    memcpy(word, bytes, size);
    return mix(mix(even, word[0]), mix(uneven, word[1]) + odd);
}

/* Those words and predicates of the frame; `chosen` null: all. */
static uint64_t mix_registers(uint64_t sum, const Warp *warp, const Frame *frame, const SpinRegisters *chosen)
{
    const ProgramFunction *function = &warp->block->launch->program->functions[frame->function];
    if (!chosen) {
        sum = mix_bytes(sum, frame->words, (size_t)function->slot_count * warp->width * sizeof *frame->words);
        return mix_bytes(sum, frame->predicates, function->predicate_count * sizeof *frame->predicates);
    }
    for (uint32_t i = 0; i < function->slot_count; i++)
        if (chosen->words[i / 64] >> i % 64 & 1)
            sum = mix_bytes(mix(sum, i), frame->words + (size_t)i * warp->width,
                            warp->width * sizeof *frame->words);
    for (uint32_t i = 0; i < function->predicate_count; i++)
        if (chosen->predicates[i / 64] >> i % 64 & 1)
            sum = mix(mix(sum, i), frame->predicates[i]);
    return sum;
}

static uint64_t mix_frame(uint64_t sum, const Warp *warp, const Frame *frame, const SpinRegisters *chosen)
{
    const ProgramFunction *function = &warp->block->launch->program->functions[frame->function];
    sum = mix(mix(sum, frame->function), frame->local_base);
    sum = mix_registers(mix(sum, frame->carry), warp, frame, chosen);
    return mix_bytes(sum, frame->params, (size_t)function->param_bytes * warp->width);
}

static uint64_t mix_barriers(uint64_t sum, const Block *block)
{
    for (uint32_t i = 0; i < MAX_BARRIERS; i++) {
        const Barrier *barrier = &block->barriers[i];
        if (!barrier->in_use)
            continue;
        sum = mix(mix(sum, i), (uint64_t)barrier->expected << 32 | barrier->red_count);
        sum = mix_bytes(sum, barrier->lanes, block->warp_count * sizeof *barrier->lanes);
    }
    return sum;
}

uint64_t spin_fingerprint(const Warp *warp, SpinPrograms *programs)
{
    const SpinRegisters *chosen = spin_registers(programs, warp);
    uint64_t sum = mix_barriers(warp->live, warp->block);
    for (uint32_t i = 0; i < warp->group_count; i++) {
        const Group *group = &warp->groups[i];
        if (group->state == GROUP_FREE)
            continue;
        sum = mix(mix(sum, group->mask), (uint64_t)group->pc << 32 | group->frame);
        sum = mix(mix(sum, group->sync_mask), (uint64_t)group->join << 8 | group->state);
    }
    for (uint32_t i = 0; i < warp->joins.count; i++) {
        const Join *join = &warp->joins.items[i];
        if (!join->expected)
            continue;
        sum = mix(mix(sum, join->expected), join->arrived);
        sum = mix(sum, (uint64_t)join->pc << 32 | join->frame);
        /* Lanes that have waited long enough go on: divergence_impatience(). */
        if (join->arrived)
            sum = mix(sum, join->waited + warp->turn);
    }
    for (uint32_t i = 0; i < warp->frames.count; i++)
        if (warp->frames.items[i].words)
            sum = mix_frame(sum, warp, &warp->frames.items[i], chosen);
    return sum;
}

bool spin_can_run(const Warp *warp)
{
    if (warp->wait.is_open || block_wait_is_open(&warp->block->wait))
        return false;
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_READY)
            return true;
    return false;
}

enum { MATCHES = 3, FIRST_PATIENCE = 4 };

/* Whether each of several groups that take turns has been made, or has got its turn, since then. One whose
 * turn has just come may not have run yet; it has when its turn comes again, and matches are counted more
 * than once. Before Volta the newest group alone runs, and the others wait for it. */
static bool have_had_turns(const Warp *warp, uint64_t order)
{
    uint32_t ready = 0, late = 0;
    if (warp->block->launch->divergence == DIVERGENCE_STACK)
        return true;
    for (uint32_t i = 0; i < warp->group_count; i++) {
        const Group *group = &warp->groups[i];
        ready += group->state == GROUP_READY;
        late += group->state == GROUP_READY && group->order < order && group->chosen < order;
    }
    return ready < 2 || !late;
}

bool spin_compare(SpinMark *mark, const Warp *warp, uint64_t state, uint64_t steps, bool is_blocked)
{
    if (mark->patience && mark->state == state) {
        mark->tries = 0;
        /* The same state without having moved proves nothing. */
        if (is_blocked || (steps > mark->steps && have_had_turns(warp, mark->order))) {
            mark->matches++;
            mark->steps = steps;
            mark->order = warp->next_order;
        }
        return mark->matches >= MATCHES;
    }
    if (!mark->patience || ++mark->tries >= mark->patience)
        *mark = (SpinMark){.state = state,
                           .steps = steps,
                           .order = warp->next_order,
                           .patience = mark->patience ? 2 * mark->patience : FIRST_PATIENCE};
    return mark->matches >= MATCHES;
}

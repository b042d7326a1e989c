/* Room for blocks that want a place: which blocks that wait for others leave, and where their contexts go
 * [thesis §4.3, §4.4.2 and §6.3.2].
 *
 * In a tick in which a block finds no room one more place is made for it. The SM whose turn it is and whose
 * yielding blocks can make room sends away the last of its wait queue, or as many of the last as it takes.
 * Never more places are being made than blocks want one: first for blocks in line, then for those of local
 * queues that may go on, then for those of the global queue. What is being made is claimed, so that the next
 * place is made of something else; a claim ends when a block takes a place, or when all have left.
 *
 * A context stays where it is, if the block that comes fits beside it; or what is needed of it moves to
 * registers and shared memory of the SM that the other leaves free; or it goes to memory.
 *
 * Nothing takes a context off an SM but its block's coming back. So all blocks whose contexts are on an SM
 * need the same, and leave for one that needs the same: there is always room beside them for one of them,
 * once all others have ended or left for memory. If they needed different things, too little might be left
 * for each of them. */
#include "grid/front_end.h"

/* A block that wants a place. */
typedef struct Demand {
    PlaceKind kind;
    Resources need, held; /* held: what it takes of its home already, and gives back when it comes */
} Demand;

/* Blocks that leave an SM for a place. Invariant: of count blocks the one of items[0] began to wait last. */
typedef struct Victims {
    SmBlock *items[MAX_WARPS];
    uint32_t count;
} Victims;

typedef enum Departure { STAYS, MOVES, SAVED, NO_ENTRY_LEFT } Departure;

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t less(uint64_t free, uint64_t taken) { return free > taken ? free - taken : 0; }

/* Of each at least nothing. */
static Resources rest_of(const Resources *all, const Resources *taken)
{
    return (Resources){
        .blocks = less(all->blocks, taken->blocks),
        .warps = less(all->warps, taken->warps),
        .registers = less(all->registers, taken->registers),
        .shared_bytes = less(all->shared_bytes, taken->shared_bytes),
        .barriers = less(all->barriers, taken->barriers),
    };
}

/* What will be free on the SM when all have left that are to, less what that has been claimed for. */
static Resources expected(const FrontEnd *front_end, uint32_t sm)
{
    const YieldingSm *there = &front_end->yielding.sms[sm];
    Resources free = front_end->dispatcher.sms[sm].free;
    resources_give(&free, &there->coming);
    return rest_of(&free, &there->claimed);
}

/* What a block gives up when it leaves: warps and its place for a block, and with its context the rest. One
 * that does not count has no such place. */
static Resources given_up(const SmBlock *block, bool with_context)
{
    Resources given = block->block.kernel->need;
    given.blocks -= block->is_uncounted;
    if (!with_context)
        given.registers = given.shared_bytes = 0;
    return given;
}

/* The block of the SM that began to wait last of those before `before`, and may leave. */
static SmBlock *last_yielding(const FrontEnd *front_end, uint32_t sm, uint64_t before)
{
    const SmView *view = &front_end->dispatcher.sms[sm];
    SmBlock *last = NULL;
    for (uint32_t i = 0; i < view->resident; i++) {
        SmBlock *block = &view->blocks[i];
        if (block->yields && block->yields < before && !block->leaves &&
            (!last || last->yields < block->yields) && !front_end_is_swapped(front_end, &block->block))
            last = block;
    }
    return last;
}

/* Leaves out who is not needed: others that had to be added give up more of what is short. */
static void leave_out(Victims *victims, Resources free, const Resources *need)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < victims->count; i++) {
        const Resources given = given_up(victims->items[i], true);
        resources_take(&free, &given);
        if (resources_have_room(&free, need))
            continue;
        resources_give(&free, &given);
        victims->items[kept++] = victims->items[i];
    }
    victims->count = kept;
}

/* The last of the SM's wait queue that together make room where `free` will be. None: they cannot. Where
 * there is room and a policy does not give it, one less on the SM may change its mind. */
static void find_victims(const FrontEnd *front_end, uint32_t sm, Resources free, const Resources *need,
                         Victims *victims)
{
    const bool has_room = resources_have_room(&free, need);
    victims->count = 0;
    if (has_room && front_end->yielding.sms[sm].leaving)
        return;
    for (uint64_t before = UINT64_MAX;;) {
        SmBlock *block = last_yielding(front_end, sm, before);
        if (!block) {
            victims->count = 0;
            return;
        }
        const Resources given = given_up(block, true);
        resources_give(&free, &given);
        victims->items[victims->count++] = block;
        if (resources_have_room(&free, need))
            break;
        before = block->yields;
    }
    if (!has_room)
        leave_out(victims, free, need);
}

/* Whether the queue has entries for so many more. One that comes back from the queue hands over its own. */
static bool has_entries(const FrontEnd *front_end, PreemptedQueue queue, uint32_t sm, const Demand *demand,
                        uint32_t count)
{
    const Preempted *preempted = &front_end->dispatcher.preempted;
    const Yielding *yielding = &front_end->yielding;
    const bool is_local = queue == QUEUE_LOCAL;
    uint64_t entries = is_local ? preempted->sms[sm].entries : preempted->global_entries;
    uint64_t most = is_local ? front_end->config->preempted_local : front_end->config->preempted_global;
    most += is_local ? yielding->sms[sm].places[PLACE_LOCAL] : yielding->places[PLACE_GLOBAL];
    most += demand->kind == (is_local ? PLACE_LOCAL : PLACE_GLOBAL);
    return entries + count <= most;
}

static bool is_same(const Resources *a, const Resources *b)
{
    return a->warps == b->warps && a->registers == b->registers && a->shared_bytes == b->shared_bytes &&
           a->barriers == b->barriers;
}

/* Whether their contexts may stay on the SM. */
static bool may_stay(const FrontEnd *front_end, uint32_t sm, const Victims *victims, const Demand *demand)
{
    const PreemptedSm *there = &front_end->dispatcher.preempted.sms[sm];
    if (!front_end->config->context_local || (there->entries && !is_same(&there->need, &demand->need)))
        return false;
    for (uint32_t i = 0; i < victims->count; i++)
        if (!is_same(&victims->items[i]->block.kernel->need, &demand->need))
            return false;
    return has_entries(front_end, QUEUE_LOCAL, sm, demand, victims->count);
}

/* `free` is what will be without the victims' leaving. Sets what a context goes on taking. */
static Departure choose_departure(const FrontEnd *front_end, uint32_t sm, const Victims *victims,
                                  Resources free, const Demand *demand)
{
    const bool is_local = may_stay(front_end, sm, victims, demand);
    Resources beside = free;
    for (uint32_t i = 0; i < victims->count; i++) {
        const Resources given = given_up(victims->items[i], false), all = given_up(victims->items[i], true);
        resources_give(&beside, &given);
        resources_give(&free, &all);
        victims->items[i]->held = (Resources){0};
    }
    if (is_local && resources_have_room(&beside, &demand->need)) {
        for (uint32_t i = 0; i < victims->count; i++) {
            const Resources *need = &victims->items[i]->block.kernel->need;
            victims->items[i]->held =
                (Resources){.registers = need->registers, .shared_bytes = need->shared_bytes};
        }
        return STAYS;
    }
    /* Of what is there now, or comes with this very block. */
    const Resources now = front_end->dispatcher.sms[sm].free, *own = &victims->items[0]->block.kernel->need;
    free.registers = less(least(free.registers, now.registers + own->registers), demand->need.registers);
    free.shared_bytes =
        less(least(free.shared_bytes, now.shared_bytes + own->shared_bytes), demand->need.shared_bytes);
    const uint64_t bytes = victims->items[0]->live_bytes;
    if (is_local && victims->count == 1 && bytes <= free.shared_bytes + free.registers * sizeof(uint32_t)) {
        const uint64_t shared = least(bytes, free.shared_bytes);
        victims->items[0]->held = (Resources){
            .shared_bytes = shared, .registers = (bytes - shared + sizeof(uint32_t) - 1) / sizeof(uint32_t)};
        return MOVES;
    }
    return has_entries(front_end, QUEUE_GLOBAL, sm, demand, victims->count) ? SAVED : NO_ENTRY_LEFT;
}

static void note_peaks(FrontEnd *front_end, uint32_t sm)
{
    GridStatistics *statistics = &front_end->statistics;
    const Preempted *preempted = &front_end->dispatcher.preempted;
    const Yielding *yielding = &front_end->yielding;
    const uint64_t local = preempted->sms[sm].entries - yielding->sms[sm].places[PLACE_LOCAL];
    const uint64_t global = preempted->global_entries - yielding->places[PLACE_GLOBAL];
    const uint64_t all = global + preempted->local_entries - yielding->places[PLACE_LOCAL];
    if (local > statistics->preempted_local_peak)
        statistics->preempted_local_peak = local;
    if (global > statistics->preempted_global_peak)
        statistics->preempted_global_peak = global;
    if (all * PREEMPTED_ENTRY_BYTES > statistics->preempted_bytes_peak)
        statistics->preempted_bytes_peak = all * PREEMPTED_ENTRY_BYTES;
}

static void tell_to_leave(FrontEnd *front_end, SmBlock *block, Departure departure, Cycle now)
{
    static const uint32_t messages[] = {
        [STAYS] = MESSAGE_SWAP_OUT_STAYS, [MOVES] = MESSAGE_SWAP_OUT_MOVES, [SAVED] = MESSAGE_SWAP_OUT};
    GridStatistics *statistics = &front_end->statistics;
    uint64_t *const counts[] = {[STAYS] = &statistics->yields_stayed,
                                [MOVES] = &statistics->yields_moved,
                                [SAVED] = &statistics->yields_saved};
    const uint32_t sm = block->block.sm;
    const GridKernel *launch = block->block.group ? block->block.group : block->block.kernel;
    YieldingSm *there = &front_end->yielding.sms[sm];
    Resources *free = &front_end->dispatcher.sms[sm].free;
    block->leaves = true;
    if (departure == MOVES) /* it must not be given away before the block has left */
        block->reserved = (Resources){.registers = least(block->held.registers, free->registers),
                                      .shared_bytes = least(block->held.shared_bytes, free->shared_bytes)};
    resources_take(free, &block->reserved);
    block->coming = given_up(block, true);
    resources_give(&block->coming, &block->reserved);
    resources_take(&block->coming, &block->held);
    resources_give(&there->coming, &block->coming);
    there->leaving++;
    there->count--;
    front_end->yielding.count--;
    block->goes_local = departure != SAVED;
    preempted_enter(&front_end->dispatcher.preempted, block->goes_local ? QUEUE_LOCAL : QUEUE_GLOBAL, sm,
                    &block->block.kernel->need);
    note_peaks(front_end, sm);
    ++*counts[departure];
    shard_send(&front_end->shard, sm, now + front_end->config->block_launch_cycles, messages[departure],
               block->block.block, (void *)(uintptr_t)&launch->seen);
}

/* -- places -- */

typedef enum Attempt { MADE, IMPOSSIBLE, QUEUES_FULL } Attempt;

static uint64_t count_running(const FrontEnd *front_end, uint32_t sm)
{
    const YieldingSm *there = &front_end->yielding.sms[sm];
    uint64_t running = front_end->dispatcher.sms[sm].resident - there->count - there->leaving;
    for (unsigned kind = 0; kind < PLACE_KINDS; kind++)
        running += there->places[kind];
    return running;
}

/* Whether blocks that wait on the SM keep their places because others run there, or will when places that are
 * being made are taken. By §6.3.2 each that wants a place displaces one that waits, even if all that this one
 * waits for is running; by §6.3.3 blocks that begin in the order of their dependencies never leave. Both
 * cannot be: hence the knob. Where none can run a place is always given, so that nothing hangs which would
 * not with `wanted`, but for blocks that spin. */
static bool has_to_do(const FrontEnd *front_end, uint32_t sm)
{
    switch (front_end->config->swap_out_when) {
    case SWAP_OUT_WHEN_SM_IDLE:
        return count_running(front_end, sm) > 0;
    case SWAP_OUT_WHEN_GPU_IDLE:
        for (uint32_t i = 0; i < front_end->dispatcher.view.sm_count; i++)
            if (count_running(front_end, i))
                return true;
        return false;
    default:
        return false;
    }
}

static Attempt try_sm(FrontEnd *front_end, uint32_t sm, const Demand *demand, Cycle now)
{
    YieldingSm *there = &front_end->yielding.sms[sm];
    Victims victims;
    if (!there->count || has_to_do(front_end, sm))
        return IMPOSSIBLE;
    Resources free = expected(front_end, sm);
    resources_give(&free, &demand->held);
    find_victims(front_end, sm, free, &demand->need, &victims);
    if (!victims.count)
        return IMPOSSIBLE;
    const Departure departure = choose_departure(front_end, sm, &victims, free, demand);
    if (departure == NO_ENTRY_LEFT)
        return QUEUES_FULL;
    there->places[demand->kind]++;
    front_end->yielding.places[demand->kind]++;
    const Resources claim = rest_of(&demand->need, &demand->held);
    resources_give(&there->claimed, &claim);
    for (uint32_t i = 0; i < victims.count; i++)
        tell_to_leave(front_end, victims.items[i], departure, now);
    return MADE;
}

/* On the first SM in turn that can. */
static Attempt try_all(FrontEnd *front_end, const Demand *demand, Cycle now)
{
    const uint32_t sm_count = front_end->dispatcher.view.sm_count;
    Attempt attempt = IMPOSSIBLE;
    for (uint32_t i = 0, sm = front_end->yielding.next_sm; i < sm_count; i++) {
        const uint32_t next = sm + 1 == sm_count ? 0 : sm + 1;
        const Attempt here = try_sm(front_end, sm, demand, now);
        if (here == MADE) {
            front_end->yielding.next_sm = next;
            return MADE;
        }
        attempt = here == QUEUES_FULL ? here : attempt;
        sm = next;
    }
    return attempt;
}

static Demand demand_of(const Resumption *resumption, PlaceKind kind)
{
    return (Demand){
        .kind = kind,
        .need = grid_kernel_host(grid_kernel_of(resumption->kernel))->need,
        .held = preempted_held(resumption)};
}

/* For blocks that may go on, those first whose contexts are on SMs. */
static bool try_for_ready(FrontEnd *front_end, Cycle now)
{
    const Preempted *preempted = &front_end->dispatcher.preempted;
    const uint32_t sm_count = preempted->sm_count;
    for (unsigned queue = 0; queue < PREEMPTED_QUEUES && preempted->ready_count > preempted->ready.count;
         queue++) {
        const PlaceKind kind = queue == QUEUE_LOCAL ? PLACE_LOCAL : PLACE_GLOBAL;
        for (uint32_t i = 0, sm = preempted->next_sm; i < sm_count; i++) {
            const ReadyList *list = &preempted->sms[sm].ready[queue];
            const Resumption *at =
                list->count > front_end->yielding.sms[sm].places[kind] ? list->first : NULL;
            for (; at; at = preempted_behind(preempted, at)) {
                const Demand demand = demand_of(at, kind);
                const Attempt attempt = try_sm(front_end, sm, &demand, now);
                if (attempt == MADE)
                    return true;
                front_end->yielding.is_full |= attempt == QUEUES_FULL;
            }
            sm = sm + 1 == sm_count ? 0 : sm + 1;
        }
    }
    if (preempted->ready.count <= front_end->yielding.places[PLACE_GLOBAL])
        return false;
    for (const Resumption *at = preempted->ready.first; at; at = preempted_behind(preempted, at)) {
        const Demand demand = demand_of(at, PLACE_GLOBAL);
        const Attempt attempt = try_all(front_end, &demand, now);
        if (attempt == MADE)
            return true;
        front_end->yielding.is_full |= attempt == QUEUES_FULL;
    }
    return false;
}

/* For blocks in line, the first kernel for which it is possible. */
static bool try_for_line(FrontEnd *front_end, Cycle now)
{
    Yielding *yielding = &front_end->yielding;
    Preempted *preempted = &front_end->dispatcher.preempted;
    uint64_t passed = yielding->places[PLACE_LINE];
    uint32_t at = 0;
    for (const GridKernel *kernel; (kernel = dispatcher_wanting(&front_end->dispatcher, &passed, &at));) {
        const Demand demand = {.kind = PLACE_LINE, .need = kernel->need};
        const Attempt attempt = try_all(front_end, &demand, now);
        if (attempt == MADE)
            return true;
        preempted->is_stuck = true;
        yielding->is_full |= attempt == QUEUES_FULL;
    }
    preempted->goes_first |= yielding->is_full;
    return false;
}

/* Whether blocks of several kernels may go on. */
static bool are_mixed(const Preempted *preempted)
{
    const Resumption *first = preempted->ready.first;
    for (uint32_t sm = 0; sm < preempted->sm_count && !first; sm++)
        for (unsigned queue = 0; queue < PREEMPTED_QUEUES && !first; queue++)
            first = preempted->sms[sm].ready[queue].first;
    return first && grid_kernel_host(grid_kernel_of(first->kernel))->ready < preempted->ready_count;
}

/* Whether blocks of other kernels may pass those that find no room: nobody on an SM runs or leaves, and so
 * only they can bring about that there is room. */
static bool may_pass(const FrontEnd *front_end)
{
    const Dispatcher *dispatcher = &front_end->dispatcher;
    if (dispatcher->preempted.ready_count < 2 || !are_mixed(&dispatcher->preempted))
        return false;
    for (uint32_t sm = 0; sm < dispatcher->view.sm_count; sm++)
        for (uint32_t i = 0; i < dispatcher->sms[sm].resident; i++)
            if (!dispatcher->sms[sm].blocks[i].yields || dispatcher->sms[sm].blocks[i].leaves)
                return false;
    return true;
}

bool front_end_make_room(FrontEnd *front_end, Cycle now)
{
    Yielding *yielding = &front_end->yielding;
    Preempted *preempted = &front_end->dispatcher.preempted;
    const bool was_stuck = preempted->is_stuck;
    const bool has_passed = preempted->passes;
    yielding->is_full = preempted->is_stuck = false;
    preempted->passes = may_pass(front_end);
    if (preempted->passes && !has_passed)
        return true;
    if (!yielding->count)
        return false;
    if (try_for_line(front_end, now) || (preempted->ready_count && try_for_ready(front_end, now)))
        return true;
    if (preempted->is_stuck && !was_stuck)
        return true;
    front_end->statistics.places_in_vain +=
        preempted->is_stuck ||
        preempted->ready_count > yielding->places[PLACE_LOCAL] + yielding->places[PLACE_GLOBAL];
    return false;
}

/* Nobody needs its place yet: as if one like it did. */
void front_end_send_away(FrontEnd *front_end, SmBlock *block, Cycle now)
{
    const Demand demand = {.kind = PLACE_KINDS, .need = block->block.kernel->need};
    const uint32_t sm = block->block.sm;
    const Victims victims = {.items = {block}, .count = 1};
    const Departure departure = choose_departure(front_end, sm, &victims, expected(front_end, sm), &demand);
    if (departure != NO_ENTRY_LEFT)
        tell_to_leave(front_end, block, departure, now);
}

/* -- places that have been made -- */

/* Claims are good while places are being made: what is free then the dispatcher sees itself. */
void front_end_yield_left(FrontEnd *front_end, const SmBlock *left)
{
    Yielding *yielding = &front_end->yielding;
    YieldingSm *there = &yielding->sms[left->block.sm];
    if (left->yields && !left->leaves) {
        there->count--;
        yielding->count--;
    }
    if (!left->leaves)
        return;
    there->leaving--;
    resources_take(&there->coming, &left->coming);
    if (there->leaving)
        return;
    for (unsigned kind = 0; kind < PLACE_KINDS; kind++) {
        yielding->places[kind] -= there->places[kind];
        there->places[kind] = 0;
    }
    there->claimed = (Resources){0};
}

void front_end_place_taken(FrontEnd *front_end, const Dispatch *dispatch)
{
    Yielding *yielding = &front_end->yielding;
    YieldingSm *there = &yielding->sms[dispatch->sm];
    const Resumption *resumed = dispatch->resumed;
    const PlaceKind kind = !resumed || !resumed->yielded ? PLACE_LINE
                           : resumed->is_local           ? PLACE_LOCAL
                                                         : PLACE_GLOBAL;
    if (!there->places[kind])
        return;
    there->places[kind]--;
    yielding->places[kind]--;
    there->claimed = rest_of(&there->claimed, &grid_kernel_host(dispatch->launch)->need);
}

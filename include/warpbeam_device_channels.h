/* Channels in kernels [channels §3.2 and 4.1, table 1]: what producers and consumers of tasks do.
 *
 *     __global__ void fib(unsigned dest, unsigned *result)
 *     {
 *         const Fib *src = deq(wb_source(), wb_source_offset());
 *         if (src->n <= 2) {
 *             atomicAdd(result, 1);
 *         } else {
 *             WbElements<Fib> ob = talloc(dest, 2);
 *             ob[0].n = src->n - 1;
 *             ob[1].n = src->n - 2;
 *             enq(dest, ob);
 *         }
 *         tfree(wb_source(), wb_source_offset());
 *     }
 *
 * talloc(id, count)      `count` adjacent elements of channel `id`, reserved for this lane; where there is no
 *                        room, the wavefront yields until there is
 * enq(id, elements)      makes what one talloc() gave visible to the aggregator: a task for each element
 * enq_n(id, elements, n) the same for who knows that talloc() was asked for n; saves a load
 * deq(id, offset)        the element that entry `offset` of the control array stands for
 * tfree(id, offset)      the consumer is done with it
 * tfree_element(id, element)  the same, for who has put the element back: a consumer may enq_n() the element
 *                        that it was started for again, instead of freeing it, to go on with it in another
 *                        task; then other entries stand for it, and this frees it in the end
 * wb_source(), wb_source_offset()  channel and offset of the element that this lane was started for
 *
 * talloc() and deq() give what turns into a pointer to any type, which is checked to fit into an element. A
 * WbElements<T> is such a pointer that knows how far elements are apart: use it for more than one.
 *
 * The lanes that make a call at once reserve together, by one compare-and-swap for each channel; all of them
 * get their elements or none, so together they may want no more than the channel can hold. Where they could,
 * let them go in turns, each of as many lanes as fit:
 *
 *     WB_IN_TURNS(dest, 2) {
 *         WbElements<Fib> ob = talloc(dest, 2);
 *         ...
 *         enq(dest, ob);
 *     }
 *
 * A lane enqs what it has before it asks for more of the same channel: what it holds back nobody can
 * consume.
 *
 * Included by warpbeam_device.h. The code below the primitives is C as well as C++: tests run it on the host
 * with primitives of their own (WB_CHANNELS_ON_HOST).
 *
 * No lane ever waits for one that its own wavefront keeps from going on, and lanes that do something together
 * stay together, also where a GPU lets lanes go their own ways: what one does for all is done by a predicated
 * instruction (wb_..._if()), not behind a branch, and loops end for all in the same turn. Where lanes part,
 * each part can do without the others; what is to be done within a loop stays there (wb_opaque()). */
#ifndef WARPBEAM_DEVICE_CHANNELS_H
#define WARPBEAM_DEVICE_CHANNELS_H

#include "warpbeam_flow_layout.h"

/* ---- primitives ---- */

#ifndef WB_CHANNELS_ON_HOST

#include "warpbeam_device_wave.h"

#define WB_CHANNELS static __device__ __forceinline__

#define WB_ENVREG(name, number)                                                                         \
    WB_CHANNELS unsigned name(void)                                                                     \
    {                                                                                                   \
        unsigned value;                                                                                 \
        asm("mov.b32 %0, %%envreg" #number ";" : "=r"(value));                                          \
        return value;                                                                                   \
    }
WB_ENVREG(wb_env_channel, 0)
WB_ENVREG(wb_env_first, 1)
WB_ENVREG(wb_env_count, 2)
WB_ENVREG(wb_env_wave, 3)
WB_ENVREG(wb_env_flow_low, 4)
WB_ENVREG(wb_env_flow_high, 5)
#undef WB_ENVREG
WB_CHANNELS unsigned wb_lane(void) { return threadIdx.x; }

/* Words that others write while this runs: never from an L1 that is not coherent. */
WB_CHANNELS unsigned wb_read(const unsigned *word) { return *(const volatile unsigned *)word; }
/* These without a branch. */
WB_CHANNELS void wb_write_if(bool is_wanted, unsigned *word, unsigned value)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p st.volatile.u32 [%1], %2; }" ::"r"(
                     (unsigned)is_wanted),
                 "l"(word), "r"(value)
                 : "memory");
}
WB_CHANNELS unsigned wb_swap_if(bool is_wanted, unsigned *word, unsigned expected, unsigned value)
{
    unsigned seen = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p atom.cas.b32 %0, [%2], %3, %4; }"
                 : "+r"(seen)
                 : "r"((unsigned)is_wanted), "l"(word), "r"(expected), "r"(value)
                 : "memory");
    return seen;
}
WB_CHANNELS void wb_add_if(bool is_wanted, unsigned *word, unsigned value)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p red.add.u32 [%1], %2; }" ::"r"(
                     (unsigned)is_wanted),
                 "l"(word), "r"(value)
                 : "memory");
}
WB_CHANNELS void wb_fence(void) { __threadfence(); }
/* What this returns is not known to the compiler: it cannot make two branches out of one. */
WB_CHANNELS unsigned wb_opaque(unsigned value)
{
    asm volatile("" : "+r"(value));
    return value;
}
WB_CHANNELS unsigned wb_log2(unsigned power) { return 31u - (unsigned)__clz((int)power); }

#endif

/* ---- channels and their elements ---- */

WB_CHANNELS WbFlowMemory *wb_flow(void)
{
    return (WbFlowMemory *)((unsigned long long)wb_env_flow_high() << 32 | wb_env_flow_low());
}

WB_CHANNELS WbChannelMemory *wb_channel(unsigned id, unsigned line)
{
    const WbFlowMemory *flow = wb_flow();
    if (id >= flow->channel_count)
        wb_channel_fail(WB_FAIL_CHANNEL, id, flow->channel_count, line);
    return (WbChannelMemory *)flow->channels + id;
}

WB_CHANNELS char *wb_element(const WbChannelMemory *channel, unsigned position)
{
    return (char *)channel->data +
           (unsigned long long)(position & (channel->capacity - 1)) * channel->stride;
}

/* The number of an element in the data array. */
WB_CHANNELS unsigned wb_element_index(const WbChannelMemory *channel, const void *element, unsigned line)
{
    const unsigned stride = channel->stride;
    const unsigned long long offset = (unsigned long long)element - channel->data;
    const unsigned long long index = stride & (stride - 1) ? offset / stride : offset >> wb_log2(stride);
    if (index >= channel->capacity)
        wb_channel_fail(WB_FAIL_POINTER, channel->number, (unsigned)index, line);
    return (unsigned)index;
}

WB_CHANNELS unsigned *wb_entry(const WbChannelMemory *channel, unsigned offset)
{
    return (unsigned *)channel->control + (offset & (2 * channel->capacity - 1));
}

WB_CHANNELS unsigned *wb_done_count(const WbChannelMemory *channel, unsigned position)
{
    const unsigned words = WB_DONE_COUNTS(channel->capacity, channel->done_shift);
    return (unsigned *)channel->done + (position >> channel->done_shift & (words - 1));
}

/* ---- reserving elements ---- */

enum { WB_GOT, WB_FULL };
/* Of the sum over 64 lanes that a talloc() begins with: 18 bits, 7 and 7. */
enum { WB_SEVERAL_BIT = 18, WB_ANOTHER_BIT = 25, WB_MOST_OF_LANE = (1 << (WB_SEVERAL_BIT - 6)) - 1 };
#define WB_MOST_MASK ((1u << WB_SEVERAL_BIT) - 1)

/* The leader's value, or the lane's own. */
WB_CHANNELS unsigned wb_same(unsigned value, bool is_alone)
{
    return is_alone ? value : wb_wave_broadcast(value);
}

/* The first part of `count` elements that were reserved and that nobody gets is done at once: those that
 * share a done count. Returns how many they are. */
WB_CHANNELS unsigned wb_give_back_part(WbChannelMemory *channel, unsigned position, unsigned count,
                                       bool is_wanted)
{
    const unsigned group = 1u << channel->done_shift;
    const unsigned left = group - (position & (group - 1));
    const unsigned part = count < left ? count : left;
    wb_add_if(is_wanted && part > 0, wb_done_count(channel, position), part);
    return part;
}

/* For this lane (is_alone), or for all calling lanes by the one that leads: WB_GOT with *from, or WB_FULL. A
 * lane's elements lie in one piece: where several of them would reach over the array's end, what is left
 * there is given up. */
WB_CHANNELS unsigned wb_reserve(WbChannelMemory *channel, unsigned total, bool is_several, bool is_leader,
                                bool is_alone, unsigned *from)
{
    const unsigned capacity = channel->capacity;
    unsigned tail = wb_same(wb_read(&channel->tail.value), is_alone);
    for (;;) {
        const unsigned used = tail - wb_same(wb_read(&channel->head.value), is_alone);
        if (used <= capacity && total > capacity - used)
            return WB_FULL;
        const unsigned left = capacity - (tail & (capacity - 1));
        const unsigned taken = used > capacity ? 0 : is_several && total > left ? left : total;
        /* Head has gone past an old tail: nothing is taken then, and the new one read. */
        const unsigned seen =
            wb_same(wb_swap_if(is_leader, &channel->tail.value, tail, tail + taken), is_alone);
        *from = tail;
        if (seen == tail && taken == total)
            return WB_GOT;
        for (unsigned i = 0; seen == tail && i < taken;)
            i += wb_give_back_part(channel, tail + i, taken - i, is_leader);
        tail = seen == tail ? tail + taken : seen;
    }
}

/* ---- making them visible ---- */

/* Reserves entries of the control array, which always has room: while an element lives, fewer are enqueued
 * than it has entries. */
WB_CHANNELS unsigned wb_reserve_entries(WbChannelMemory *channel, unsigned total, bool is_leader,
                                        bool is_alone)
{
    unsigned tail = wb_same(wb_read(&channel->reserve_tail.value), is_alone);
    for (;;) {
        const unsigned seen =
            wb_same(wb_swap_if(is_leader, &channel->reserve_tail.value, tail, tail + total), is_alone);
        if (seen == tail)
            return tail;
        tail = seen;
    }
}

/* Entries [from, from + total) are written: the aggregator sees them, after all that were reserved before. */
WB_CHANNELS void wb_publish(WbChannelMemory *channel, unsigned from, unsigned total, bool is_leader,
                            bool is_alone)
{
    unsigned is_turn;
    wb_fence();
    do { /* all lanes have written theirs when they meet here */
        is_turn = wb_same(wb_read(&channel->control_tail.value) == from, is_alone);
        wb_write_if(is_leader && is_turn, &channel->control_tail.value, from + total);
    } while (!is_turn);
}

/* An element that is in use has one position only: that in [head, head + capacity). */
WB_CHANNELS unsigned wb_position(const WbChannelMemory *channel, unsigned index)
{
    const unsigned head = wb_read(&channel->head.value);
    return head + ((index - head) & (channel->capacity - 1));
}

/* ---- yielding ---- */

/* The calling lanes want `elements` of a channel that has no room: their wavefront leaves until the
 * aggregator thinks that it has. The channel of restart contexts is emptied as it fills, so there is room
 * soon. */
WB_CHANNELS void wb_yield_for(unsigned id, unsigned elements, unsigned line, bool is_leader)
{
    WbChannelMemory *yields = (WbChannelMemory *)wb_flow()->channels + wb_flow()->yields;
    unsigned position;
    while (!wb_wave_is_last()) /* others may hold elements that they are about to enqueue */
        continue;
    while (wb_reserve(yields, 1, false, is_leader, false, &position) == WB_FULL)
        continue;
    const unsigned from = wb_reserve_entries(yields, 1, is_leader, false);
    WbRestart *restart = (WbRestart *)wb_element(yields, position); /* all lanes write the same */
    restart->wave = wb_env_wave();
    restart->channel = id;
    restart->elements = elements;
    restart->line = line;
    *wb_entry(yields, from) = position & ~WB_ELEMENT_DONE;
    wb_publish(yields, from, 1, is_leader, false);
    wb_wave_yield(wb_env_wave());
}

/* Of the calling lanes, the highest of those with is_full, which have found no room, says which channel the
 * wavefront waits for. The others have given back what they got: it must not keep elements meanwhile. */
WB_CHANNELS void wb_yield_of(unsigned id, unsigned count, bool is_full, unsigned line)
{
    const unsigned below = wb_wave_prefix(is_full), failed = wb_wave_total(is_full);
    const bool says = is_full && below + 1 == failed;
    const unsigned wanted = wb_wave_total(says ? id : 0);
    const unsigned elements = wb_wave_total(id == wanted ? count : 0);
    if (elements > wb_channel(wanted, line)->capacity)
        wb_channel_fail(WB_FAIL_COUNT, wanted, elements, line);
    wb_yield_for(wanted, elements, line, wb_wave_leader());
}

/* ---- the four functions: of lanes together, and of each by itself ---- */

/* How the calling lanes reserve: one for all, one for those that want the same channel, each for itself. */
typedef struct WbWish {
    unsigned offset, total; /* of one for all: elements of lanes below this one, and of all */
    bool is_several;        /* some lane wants more than one */
    bool is_leader, is_apart, is_alone;
} WbWish;

/* One sum for three: elements, lanes that want several, and lanes that want another channel. */
WB_CHANNELS WbWish wb_wish(const WbChannelMemory *channel, unsigned id, unsigned count)
{
    WbWish wish = {0, count, count > 1, true, false, true};
    if (!(channel->form & WB_CHANNEL_AMORTIZED))
        return wish;
    const unsigned mine = count | (unsigned)(count > 1) << WB_SEVERAL_BIT |
                          (unsigned)(id != wb_wave_broadcast(id)) << WB_ANOTHER_BIT;
    const unsigned below = wb_wave_prefix(mine);
    const unsigned all = wb_wave_broadcast(below + mine);
    wish.offset = below & WB_MOST_MASK;
    wish.total = all & WB_MOST_MASK;
    wish.is_several = (all & ~WB_MOST_MASK) != 0;
    wish.is_leader = wb_wave_leader();
    wish.is_apart = all >> WB_ANOTHER_BIT != 0;
    wish.is_alone = false;
    return wish;
}

/* One attempt for those of the calling lanes that want the same channel, and then for those that want the
 * next. */
WB_CHANNELS unsigned wb_reserve_by_channel(WbChannelMemory *channel, unsigned count, unsigned *from)
{
    const unsigned id = channel->number;
    unsigned verdict = WB_FULL;
    for (unsigned is_left = 1; is_left; is_left = wb_opaque(is_left)) {
        if (id == wb_wave_broadcast(id)) {
            const unsigned offset = wb_wave_prefix(count), total = wb_wave_total(count);
            const bool is_several = wb_wave_total(count > 1) != 0;
            verdict = wb_reserve(channel, total, is_several, wb_wave_leader(), false, from);
            *from += offset;
            is_left = 0;
        }
    }
    return verdict;
}

WB_CHANNELS unsigned wb_reserve_wish(WbChannelMemory *channel, unsigned count, const WbWish *wish,
                                     unsigned *from)
{
    if (wish->is_apart)
        return wb_reserve_by_channel(channel, count, from);
    const unsigned verdict =
        wish->is_alone ? wb_reserve(channel, count, count > 1, true, true, from)
                       : wb_reserve(channel, wish->total, wish->is_several, wish->is_leader, false, from);
    *from += wish->offset;
    return verdict;
}

/* All calling lanes get their elements, or none. */
WB_CHANNELS unsigned wb_talloc(unsigned id, unsigned count, unsigned line)
{
    WbChannelMemory *channel = wb_channel(id, line);
    unsigned position = 0;
    if (count - 1 >= WB_MOST_OF_LANE)
        wb_channel_fail(WB_FAIL_COUNT, id, count, line);
    const WbWish wish = wb_wish(channel, id, count);
    for (;;) {
        const bool is_full = wb_reserve_wish(channel, count, &wish, &position) == WB_FULL;
        if (!(wish.is_alone || wish.is_apart ? wb_wave_total(is_full) != 0 : is_full))
            break;
        for (unsigned left = is_full ? 0 : count; wb_wave_total(left) != 0;)
            left -= wb_give_back_part(channel, position + count - left, left, true);
        wb_yield_of(id, count, is_full, line);
    }
    if (count > 1)
        ((unsigned *)channel->counts)[position & (channel->capacity - 1)] = count;
    return position;
}

WB_CHANNELS void wb_enq_together(WbChannelMemory *channel, unsigned index, unsigned count)
{
    const unsigned mine = count | (unsigned)(count > 1) << WB_SEVERAL_BIT;
    const unsigned below = wb_wave_prefix(mine), all = wb_wave_broadcast(below + mine);
    const unsigned total = all & WB_MOST_MASK;
    const bool is_leader = wb_wave_leader();
    const unsigned from = wb_reserve_entries(channel, total, is_leader, false);
    const unsigned own = from + (below & WB_MOST_MASK), position = wb_position(channel, index);
    *wb_entry(channel, own) = position & ~WB_ELEMENT_DONE;
    for (unsigned i = 1; all != total && wb_wave_total(i < count) != 0; i++)
        wb_write_if(i < count, wb_entry(channel, own + i), (position + i) & ~WB_ELEMENT_DONE);
    wb_publish(channel, from, total, is_leader, false);
}

WB_CHANNELS void wb_enq_alone(WbChannelMemory *channel, unsigned index, unsigned count)
{
    const unsigned from = wb_reserve_entries(channel, count, true, true);
    const unsigned position = wb_position(channel, index);
    for (unsigned i = 0; i < count; i++)
        *wb_entry(channel, from + i) = (position + i) & ~WB_ELEMENT_DONE;
    wb_publish(channel, from, count, true, true);
}

/* count 0: what talloc() was asked for. */
WB_CHANNELS void wb_enq(unsigned id, const void *elements, unsigned count, unsigned line)
{
    WbChannelMemory *channel = wb_channel(id, line);
    const unsigned index = wb_element_index(channel, elements, line);
    unsigned *given = (unsigned *)channel->counts + index;
    if (count == 0)
        count = *given;
    if (count > 1)
        *given = 0;
    if (count == 0)
        count = 1;
    if (channel->form & WB_CHANNEL_AMORTIZED)
        for (unsigned is_left = 1; is_left; is_left = wb_opaque(is_left)) {
            if (id == wb_wave_broadcast(id)) {
                wb_enq_together(channel, index, count);
                is_left = 0;
            }
        }
    else
        wb_enq_alone(channel, index, count);
}

/* A lane's own entry is there. Others are if they are dispatched, and not older than the array is long. */
WB_CHANNELS void wb_check_entry(const WbChannelMemory *channel, unsigned offset, unsigned line)
{
    if (channel->number == wb_env_channel() && offset - wb_env_first() < wb_env_count())
        return;
    if (wb_read(&channel->control_head.value) - offset - 1 >= 2 * channel->capacity)
        wb_channel_fail(WB_FAIL_ENTRY, channel->number, offset, line);
}

WB_CHANNELS char *wb_deq(unsigned id, unsigned offset, unsigned line)
{
    const WbChannelMemory *channel = wb_channel(id, line);
    wb_check_entry(channel, offset, line);
    const unsigned entry = *wb_entry(channel, offset);
    if (entry & WB_ELEMENT_DONE)
        wb_channel_fail(WB_FAIL_ENTRY, id, offset, line);
    return wb_element(channel, entry);
}

/* Lanes whose elements share a done count add to it together. */
WB_CHANNELS void wb_count_done(WbChannelMemory *channel, unsigned position)
{
    wb_fence(); /* what was read and written before the element may be used again comes before */
    unsigned *count = wb_done_count(channel, position);
    if (!(channel->form & WB_CHANNEL_AMORTIZED)) {
        wb_add_if(true, count, 1);
        return;
    }
    const unsigned mine = (unsigned)((unsigned long long)count / sizeof *count);
    for (unsigned is_left = 1; is_left; is_left = wb_opaque(is_left)) {
        if (mine == wb_wave_broadcast(mine)) {
            const unsigned together = wb_wave_total(1);
            wb_add_if(wb_wave_leader(), count, together);
            is_left = 0;
        }
    }
}

WB_CHANNELS void wb_tfree(unsigned id, unsigned offset, unsigned line)
{
    WbChannelMemory *channel = wb_channel(id, line);
    wb_check_entry(channel, offset, line);
    unsigned *entry = wb_entry(channel, offset);
    const unsigned position = *entry;
    if (position & WB_ELEMENT_DONE)
        wb_channel_fail(WB_FAIL_FREED, id, offset, line);
    *entry = position | WB_ELEMENT_DONE;
    wb_count_done(channel, position);
}

WB_CHANNELS void wb_tfree_element(unsigned id, const void *element, unsigned line)
{
    WbChannelMemory *channel = wb_channel(id, line);
    wb_count_done(channel, wb_position(channel, wb_element_index(channel, element, line)));
}

/* Whether this lane is among those whose wishes fit into the channel together; of those left, the lowest. */
WB_CHANNELS bool wb_is_turn(unsigned id, unsigned count, unsigned line)
{
    return wb_wave_prefix(count) + count <= wb_channel(id, line)->capacity;
}

/* The statement behind it, for some of the calling lanes after the other; no break or continue in it. */
#define WB_IN_TURNS(id, count)                                                                          \
    for (unsigned wb_is_left = 1; wb_is_left; wb_is_left = wb_opaque(wb_is_left))                       \
        if (wb_is_turn((id), (count), __LINE__) && (wb_is_left = 0, true))

WB_CHANNELS unsigned wb_source(void) { return wb_env_channel(); }
WB_CHANNELS unsigned wb_source_offset(void) { return wb_env_first() + wb_lane(); }

/* ---- what kernels write ---- */

#ifdef __cplusplus

template <typename T> struct wb_size_of { enum { bytes = sizeof(T) }; };
template <> struct wb_size_of<void> { enum { bytes = 0 }; };
template <> struct wb_size_of<const void> { enum { bytes = 0 }; };

/* Elements that a talloc() gave, `stride` bytes apart. */
template <typename T> struct WbElements {
    char *first;
    unsigned stride;
    __device__ T &operator[](unsigned i) const { return *(T *)(first + (unsigned long long)i * stride); }
    __device__ T *operator->() const { return (T *)first; }
    __device__ T &operator*() const { return *(T *)first; }
    __device__ operator const void *() const { return first; }
};

/* What talloc() and deq() return; it becomes a pointer to any type whose objects fit. */
struct WbFound {
    char *first;
    unsigned channel, count, line;

    template <typename T> __device__ __forceinline__ const WbChannelMemory *check() const
    {
        const WbChannelMemory *memory = wb_channel(channel, line);
        if (wb_size_of<T>::bytes > memory->element_bytes)
            wb_channel_fail(WB_FAIL_ELEMENT, channel, wb_size_of<T>::bytes, line);
        return memory;
    }
    template <typename T> __device__ __forceinline__ operator T *() const
    {
        const WbChannelMemory *memory = check<T>();
        if (count > 1 && wb_size_of<T>::bytes != 0 && wb_size_of<T>::bytes != memory->stride)
            wb_channel_fail(WB_FAIL_STRIDE, channel, wb_size_of<T>::bytes, line);
        return (T *)first;
    }
    template <typename T> __device__ __forceinline__ operator WbElements<T>() const
    {
        const WbChannelMemory *memory = check<T>();
        return {first, memory->stride};
    }
};

WB_CHANNELS WbFound wb_talloc_found(unsigned id, unsigned count, unsigned line)
{
    const unsigned position = wb_talloc(id, count, line);
    return {wb_element(wb_channel(id, line), position), id, count, line};
}

WB_CHANNELS WbFound wb_deq_found(unsigned id, unsigned offset, unsigned line)
{
    return {wb_deq(id, offset, line), id, 1, line};
}

#define talloc(id, count) wb_talloc_found((id), (count), __LINE__)
#define enq(id, elements) wb_enq((id), (elements), 0, __LINE__)
#define enq_n(id, elements, count) wb_enq((id), (elements), (count), __LINE__)
#define deq(id, offset) wb_deq_found((id), (offset), __LINE__)
#define tfree(id, offset) wb_tfree((id), (offset), __LINE__)
#define tfree_element(id, element) wb_tfree_element((id), (element), __LINE__)

#endif
#endif

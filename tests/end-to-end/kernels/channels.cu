// Tasks of random flow graphs, which feed each other through channels and note what they get; and Fibonacci by
// levels of recursion. Chosen by hashes, so that the host knows nothing but what has to hold at the end.
#include "warpbeam_device.h"

struct Element {
    unsigned id, check, channel, pad;
};

// Of all elements that there are in a run: how many, and how often each was consumed.
struct Board {
    unsigned made, most, wrong, channels;
    unsigned times[1];
};

static __device__ __forceinline__ unsigned mixed(unsigned value)
{
    value = (value ^ value >> 16) * 0x45d9f3bu;
    value = (value ^ value >> 16) * 0x45d9f3bu;
    return value ^ value >> 16;
}

// So many new elements, if the board has room for them; else none.
static __device__ __forceinline__ unsigned take_ids(Board *board, unsigned count, unsigned *first)
{
    *first = atomicAdd(&board->made, count);
    if (*first + count <= board->most)
        return count;
    atomicSub(&board->made, count);
    return 0;
}

static __device__ __forceinline__ void feed(unsigned to, unsigned first, unsigned count)
{
    WbElements<Element> elements = talloc(to, count);
    for (unsigned i = 0; i < count; i++)
        elements[i] = {first + i, mixed(first + i), to, 0};
    enq(to, elements);
}

// An element has up to three children in each of two rounds, in channels of higher numbers.
extern "C" __global__ void feeding(Board *board)
{
    const unsigned from = wb_source(), offset = wb_source_offset();
    const Element element = *(const Element *)deq(from, offset);
    if (element.check != mixed(element.id) || element.channel != from)
        atomicAdd(&board->wrong, 1u);
    atomicAdd(&board->times[element.id], 1u);
    const bool is_early = element.check % 2;
    if (is_early)
        tfree(from, offset);
    for (unsigned round = 0; round < 2; round++) {
        const unsigned to = from + 1 + mixed(element.id * 3 + round) % (board->channels - from);
        unsigned count = to < board->channels ? mixed(element.id + round) % 4 : 0, first;
        if (count > 0)
            count = take_ids(board, count, &first);
        if (count > 0) {
            WB_IN_TURNS(to, count) feed(to, first, count);
        }
    }
    if (!is_early)
        tfree(from, offset);
}

struct Call {
    unsigned n, pad;
    unsigned *result;
};

struct Frame {
    unsigned x, y;
    unsigned *result;
};

extern "C" __global__ void fib(unsigned calls, unsigned frames)
{
    const Call *call = deq(wb_source(), wb_source_offset());
    const unsigned level = wb_source() - calls, n = call->n;
    if (n <= 2) {
        *call->result = 1;
    } else {
        Frame *frame = talloc(frames + level, 1);
        frame->result = call->result;
        for (unsigned i = 0; i < 2; i++) {
            Call *child = talloc(calls + level + 1, 1);
            *child = {n - 1 - i, 0, i ? &frame->y : &frame->x};
            enq_n(calls + level + 1, child, 1);
        }
        enq_n(frames + level, frame, 1);
    }
    tfree(wb_source(), wb_source_offset());
}

extern "C" __global__ void sum(void)
{
    const Frame *frame = deq(wb_source(), wb_source_offset());
    *frame->result = frame->x + frame->y;
    tfree(wb_source(), wb_source_offset());
}

// What kernels do wrong.
extern "C" __global__ void twice(void)
{
    tfree(wb_source(), wb_source_offset());
    tfree(wb_source(), wb_source_offset());
}

struct Large {
    unsigned words[64];
};

extern "C" __global__ void too_large(void)
{
    Large *large = talloc(wb_source(), 1);
    large->words[63] = 0;
}

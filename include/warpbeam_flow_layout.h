/* How channels lie in global memory: what producers and consumers on the GPU, the aggregator and the host
 * agree on [channels §3.2.1, figure 4]. Plain structs for C, C++ and CUDA; kernels use
 * warpbeam_device_channels.h and programs of the aggregator warpbeam_aggregator.h instead.
 *
 * Positions (tail, head and so on) count for ever, modulo 2^32; position p of the data array is element
 * p mod capacity, one of the control array is entry p mod (2 * capacity).
 *
 *   data array      elements, `stride` bytes apart
 *   control array   twice as many words: the data array's positions in the order in which producers have made
 *                   their elements visible
 *   done counts     one word for 2^done_shift adjacent positions: how many of them consumers are done with.
 *                   Twice as many as the data array has such groups: head may stand within a group, and then
 *                   tail within the one that has the same elements
 *   counts          one word for each element: how many one talloc() gave from there on, if not one; else 0
 *
 * An element is
 *   available   outside [head, tail)
 *   reserved    from talloc() to enq(): inside [head, tail), and not in the control array
 *   ready       at a position of the control array inside [control_head, control_tail)
 *   dispatched  at one before control_head
 *   done        its entry of the control array has WB_ELEMENT_DONE, and the done count counts it; it becomes
 *               available when all before it are done, too. */
#ifndef WARPBEAM_FLOW_LAYOUT_H
#define WARPBEAM_FLOW_LAYOUT_H

/* Words that different parties write are this far apart, so that they share no line. */
enum { WB_FLOW_LINE = 128 };

/* Of an entry of the control array. The other bits are the element's position modulo 2^31. */
#define WB_ELEMENT_DONE 0x80000000u
/* Words of the done counts. Groups are not larger than the data array. */
#define WB_DONE_COUNTS(capacity, done_shift) (2u * (capacity) >> (done_shift))
#define WB_NO_STACK 0xffffffffu

typedef struct WbFlowWord {
    unsigned value;
    unsigned unused[WB_FLOW_LINE / 4 - 1];
} WbFlowWord;

/* How producers reserve and how elements lie [channels §8.1, figure 17]. */
enum {
    WB_CHANNEL_AMORTIZED = 1, /* one compare-and-swap for all lanes of a wavefront; else one for each lane */
    WB_CHANNEL_PADDED = 2     /* no two elements share a line */
};

typedef struct WbChannelMemory {
    /* the first line: fixed while the graph runs */
    unsigned long long data, control, done, counts; /* addresses */
    unsigned capacity;        /* elements, a power of two, not less than a wavefront is wide */
    unsigned element_bytes;   /* that an element may hold */
    unsigned stride;          /* bytes from one to the next */
    unsigned done_shift;      /* 2^done_shift elements share a done count */
    unsigned form;            /* WB_CHANNEL_... */
    unsigned node;            /* the kernel node that consumes it */
    unsigned predicate;       /* ready elements that are worth a dispatch while more may come */
    unsigned stack;           /* of channels; WB_NO_STACK: it stands alone */
    unsigned level;           /* in its stack, the bottom is 0 */
    unsigned number;          /* its own */
    unsigned unused[WB_FLOW_LINE / 4 - 18];
    /* a line each */
    WbFlowWord tail;          /* data array: the next to be reserved; producers */
    WbFlowWord reserve_tail;  /* control array: the next to be reserved; producers */
    WbFlowWord control_tail;  /* control array: all before it are ready; producers */
    WbFlowWord head;          /* data array: the first that is not available; the aggregator */
    WbFlowWord control_head;  /* control array: the next to be dispatched; the aggregator */
} WbChannelMemory;

/* Channels first, first + 1, ... of one kernel node, by depth of recursion [channels §5.2]. */
typedef struct WbStackMemory {
    unsigned first;           /* channel of level 0 */
    unsigned levels;
    unsigned is_after;        /* tasks after a spawn: they wait for all that is deeper */
    unsigned unused;
} WbStackMemory;

/* The graph as a whole; its address is in %envreg4 (low) and %envreg5 (high) of its kernels. */
typedef struct WbFlowMemory {
    unsigned long long channels; /* address of channel_count WbChannelMemory */
    unsigned long long stacks;   /* address of stack_count WbStackMemory */
    unsigned long long scratch;  /* the aggregator's own memory */
    unsigned scratch_bytes;
    unsigned channel_count, node_count, stack_count;
    unsigned width;              /* lanes of a wavefront */
    unsigned yields;             /* channel of restart contexts; no node consumes it but the aggregator */
    unsigned most_waves;         /* wavefronts that can be on the GPU or have yielded at once */
    unsigned unused[WB_FLOW_LINE / 4 - 13];
} WbFlowMemory;

/* An element of the channel of yields [channels §6]. */
typedef struct WbRestart {
    unsigned wave;            /* number of the wavefront: what it is restarted by */
    unsigned channel;         /* that it wants room in */
    unsigned elements;        /* so many */
    unsigned line;            /* of the call in the source */
} WbRestart;

/* What a kernel finds in %envreg0 to %envreg5 of a wavefront that the aggregator has dispatched. Lane l has
 * the control array's position first + l; lanes from count on do not run. */
enum {
    WB_ENV_CHANNEL,           /* that it consumes */
    WB_ENV_FIRST,
    WB_ENV_COUNT,
    WB_ENV_WAVE,              /* number of the wavefront, in the order of dispatches */
    WB_ENV_FLOW_LOW,
    WB_ENV_FLOW_HIGH
};

/* What wb_channel_fail() is told when a kernel uses a channel wrongly; `value` is said behind each. */
enum {
    WB_FAIL_CHANNEL,          /* there is none of that number: how many there are */
    WB_FAIL_ELEMENT,          /* an object larger than the channel's elements: its bytes */
    WB_FAIL_STRIDE,           /* several objects are not as far apart as its elements: their bytes */
    WB_FAIL_COUNT,            /* talloc() of none, or of more than the channel holds: the lanes' wish */
    WB_FAIL_POINTER,          /* enq() of what is not in the data array: the index that it would have */
    WB_FAIL_ENTRY,            /* deq() or tfree() of an entry that is not dispatched: its offset */
    WB_FAIL_FREED,            /* tfree() of an element that is done: the entry's offset */
    WB_FAIL_LEVEL             /* a task would be deeper than its stack of channels has levels: how many */
};

/* Registers of the aggregator, 8 bytes each, at WB_AGGREGATOR_REGISTERS + 8 * number in its address space. */
#define WB_AGGREGATOR_REGISTERS 0x7ff0000000000000ull
enum {
    WB_REGISTER_ROOM,         /* read: wavefronts that the dispatcher's queue takes now */
    WB_REGISTER_IN_FLIGHT,    /* read: wavefronts dispatched and not ended; those that have yielded count */
    WB_REGISTER_TARGET,       /* write: node << 32 | channel, for the next dispatch */
    WB_REGISTER_DISPATCH,     /* write: first << 32 | count; dispatches a wavefront */
    WB_REGISTER_RESTART,      /* write: number of a wavefront that has yielded */
    WB_REGISTER_STATE,        /* write: WB_STATE_..., what keeps it from dispatching */
    WB_REGISTER_END,          /* write: WB_END_...; the aggregator stops */
    WB_REGISTER_COUNT
};
/* Cycles in which no wavefront is on the GPU are charged to the state. */
enum {
    WB_STATE_SCHEDULING,      /* it looks for work, or has some */
    WB_STATE_YIELDS,          /* it deals with wavefronts that have yielded */
    WB_STATE_DEALLOCATION,    /* elements are done, and those before them are not: a wavefront that wants
                                 their room waits */
    WB_STATE_COUNT
};
enum {
    WB_END_DONE,              /* nothing is left in any channel */
    WB_END_STUCK              /* nothing can go on: wavefronts wait for room that nobody frees */
};

#endif

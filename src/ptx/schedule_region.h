/* A region being ordered: consecutive instructions of a basic block that may pass each other. */
#ifndef PTX_SCHEDULE_REGION_H
#define PTX_SCHEDULE_REGION_H

#include "base/vec.h"
#include "ptx/flow_live.h"

/* `to` must be issued at least so many cycles after the instruction that has the edge. */
typedef struct ScheduleEdge {
    uint32_t to;
    uint32_t cycles;
    uint32_t next;       /* the same instruction's next edge, or NO_INDEX */
} ScheduleEdge;

typedef struct ScheduleNode {
    uint32_t first_edge; /* or NO_INDEX */
    uint32_t waits;      /* edges from instructions that are not placed yet */
    uint32_t latency;    /* cycles from its issue to that of one that needs its result */
    uint32_t height;     /* cycles from its issue to the end of the longest chain that it begins */
    uint32_t cost;       /* cycles that its issue takes: 0 if it becomes no machine instruction */
    uint32_t ready;      /* cycle from which it can issue, as far as its placed predecessors tell */
    uint32_t words;      /* that it writes */
    uint32_t temporaries; /* words that it needs while it is done */
    bool is_placed;
} ScheduleNode;

/* What a register holds between two writes. A write under a guard leaves the value what it was to the lanes
 * that do not do it, and so makes no new one. */
typedef struct ScheduleValue {
    uint32_t reg;
    uint32_t reads_left; /* by instructions that are not placed yet */
    uint32_t base;       /* the value that this one is at a constant distance from, or itself; NO_INDEX: lanes
                            differ in that */
    int64_t distance;
    bool is_live, is_live_in, is_live_out;
} ScheduleValue;

/* What is known of a register while the region is read; `region` says whether it is this region's. */
typedef struct ScheduleRegister {
    uint32_t region;
    uint32_t writer;     /* the last one, or NO_INDEX */
    uint32_t readers;    /* since then: a list in `links`, or NO_INDEX */
    uint32_t value;
} ScheduleRegister;

typedef struct ScheduleLink { uint32_t node, next; } ScheduleLink;

/* Bytes that an instruction reads or writes. */
typedef struct ScheduleAccess {
    uint32_t node;
    Space space;
    bool writes, is_constant; /* nothing writes there while the kernel runs */
    bool has_base, is_variable;
    uint32_t base;       /* value or variable */
    int64_t offset;
    uint32_t bytes;
} ScheduleAccess;

/* Nodes are numbered from 0 in the order of the text; node n is instruction first + n. Edges lead to greater
 * numbers only. */
typedef struct ScheduleRegion {
    const Module *module;
    const Function *function;
    const FlowAccesses *accesses;
    const uint8_t *words_of;      /* [register] as in FlowSet, but 0 for what needs no register */
    uint32_t number;              /* of the region; stamps `registers` and `live_out` */
    uint32_t first, count;
    uint32_t live_in;             /* words that are live before it */
    ScheduleRegister *registers;  /* [register_count + 1] the last one is the carry flag */
    uint32_t *live_out;           /* [register_count] number of the last region that it was live behind */
    ScheduleNode *nodes;
    uint32_t *order;              /* the result: node numbers */
    VEC(uint32_t) value_of;       /* by access, from that of instruction `first` on */
    VEC(ScheduleValue) values;
    VEC(ScheduleEdge) edges;
    VEC(ScheduleLink) links;
    VEC(ScheduleAccess) memory;   /* since the last instruction that orders all accesses */
    uint32_t memory_order;        /* that instruction, or NO_INDEX */
} ScheduleRegion;

enum {
    SCHEDULE_REGION = 1024, /* nodes at most, which bounds the time for a region */
    SCHEDULE_FAR = 300      /* the latency of memory that is not on the SM */
};

static inline const PtxInsn *schedule_insn(const ScheduleRegion *region, uint32_t node)
{
    return &region->function->insns[region->first + node];
}

void schedule_add_edge(ScheduleRegion *region, uint32_t from, uint32_t to, uint32_t cycles);

/* Fills nodes, edges and values of the region; live_in is the set before it. */
void schedule_find_dependences(ScheduleRegion *region, const FlowSet *live_in);

/* Adds the edges of what the node does with memory; its registers' values are those before it. */
void schedule_order_memory(ScheduleRegion *region, uint32_t node);
/* The space that an instruction accesses. */
Space schedule_space(const Function *function, const PtxInsn *insn);
/* Whether a load is of memory that nothing writes while the kernel runs. */
bool schedule_is_kernel_constant(const Function *function, const PtxInsn *insn);

/* Whether nothing may be moved over the instruction. */
bool schedule_is_wall(const Function *function, const PtxInsn *insn);

/* What an order comes to. */
typedef struct ScheduleResult {
    uint32_t words;      /* that are live at most */
    uint32_t cycles;     /* until all results are there, for a warp that is alone */
} ScheduleResult;

/* Fills `order` such that no more than `room` words are live if that can be had, no instruction passes one
 * that is `window` or more before it, and `reserve` words are left for loads from afar until those are
 * issued. A window of 1 gives the order of the text. */
ScheduleResult schedule_list(ScheduleRegion *region, uint32_t room, uint32_t window, uint32_t reserve);

#endif

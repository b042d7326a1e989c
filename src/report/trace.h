/* A GPU's timeline while it is being made: events of the Trace Event Format (docs/TIMELINE.md), collected,
 * put in order, and written.
 *
 * An event refers to what it shows; its text is made when it is written. Times are whole nanoseconds, from
 * cycles by one rule that never changes their order: so slices that do not overlap in cycles do not overlap
 * here, either. Slices of a track must nest or lie apart; whatever may overlap is dealt out to the lanes of a
 * group, each a track of its own. */
#ifndef REPORT_TRACE_H
#define REPORT_TRACE_H

#include <stdio.h>

#include "api/gpu.h"
#include "report/ratio.h"
#include "report/report_links.h"

/* Processes of the format: groups of tracks. The order is that of their places on the screen. */
typedef enum TraceProcess {
    TRACE_KERNELS = 1,
    TRACE_COUNTERS,
    TRACE_COPIES,
    TRACE_SMS,
    TRACE_LAUNCHES,
    TRACE_WAITS,
    TRACE_PROCESSES
} TraceProcess;

typedef enum TraceKind {
    SLICE_KERNEL,
    SLICE_KERNEL_STARTS, /* from its launch until a block can be dispatched */
    SLICE_COPY,
    SLICE_STAY,
    SLICE_RESTORE, /* of a block's context, inside its stay */
    SLICE_SAVE,
    SLICE_BARRIER,
    SLICE_LAUNCH,
    SLICE_PENDING, /* inside it: until its first block is dispatched */
    SLICE_WAIT,
    SLICE_RESUMABLE, /* inside it: it need not wait any longer, and has no place */
    TRACE_COUNTER,
    ARROW_BEGIN,
    ARROW_STEP,
    ARROW_END
} TraceKind;

typedef enum ArrowKind { ARROW_LAUNCHES, ARROW_RETURNS, ARROW_DEPENDS } ArrowKind;

typedef struct TraceEvent {
    uint64_t begin, end;   /* ns */
    uint32_t thread;
    uint8_t process, kind; /* TraceProcess, TraceKind */
    uint8_t arrow;         /* ArrowKind */
    uint8_t trace;         /* of several, which one's it is */
    uint32_t number;       /* of an arrow; which counter; order where all else is the same */
    union {
        struct {
            const KernelRecord *record;
            const void *of;
        };
        Ratio value;
    };
} TraceEvent;

/* One track. */
typedef struct TraceTrack {
    uint8_t process;
    uint32_t thread, group, lane;
} TraceTrack;

/* Until when each lane of a group is taken, ns. */
typedef struct TraceLanes {
    uint32_t group;
    VEC(uint64_t) until;
} TraceLanes;

/* Something that needs a lane, in cycles. */
typedef struct TraceSpan {
    Cycle begin, end;
} TraceSpan;

/* A stay with its place. */
typedef struct PlacedStay {
    const KernelRecord *record;
    const LoggedStay *stay;
    uint32_t thread;       /* 0: it found no room */
} PlacedStay;

/* Invariant: tracks are those of lanes that have been used; stays have those of block_stride and are in the
 * order of records, blocks and time. */
typedef struct Trace {
    const WbGpu *gpu;
    VEC(TraceEvent) events;
    VEC(TraceTrack) tracks;
    VEC(TraceLanes) lanes[TRACE_PROCESSES];
    VEC(PlacedStay) stays;
    uint32_t next_arrow;
    uint64_t kernel_stride, block_stride, launch_stride; /* every so many are shown, */
    uint64_t wait_stride, edge_stride;                   /* and of these */
    uint64_t barrier_stride, barrier_blocks; /* one of so many barriers of a block, and such blocks */
    uint64_t joined_samples;   /* at most, to one value of a counter */
    bool has_graph, has_waits; /* blocks depended on each other; left SMs or waited for each other */
    uint32_t link_ports;       /* of the GPU, to a switch or a mesh */
    bool has_links;            /* something went over these or over PCIe */
    bool has_flow;             /* a flow graph ran */
    VEC(const char *) channels; /* of flow graphs, that are shown */
    uint64_t left_out;         /* of what should be shown, because there was no room */
    uint32_t place;            /* among the traces of a file */
} Trace;

/* The traces of a file, one for each GPU of a system, all in one time. Of several GPUs each is a process of
 * the file and has all of its tracks; a GPU alone has a process for each kind of them. */
typedef struct Traces {
    VEC(Trace) gpus;
    const System *system;
    ReportLinks links;      /* a counter for each; their events are of trace gpus.count */
    VEC(TraceEvent) events; /* of all traces, once they are joined */
} Traces;

uint64_t trace_ns(const Trace *trace, Cycle cycle);
/* A lane of the group that is free; 0: there are as many lanes as a group can have. */
uint32_t trace_thread(Trace *trace, TraceProcess process, uint32_t group, uint64_t begin, uint64_t end);
/* A slice from one cycle to another. */
void trace_slice(Trace *trace, TraceKind kind, TraceProcess process, uint32_t thread, Cycle from, Cycle to,
                 const KernelRecord *record, const void *of);
/* One end of an arrow or its middle, in the slice of the track that holds the time. */
void trace_arrow(Trace *trace, TraceKind kind, ArrowKind arrow, uint32_t number, TraceProcess process,
                 uint32_t thread, uint64_t ns);
/* Every how many of the spans, which are by their begin, can be shown within so many events of each five,
 * and on tracks that a person can still look through. */
uint64_t trace_step(const TraceSpan *spans, uint32_t count, uint64_t most);
void trace_free(Trace *trace);
/* Adds counters of links, where the system has samples of them. */
void traces_links(Traces *traces);
/* Puts events of all traces in order and writes the file. */
void traces_write(Traces *traces, FILE *to);
void traces_free(Traces *traces);

/* Numbers of counters. */
enum {
    COUNTER_IPC,
    COUNTER_WARPS,
    COUNTER_OCCUPANCY,
    COUNTER_BLOCKS,
    COUNTER_WAITING,
    COUNTER_READY,
    COUNTER_DRAM,
    COUNTER_L2_HITS,
    COUNTERS_OF_ALL, /* the next are of runs in which blocks left their SMs or waited for each other */
    COUNTER_AWAY = COUNTERS_OF_ALL,
    COUNTER_HELD,
    COUNTER_CONTEXTS,
    COUNTER_SYNCS,
    COUNTER_EVENTS,
    COUNTER_LINKS_OUT, /* these, of GPUs whose links were used */
    COUNTERS_OF_WAITS = COUNTER_LINKS_OUT,
    COUNTER_LINKS_IN,
    COUNTER_PCIE_OUT,
    COUNTER_PCIE_IN,
    COUNTER_TASKS,   /* from here on, of flow graphs */
    COUNTER_LANES,
    COUNTER_YIELDS,
    COUNTER_AGGREGATOR,
    COUNTER_STALLED,
    COUNTER_COUNT    /* behind them two for each channel that is shown: reserved, ready */
};

/* A value of a counter from that cycle on; a ratio over nothing is none. */
void trace_counter(Trace *trace, unsigned counter, Cycle time, Ratio value);

/* -- flow graphs -- */

/* Finds out whether there were any, and which of their channels are shown. */
void trace_find_flows(Trace *trace);
/* Counters that they add. */
uint32_t trace_flow_counters(const Trace *trace);
/* A sample of several that ends with sample `last`, of which `sums` are the rows. */
void trace_flow_sample(Trace *trace, const Series *series, const uint64_t *sums, uint32_t last, Cycle begin);
void trace_flow_silence(Trace *trace, Cycle time);
void trace_name_channel(const Trace *trace, uint32_t counter, char *text, size_t size);

/* -- what is shown: `most` events at most -- */

void trace_kernels(Trace *trace, uint64_t most);
void trace_copies(Trace *trace, uint64_t most);
void trace_counters(Trace *trace, uint64_t most);
/* Before the next four: these refer to stays. */
void trace_stays(Trace *trace, uint64_t most);
/* As many as have been kept, of the stays that are shown. */
void trace_barriers(Trace *trace);
void trace_launches(Trace *trace, uint64_t most);
void trace_waits(Trace *trace, uint64_t most);
void trace_edges(Trace *trace, uint64_t most);

#endif

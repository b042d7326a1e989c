/* Units beside the SMs: a table of events, a controller, an aggregator. Kernels reach them by functions that
 * they call.
 *
 * A unit is one file of unit/, which opens by naming its paper and ends with one constant,
 * `const UnitKind unit_<file name>`. A .def of the same name beside it holds what is its own: knobs and
 * counters (base/policy.h), the functions that kernels call (exec/intrinsics.def), and what warps wait for
 * there (exec/block_wait.def). The build finds both.
 *
 *   post     A function that a kernel calls sends the unit a word. It arrives the unit's latency later.
 *   take     The unit takes words in by their arrival, those of one cycle in the order of the calls.
 *   answer   It ends a warp's wait (exec/block_wait.h). That wait is over the latency later.
 *   memory   A unit that says so (has_memory) has a port into global memory (mem/memory_port.h).
 *   advance  A unit that works by itself names the cycles in which it does.
 *   tell     It sends the unit of its kind on another GPU of the system a word, over the links.
 *
 * A unit and its state live as long as the machine: from launch to launch, until knobs change or a launch
 * fails. What kernels left behind in it is there for the next one, unless the unit has `begin`: then it
 * forgets when a kernel begins on a GPU that runs no other. A launch that begins beside another one finds
 * what that one has done. A unit that keeps the launches apart has `end`.
 *
 * A unit is a shard (sim/shard.h): nobody else touches its state within a window. Its latency is a knob of
 * its own, and no window is longer than the shortest latency of the units that are there. Their numbers lie
 * behind that of the front end. In functional mode there is no time: a word is taken in at once, by the same
 * function, and an answer is there at once. examples/grid/unit/events.c is a unit to begin with. */
#ifndef GRID_UNIT_H
#define GRID_UNIT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/policy.h"
#include "config/config.h"
#include "exec/block_wait.h"
#include "exec/intrinsic.h"
#include "mem/hub.h"
#include "mem/memory_port.h"
#include "mem/space.h"
#include "sim/shard.h"

struct Family;

typedef struct OuterUnit OuterUnit;

/* A knob of GpuConfig; without a name, none. */
typedef struct UnitKnob {
    const char *name;
    size_t place;
} UnitKnob;
#define UNIT_KNOB(field) {#field, offsetof(GpuConfig, field)}

/* A place in a kernel that outlives its block, for sentences. */
typedef struct CallPlace {
    const Program *program;
    const struct Family *root; /* of the host's launch that it comes from */
    uint32_t block[3];
    uint32_t pc;
} CallPlace;

typedef struct UnitWord {
    uint32_t kind;        /* means what the unit and its functions agree on, as do the values */
    Warp *warp;           /* that waits for an answer; null: none does */
    uint64_t values[3];
    CallPlace place;      /* where it comes from, of words that may be wrong */
} UnitWord;

/* What a unit tells the unit of its kind on another GPU: the data of a HubWord, which arrives as such a
 * message. */
enum { MESSAGE_PEER = 56 };
enum { PEER_VALUES = 7 };
typedef struct PeerWord {
    uint32_t kind;        /* means what both agree on, as do the values */
    uint32_t from;        /* the sender's GPU: unit_tell() says so */
    uint64_t values[PEER_VALUES];
} PeerWord;

/* What a unit says of itself; functions that it does not need are null. All but describe run where only the
 * unit may be touched. */
typedef struct UnitKind {
    Policy about;
    UnitKnob present;     /* true: the GPU has it; without one every GPU has */
    UnitKnob latency;     /* cycles of a word to the unit, and of an answer from it; 0: crossbar_latency */
    bool has_memory;      /* in cycle mode it has unit->port, where accesses end before words are taken in */
    void *(*create)(OuterUnit *unit); /* its state; configuration and counters are there */
    void (*free)(void *state);
    /* A kernel begins on a GPU that runs no other, also the first: what it finds, and its time, must not
     * depend on those before it. Nobody waits at the unit then. Words of theirs that have not arrived and an
     * alarm that has not come are dropped before. Null: all of that stays. */
    void (*begin)(OuterUnit *unit);
    /* A launch of the host has ended, with all that it launched: its family is about to be freed. True: the
     * unit has counted something for it. */
    bool (*end)(OuterUnit *unit, const struct Family *root, Cycle now);
    void (*take)(OuterUnit *unit, const UnitWord *word, Cycle now);
    /* The cycle of unit_set_alarm() has come, behind the words of that cycle. */
    void (*alarm)(OuterUnit *unit, Cycle now);
    /* A message of another shard, before words are taken in; null: none comes but replies of memory. */
    void (*hear)(OuterUnit *unit, const Message *message, Cycle now);
    /* A word of the unit of its kind on another GPU, before words are taken in; null: none comes. */
    void (*told)(OuterUnit *unit, const PeerWord *word, Cycle now);
    /* What the unit does by itself: the first cycle in which there is something, of which accesses that end
     * and all of the above may make an earlier one; and that cycle has come, behind all of the above. Both
     * are null, or neither is. */
    Cycle (*next)(const OuterUnit *unit);
    void (*advance)(OuterUnit *unit, Cycle now);
    /* Of one with `next`: whether it only looks for something to do, and has found nothing for a long time;
     * null: what it does counts. */
    bool (*is_looking)(const OuterUnit *unit);
    /* Whether something is under way for it elsewhere, between other units; null: nothing ever is. */
    bool (*is_busy)(const OuterUnit *unit);
    /* Brings its counters up to cycle `now`, for reports between windows; null: they always are. */
    void (*account)(OuterUnit *unit, Cycle now);
    /* Writes who waits at it, for reports of hangs: sentences, each with its full stop, or an empty text
     * where nobody does. It writes from the beginning of `text`; the caller joins the texts of units. */
    void (*describe)(const OuterUnit *unit, char *text, size_t size);
} UnitKind;

/* Ends the wait of the warp, or all waits of the block's warps for that reason; the other is null. */
typedef struct UnitAnswer {
    Warp *warp;
    Block *block;
    WaitReason reason;
} UnitAnswer;

typedef struct UnitArrival {
    Cycle time;
    UnitWord word;
} UnitArrival;

/* What a unit has found wrong. Invariant: `time` is CYCLE_NEVER if there is nothing to be told of it, or no
 * more. */
typedef struct UnitFailure {
    Error error;
    Cycle time;
    const struct Family *root; /* of the launch that has to end */
} UnitFailure;

/* Invariant: arrivals from first_arrival on are those that have not been taken in, by time; answers from
 * first_answer on are those whose waits are to be ended between windows, in their order. */
struct OuterUnit {
    Shard shard;
    const UnitKind *kind;
    const GpuConfig *config;
    void *state;
    void *counters;       /* of its .def; null: none */
    Cycle latency;        /* 0: there is no time */
    Cycle alarm;          /* CYCLE_NEVER: none is set */
    VEC(UnitArrival) arrivals;
    uint32_t first_arrival;
    VEC(UnitAnswer) answers;
    uint32_t first_answer;
    MemoryPort *port;     /* null: it has none */
    HubPort *link;        /* of one that is told words of other GPUs; null: there is none */
    struct UnitGroup *group; /* of its GPU's system; null: it is a unit alone */
    uint32_t gpu;         /* its GPU's index there */
    uint64_t words_sent, words_told; /* to and by others of its kind */
    uint64_t changes;     /* of memory, by itself: kernels may see them later */
    UnitFailure failure;
};

/* -- for functions that kernels call -- */

/* The unit of the machine that runs the call. Null: the GPU has none, and the call has failed for that. */
OuterUnit *unit_of(IntrinsicCall *call, const UnitKind *kind);
/* Sends a word in the call's cycle. The wait of word.warp, if it waits, has begun before. */
void unit_post(OuterUnit *unit, const IntrinsicCall *call, UnitWord word);
/* The same between windows, in that cycle: for calls of whole blocks (exec/block_call.h). */
void unit_send(OuterUnit *unit, UnitWord word, Cycle now);
/* The same within a window of one of the machine's SMs, in its cycle. */
void unit_send_later(OuterUnit *unit, struct Machine *machine, UnitWord word);

/* The unit of a machine; null: it has none of the kind. */
OuterUnit *unit_find(const struct Machine *machine, const UnitKind *kind);
/* The block's instruction. */
CallPlace unit_place(const Block *block, uint32_t pc);
/* "k.ptx:12:3 (k.cu:4)"; returns the text. */
const char *unit_place_text(const CallPlace *place, char *text, size_t size);

/* -- for the unit itself -- */

/* Ends the wait of a warp that has posted a word. */
void unit_answer(OuterUnit *unit, Warp *warp, Cycle now);
/* Ends the waits of all warps of a block for that reason. */
void unit_answer_block(OuterUnit *unit, Block *block, WaitReason reason, Cycle now);
/* Calls `alarm` in that cycle, which must come, and not in an earlier one that was set; without time, when
 * the word that is being taken in has been. */
void unit_set_alarm(OuterUnit *unit, Cycle time);
/* A word that has been taken in is wrong: that launch of the host ends with the sentence, which has no full
 * stop, as those of step_error(). The first one counts. */
void unit_fail(OuterUnit *unit, const struct Family *root, Cycle now, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* -- units of several GPUs (unit_group.c) -- */

/* A call in a kernel by its texts, which outlive kernel and module. */
typedef struct CallSite {
    const char *kernel, *place;
} CallSite;

/* The units of a system's GPUs that run in one mode. It changes between windows only. Invariant: items[i] are
 * those of GPU i, or null: it has none now. */
typedef struct UnitGroup {
    struct OuterUnits *items[SPACE_MOST];
    uint32_t count;       /* GPUs of the system, closed ones included */
    uint32_t node_gpus;   /* of a node, in the order of their numbers: links connect those; 0: all */
    VEC(CallSite *) sites;
    Arena arena;          /* of their texts */
    const Program *program; /* the call that was asked for last */
    uint64_t grid_id;
    uint32_t pc;
    const CallSite *site;
} UnitGroup;

void unit_group_free(UnitGroup *group);
/* The block's instruction. Between windows. */
const CallSite *unit_group_site(UnitGroup *group, const Block *block, uint32_t pc);
/* The unit of its kind on that GPU of its node; null: there is none. */
OuterUnit *unit_peer(const OuterUnit *unit, uint32_t gpu);
/* Whether words between units of its kind are on their way. Between windows. */
bool unit_words_under_way(const OuterUnit *unit);
/* That a call may name the GPU: it is one of the node's. False: the call has failed for that. */
bool unit_check_gpu(IntrinsicCall *call, const OuterUnit *unit, unsigned lane, uint32_t gpu);
/* Sends a word to its kind on another GPU, which has one, in that cycle or a later one; so many bytes of it
 * count on the links. Without time it is taken in at once. */
void unit_tell(OuterUnit *unit, uint32_t gpu, PeerWord word, uint32_t bytes, Cycle now);
/* Without time: what it, or another of its kind that it has told something, found wrong; null: nothing. */
const Error *unit_failed_untimed(const OuterUnit *unit);

/* -- for the machine -- */

/* One alone, whether the configuration has it or not; the configuration must live as long. */
OuterUnit *unit_create(const UnitKind *kind, const GpuConfig *config, bool is_timed);
void unit_free(OuterUnit *unit);

/* The units that a configuration has. */
typedef struct OuterUnits {
    GpuConfig config;     /* that they were made for */
    UnitGroup *group;     /* null: they are alone */
    uint32_t gpu;         /* index of their GPU in it */
    uint32_t count;
    OuterUnit *items[];
} OuterUnits;

OuterUnits *outer_units_create(const GpuConfig *config, bool is_timed);
/* Gives the units that want one a port at the crossbar, which must outlive them, and a way to other GPUs. */
void outer_units_connect(OuterUnits *units, Crossbar *crossbar);
/* They are the units of that GPU of the system until they are freed. */
void outer_units_join(OuterUnits *units, UnitGroup *group, uint32_t gpu);
void outer_units_free(OuterUnits *units);
uint32_t outer_units_count(const GpuConfig *config);
/* The shortest latency of any of them; CYCLE_NEVER: there are none. */
Cycle outer_units_latency(const GpuConfig *config);
/* The first cycle in which one of them has something to do, 0 while one waits for memory; CYCLE_NEVER: none
 * has, or all do is look for something. Between windows. */
Cycle outer_units_next(const OuterUnits *units);
/* Changes of memory that they have made by themselves, ever. */
uint64_t outer_units_changes(const OuterUnits *units);
/* A kernel begins on a GPU that runs no other. Between windows. */
void outer_units_begin(OuterUnits *units);
/* The host's launch with that family has ended, in that cycle; true: counters may have changed. Between
 * windows. */
bool outer_units_end(OuterUnits *units, const struct Family *root, Cycle now);
/* What a unit has found wrong, told once; null: nothing. */
const UnitFailure *outer_units_failure(OuterUnits *units);
/* What the unit of that table has counted; null: there is none. */
void *outer_units_counters(const OuterUnits *units, const StatTable *table);
/* Brings that up to cycle `now`. */
void outer_units_account(const OuterUnits *units, const StatTable *table, Cycle now);
/* The unit of that kind; null: there is none. */
OuterUnit *outer_units_find(const OuterUnits *units, const UnitKind *kind);
/* Sentences about who waits at which unit, on this GPU and on others; empty: nobody does. */
void outer_units_describe(const OuterUnits *units, char *text, size_t size);
/* All kinds, by file name; null behind the last. */
const UnitKind *unit_kind_at(size_t index);

#endif

/* What a block knows of an event's last round is a bit: it is over. Who waits in a round knows, when that is
 * over, what all who took part in it knew before. */
#include "event_graphs.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "harness.h"

#define CALL(function)                                                                                       \
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %e; st.param.b32 [b], %t; call " function             \
    ", (a, b); }\n"

/* [1]: where each block's first operation is; [2]: where the words are that blocks store. An operation is a
 * kind and two values; only the first thread stores, looks and signals for itself. */
const char event_graphs_ptx[] = PTX_HEADER
    ".extern .func wb_wait(.param .b32 event, .param .b32 target);\n"
    ".extern .func wb_signal(.param .b32 event, .param .b32 target);\n"
    ".extern .func wb_signal_each(.param .b32 event, .param .b32 target);\n"
    ".visible .entry k(.param .u64 out) {\n"
    ".reg .u64 %o, %d, %p, %x; .reg .u32 %k, %e, %t, %n, %m; .reg .pred %q, %z;\n"
    "ld.param.u64 %o, [out]; mov.u32 %m, %tid.x; setp.ne.u32 %z, %m, 0; mov.u32 %m, %ctaid.x;\n"
    "ld.global.u32 %n, [%o + 4]; add.u32 %n, %n, %m; mad.wide.u32 %p, %n, 4, %o;\n"
    "ld.global.u32 %n, [%p]; mad.wide.u32 %p, %n, 4, %o;\n"
    "ld.global.u32 %n, [%o + 8]; mad.wide.u32 %d, %n, 4, %o;\n"
    "next: ld.global.u32 %k, [%p]; ld.global.u32 %e, [%p + 4]; ld.global.u32 %t, [%p + 8];\n"
    "add.u64 %p, %p, 12; mad.wide.u32 %x, %e, 4, %d;\n"
    "setp.eq.u32 %q, %k, 0; @%q bra done; setp.eq.u32 %q, %k, 1; @%q bra wait;\n"
    "setp.eq.u32 %q, %k, 2; @%q bra signal; @%z bra next; setp.eq.u32 %q, %k, 3; @%q bra each;\n"
    "setp.eq.u32 %q, %k, 4; @%q bra store;\n"
    "ld.global.u32 %n, [%x]; setp.ge.u32 %q, %n, %t; @%q bra next; red.global.add.u32 [%o], 1; bra next;\n"
    "wait: " CALL("wb_wait") "bra next;\n"
    "signal: " CALL("wb_signal") "bra next;\n"
    "each: " CALL("wb_signal_each") "bra next;\n"
    "store: st.global.u32 [%x], %t; bra next;\n"
    "done: ret; }\n";

enum { OP_END, OP_WAIT, OP_SIGNAL, OP_SIGNAL_EACH, OP_STORE, OP_CHECK, MOST_BLOCKS = 32, MOST_EVENTS = 64 };

typedef VEC(uint32_t) Words;

/* A graph that is being made. */
typedef struct Maker {
    uint32_t random;
    Words *ops;              /* of each block of all graphs */
    uint32_t first_block, blocks;
    uint32_t first_event, events;
    uint64_t knows[MOST_BLOCKS]; /* bit e: the last round of event e is over */
} Maker;

static uint32_t draw(Maker *maker, uint32_t below)
{
    maker->random = maker->random * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(maker->random >> 8) * below >> 24);
}

static void put(Maker *maker, uint32_t block, uint32_t kind, uint32_t a, uint32_t b)
{
    Words *ops = &maker->ops[maker->first_block + block];
    VEC_PUSH(ops, kind);
    VEC_PUSH(ops, a);
    VEC_PUSH(ops, b);
}

/* A number that all of them know to be free, or a new one. */
static uint32_t choose_event(Maker *maker, uint32_t members, bool *is_recycled)
{
    uint64_t known = ~(uint64_t)0;
    for (uint32_t block = 0; block < maker->blocks; block++)
        known &= members >> block & 1 ? maker->knows[block] : ~(uint64_t)0;
    known &= ((uint64_t)1 << maker->events) - 1;
    *is_recycled = known;
    return known ? (uint32_t)__builtin_ctzll(known) : maker->events++;
}

static void learn(Maker *maker, uint32_t waiting, uint32_t members, uint32_t event)
{
    uint64_t all = 0;
    for (uint32_t block = 0; block < maker->blocks; block++)
        all |= members >> block & 1 ? maker->knows[block] : 0;
    for (uint32_t block = 0; block < maker->blocks; block++) {
        maker->knows[block] &= ~((uint64_t)1 << event);
        if (waiting >> block & 1)
            maker->knows[block] |= all | (uint64_t)1 << event;
    }
}

/* Returns the event. One that both signals and waits signals first. */
static uint32_t make_round(Maker *maker, EventGraphs *graphs, uint32_t number, bool is_short)
{
    const uint32_t all = (uint32_t)(((uint64_t)1 << maker->blocks) - 1);
    uint32_t waiting = draw(maker, all) + 1, signalling = draw(maker, all) + 1;
    if (draw(maker, 4))
        signalling &= ~waiting;
    if (!signalling) {
        signalling = 1u << draw(maker, maker->blocks);
        waiting &= waiting == signalling ? ~0u : ~signalling;
    }
    const uint32_t waits = (uint32_t)__builtin_popcount(waiting),
                   signals = (uint32_t)__builtin_popcount(signalling);
    bool is_recycled;
    const uint32_t event = choose_event(maker, waiting | signalling, &is_recycled);
    for (uint32_t block = 0; block < maker->blocks; block++) {
        if (!(signalling >> block & 1))
            continue;
        put(maker, block, OP_STORE, maker->first_block + block, number + 1);
        if (!is_short)
            put(maker, block, draw(maker, 4) ? OP_SIGNAL : OP_SIGNAL_EACH, maker->first_event + event,
                waits + signals);
        is_short = false;
    }
    for (uint32_t block = 0; block < maker->blocks; block++) {
        if (!(waiting >> block & 1))
            continue;
        put(maker, block, OP_WAIT, maker->first_event + event, waits + signals);
        for (uint32_t other = 0; other < maker->blocks; other++)
            if (signalling >> other & 1)
                put(maker, block, OP_CHECK, maker->first_block + other, number + 1);
    }
    learn(maker, waiting, waiting | signalling, event);
    graphs->rounds++;
    graphs->waits += waits;
    graphs->signals += signals;
    graphs->recycled += is_recycled;
    return maker->first_event + event;
}

static void write_table(EventGraphs *graphs, const Words *ops)
{
    size_t words = 3 + 2 * (size_t)graphs->blocks;
    for (uint32_t i = 0; i < graphs->blocks; i++)
        words += ops[i].count;
    graphs->table = xcalloc(words, sizeof *graphs->table);
    graphs->words = words;
    graphs->table[1] = 3 + graphs->blocks;
    graphs->table[2] = 3;
    uint32_t at = 3 + 2 * graphs->blocks;
    for (uint32_t i = 0; i < graphs->blocks; i++) {
        graphs->table[3 + graphs->blocks + i] = at;
        memcpy(graphs->table + at, ops[i].items, ops[i].count * sizeof(uint32_t));
        at += ops[i].count;
    }
}

void event_graphs_make(EventGraphs *graphs, const EventShape *shape, uint32_t *left_event)
{
    *graphs = (EventGraphs){0};
    Maker maker = {.random = shape->seed,
                   .ops = xcalloc((size_t)shape->graphs * shape->most_blocks, sizeof(Words))};
    for (uint32_t graph = 0; graph < shape->graphs; graph++) {
        maker.first_block = graphs->blocks;
        maker.first_event = graphs->events;
        maker.blocks = 2 + draw(&maker, shape->most_blocks - 1);
        maker.events = 0;
        memset(maker.knows, 0, sizeof maker.knows);
        const uint32_t rounds = 2 + draw(&maker, shape->most_rounds - 1);
        for (uint32_t round = 0; round < rounds && maker.events < MOST_EVENTS - 1; round++) {
            const bool is_short = graph == 0 && round == shape->left_out;
            const uint32_t event = make_round(&maker, graphs, round, is_short);
            if (is_short)
                *left_event = event;
        }
        for (uint32_t block = 0; block < maker.blocks; block++)
            put(&maker, block, OP_END, 0, 0);
        graphs->blocks += maker.blocks;
        graphs->events += maker.events;
    }
    write_table(graphs, maker.ops);
    for (uint32_t i = 0; i < graphs->blocks; i++)
        VEC_FREE(&maker.ops[i]);
    xfree(maker.ops);
}

void event_graphs_free(EventGraphs *graphs) { xfree(graphs->table); }

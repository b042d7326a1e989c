/* A programmable core: it runs one thread of a linked program (exec/program.h), in order or out of order.
 *
 * It belongs to a unit beside the SMs, which gives it a port into memory, a clock and registers of its own.
 * The program's loads and stores go through the core's data cache to global memory. Those from
 * WB_AGGREGATOR_REGISTERS on (include/warpbeam_flow_layout.h) reach the unit: in program order, each once,
 * and never for a path that is not taken. Local memory and parameters are the core's own.
 *
 *   code.h      what instructions of the program are to a core         compute.c   what they compute
 *   simple.c    the design that is not pipelined                       untimed.c   the core without time
 *   order.h     the out-of-order designs, a file a stage               predict.h   what foretells branches
 *   cache.c     the data cache, over a port                            memory.h    what stands in its place
 *   coherent_cache.c  the same where caches are coherent
 *
 * In cycle mode the owner works off the cycles that core_next() names, in this order: replies to its port,
 * the port, the core, and the port again, which sends what the core has asked for. In functional mode it
 * gives the core turns of some instructions. */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include "base/stat.h"
#include "config/config.h"
#include "core/design.h"
#include "exec/program.h"
#include "mem/memory_port.h"
#include "mem/space.h"
#include "sim/clock.h"

typedef struct Core Core;

typedef struct CoreStatistics {
#define COUNT(field, unit, description) uint64_t field;
#include "core/statistics.def"
#undef COUNT
} CoreStatistics;

extern const StatTable core_statistics;

/* The unit's registers. Both are called in the cycle in which the access takes effect; 0 in functional mode.
 * They may call core_stop(). */
typedef struct CoreDevice {
    uint64_t (*read)(void *context, uint32_t number, Cycle now);
    void (*write)(void *context, uint32_t number, uint64_t value, Cycle now);
    uint32_t count;   /* of registers; the program fails where it names another */
    void *context;
} CoreDevice;

/* All that is pointed to must outlive the core, but for the parameters. */
typedef struct CoreSetup {
    CoreDesignNumber design;
    const Program *program;   /* linked with a width of 32 or 64; lane 0 of it runs */
    const void *parameters;   /* program->parameter_bytes of them; copied */
    const AddressSpace *space;
    const GpuConfig *config;  /* knobs of core.def */
    CoreDevice device;
    Clock clock;              /* of the core: clock_of(its kHz, config->clock_khz) */
    MemoryPort *port;         /* null: functional mode */
    Cycle start;              /* of its first instruction */
    const uint8_t *own;       /* host memory of what nobody but the program reads; null: there is none */
    uint64_t own_bytes;
} CoreSetup;

typedef enum CoreState {
    CORE_RUNS,
    CORE_ENDED,   /* its program has returned, or core_stop() was called */
    CORE_FAILED   /* core_error() says why */
} CoreState;

/* Fails with a sentence for the first instruction of the program that a core cannot run. */
WbStatus core_create(const CoreSetup *setup, Core **core, Error *error);
/* Not while accesses are under way: core_is_idle(). */
void core_free(Core *core);

CoreState core_state(const Core *core);
/* The sentence, without its full stop. */
const Error *core_error(const Core *core);
const CoreStatistics *core_statistics_of(const Core *core);
/* Ends it: nothing behind the instruction that is ending now takes effect. */
void core_stop(Core *core);

/* Cycle mode: all that happens in cycle `now`, which is not before the last one. */
void core_advance(Core *core, Cycle now);
/* The first cycle in which it has something to do, accesses that come back through the port apart;
 * CYCLE_NEVER: none, as in functional mode. An access that comes back may make it earlier. */
Cycle core_next(const Core *core);
/* Whether nothing that it has asked for is under way. One that has ended becomes idle by its port alone. */
bool core_is_idle(const Core *core);

/* Functional mode: runs that many instructions, or fewer if it ends. Returns how many it ran. */
uint64_t core_run_untimed(Core *core, uint64_t instructions);

#endif

/* What all designs of a core share: its beginning and end, its instruction cache, its unit's registers. */
#include "core/core.h"

#include <string.h>

#include "base/alloc.h"
#include "core/state.h"
#include "mem/request.h"

static const Stat rows[] = {
#define COUNT(field, unit, description) {#field, unit, description, offsetof(CoreStatistics, field)},
#include "core/statistics.def"
#undef COUNT
};
const StatTable core_statistics = {rows, sizeof rows / sizeof *rows};

static void begin_timed(Core *core)
{
    const GpuConfig *config = core->setup.config;
    const uint64_t sets = config->aggregator_code_bytes / (config->aggregator_code_ways * LINE_BYTES);
    tags_init(&core->code_tags, sets ? (uint32_t)sets : 1, (uint32_t)config->aggregator_code_ways);
    core->code_line = UINT64_MAX;
    core->engine_kind = core->design->is_pipelined ? &core_engine_order : &core_engine_simple;
    core->engine = core->engine_kind->create(core);
    const bool is_coherent = config->l1_coherence == L1_COHERENCE_OWNERSHIP;
    core->memory_kind = is_coherent ? &core_coherent_kind : &core_cache_kind;
    core->memory =
        (is_coherent ? core_coherent_create : core_cache_create)(core, &core->setup, &core->statistics);
}

WbStatus core_create(const CoreSetup *setup, Core **created, Error *error)
{
    Core *core = xaligned(_Alignof(Core), sizeof *core);
    const Program *program = setup->program;
    memset(core, 0, sizeof *core);
    core->setup = *setup;
    core->design = &core_designs[setup->design];
    core->parameters = xcalloc(program->parameter_bytes + 1u, 1);
    core->local = xcalloc(program->local_bytes + 1u, 1);
    if (program->parameter_bytes)
        memcpy(core->parameters, setup->parameters, program->parameter_bytes);
    *created = NULL;
    WbStatus status = core_code_make(&core->code, program, core->parameters, error);
    if (status != WB_OK) {
        core_free(core);
        return status;
    }
    core->values = xcalloc(core->code.value_count, sizeof *core->values);
    memcpy(core->values, core->code.initial, core->code.value_count * sizeof *core->values);
    if (setup->port)
        begin_timed(core);
    *created = core;
    return WB_OK;
}

void core_free(Core *core)
{
    if (!core)
        return;
    if (core->memory)
        core->memory_kind->free(core->memory);
    if (core->engine) {
        core->engine_kind->free(core->engine);
        tags_free(&core->code_tags);
    }
    core_code_free(&core->code);
    xfree(core->values);
    xfree(core->parameters);
    xfree(core->local);
    xfree(core);
}

CoreState core_state(const Core *core) { return core->state; }
const Error *core_error(const Core *core) { return &core->error; }
const CoreStatistics *core_statistics_of(const Core *core) { return &core->statistics; }

void core_stop(Core *core)
{
    if (core->state == CORE_RUNS)
        core->state = CORE_ENDED;
}

/* -- time -- */

void core_advance(Core *core, Cycle now)
{
    const uint64_t behind = clock_tick(core->setup.clock, now + 1);
    if (behind && core->state == CORE_RUNS)
        core->engine_kind->advance(core->engine, behind - 1);
}

Cycle core_next(const Core *core)
{
    const bool runs = core->engine && core->state == CORE_RUNS;
    const uint64_t tick = runs ? core->engine_kind->next(core->engine) : CORE_TICK_NEVER;
    return tick == CORE_TICK_NEVER ? CYCLE_NEVER : clock_cycle(core->setup.clock, tick);
}

bool core_is_idle(const Core *core) { return !core->memory || core->memory_kind->is_idle(core->memory); }

/* -- what memory tells -- */

void core_access_done(Core *core, uint32_t tag, uint64_t tick)
{
    core->engine_kind->access_done(core->engine, tag, tick);
}

void core_stores_visible(Core *core, uint64_t tick) { core->engine_kind->stores_visible(core->engine, tick); }

uint32_t core_tags(const Core *core) { return core->engine_kind->tags; }

static uint64_t code_address(uint32_t pc) { return SPACE_CODE_BASE + (uint64_t)pc * CORE_INSN_BYTES; }

bool core_code_is_there(Core *core, uint32_t pc, uint64_t tick)
{
    const uint64_t line = code_address(pc) / LINE_BYTES * LINE_BYTES;
    if (line == core->code_line)
        return true;
    core->code_line = line;
    const uint32_t index = tags_find(&core->code_tags, line);
    if (index != TAGS_NONE) {
        tags_use(&core->code_tags, index);
        return true;
    }
    core->statistics.core_instruction_misses++;
    core->memory_kind->fetch(core->memory, line, tick);
    return false;
}

/* One line at a time is on its way, that which was looked for last. */
void core_code_done(Core *core, uint64_t tick)
{
    const uint32_t index = tags_choose(&core->code_tags, core->code_line);
    tags_replace(&core->code_tags, index, core->code_line);
    core->code_tags.lines[index].valid = (1u << LINE_SECTORS) - 1; /* else it counts as free */
    core->engine_kind->code_done(core->engine, tick);
}

/* -- the unit's registers -- */

uint64_t core_device_read(Core *core, uint32_t number, uint64_t tick)
{
    const CoreDevice *device = &core->setup.device;
    core->statistics.core_device_reads++;
    return device->read(device->context, number, clock_cycle(core->setup.clock, tick));
}

void core_device_write(Core *core, uint32_t number, uint64_t value, uint64_t tick)
{
    const CoreDevice *device = &core->setup.device;
    core->statistics.core_device_writes++;
    device->write(device->context, number, value, clock_cycle(core->setup.clock, tick));
}

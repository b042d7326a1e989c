/* Where accesses of a core go, and what is said of those that go nowhere. A path that is not taken may make
 * any address: so looking fails nothing, and only an instruction that ends says what is wrong. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/state.h"
#include "warpbeam_flow_layout.h"

static const CorePlace nothing = {.where = CORE_AT_NOTHING};

static CorePlace home(uint8_t *memory, uint64_t size, uint64_t offset, uint32_t bytes)
{
    return offset <= size && bytes <= size - offset
               ? (CorePlace){.where = CORE_AT_HOME, .place = memory + offset}
               : nothing;
}

static CorePlace device(const Core *core, uint64_t offset, uint32_t bytes)
{
    return bytes == 8 && offset / 8 < core->setup.device.count
               ? (CorePlace){.where = CORE_AT_DEVICE, .number = (uint32_t)(offset / 8)}
               : nothing;
}

CorePlace core_place(Core *core, uint32_t pc, uint64_t address, uint32_t bytes, bool writes)
{
    if (address % bytes)
        return nothing;
    if (address < SPACE_GLOBAL_END) {
        const Allocation *found =
            space_find_again(core->setup.space, &core->allocations, pc, address, bytes);
        return found && !(writes && found->read_only)
                   ? (CorePlace){.where = CORE_AT_MEMORY, .place = found->host + (address - found->base)}
                   : nothing;
    }
    if (address >= WB_AGGREGATOR_REGISTERS)
        return device(core, address - WB_AGGREGATOR_REGISTERS, bytes);
    switch (address & ~(uint64_t)UINT32_MAX) {
    case SPACE_LOCAL_BASE:
        return home(core->local, core->setup.program->local_bytes, address - SPACE_LOCAL_BASE, bytes);
    case SPACE_PARAM_BASE:
        return writes ? nothing
                      : home(core->parameters, core->setup.program->parameter_bytes,
                             address - SPACE_PARAM_BASE, bytes);
    default:
        return nothing;
    }
}

/* -- sentences -- */

void core_fail(Core *core, uint32_t pc, WbStatus status, const char *format, ...)
{
    const Program *program = core->setup.program;
    const Insn *insn = &program->code[pc];
    char sentence[1024], place[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    module_place_text(program->functions[insn->function].module, insn->ptx, place, sizeof place);
    error_set(&core->error, status, "%s: the aggregator's program '%.200s' %s", place, program->name,
              sentence);
    core->state = CORE_FAILED;
}

void core_fail_access(Core *core, uint32_t pc, uint64_t address)
{
    const CoreInsn *insn = &core->code.insns[pc];
    const uint32_t bytes = core_access_bytes(insn);
    const char *verb = insn->kind == CORE_STORE ? "stores" : "loads";
    char where[512];
    if (address % bytes)
        core_fail(core, pc, WB_ERROR_ADDRESS, "%s %u bytes at 0x%" PRIx64 ", which is not a multiple of that",
                  verb, bytes, address);
    else if (address >= WB_AGGREGATOR_REGISTERS)
        core_fail(core, pc, WB_ERROR_ADDRESS,
                  "%s %u bytes at 0x%" PRIx64 ", where there is no register: there are %u, of 8 bytes each",
                  verb, bytes, address, core->setup.device.count);
    else if (insn->kind == CORE_STORE && space_find(core->setup.space, address, bytes))
        core_fail(core, pc, WB_ERROR_ADDRESS, "stores %u bytes at 0x%" PRIx64 ", which may only be read",
                  bytes, address);
    else
        core_fail(core, pc, WB_ERROR_ADDRESS, "%s %u bytes at 0x%" PRIx64 ", which is %s", verb, bytes,
                  address, space_describe(core->setup.space, address, where, sizeof where));
}

void core_fail_jump(Core *core, uint32_t pc, uint64_t index)
{
    core_fail(core, pc, WB_ERROR_EXECUTION, "has brx.idx with index %" PRIu64 " into a list of %u targets",
              index, core->code.insns[pc].table->count);
}

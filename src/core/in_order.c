/* In program order: an instruction, and what it needs of others. */
#include "core/in_order.h"

#include <string.h>

uint32_t core_jump_target(const CoreInsn *insn, const uint64_t *in)
{
    if (insn->kind == CORE_BRANCH)
        return insn->target;
    return in[0] < insn->table->count ? insn->table->targets[in[0]] : NO_INDEX;
}

static void jump(Core *core, const CoreInsn *insn, const uint64_t *in)
{
    const uint32_t target = core_jump_target(insn, in);
    if (target == NO_INDEX) {
        core_fail_jump(core, core->pc, in[0]);
        return;
    }
    core->pc = target;
    if (target == core->code.count)
        core->state = CORE_ENDED;
}

static InOrderStep begin_access(Core *core, const CoreInsn *insn, const uint64_t *in, InOrderAccess *access)
{
    access->address = core_address(insn, in[0]);
    access->bytes = core_access_bytes(insn);
    access->place = core_place(core, core->pc, access->address, access->bytes, insn->kind == CORE_STORE);
    if (insn->kind == CORE_STORE)
        core_pack(insn, in, access->data);
    if (access->place.where != CORE_AT_NOTHING)
        return IN_ORDER_ACCESS;
    core_fail_access(core, core->pc, access->address);
    return IN_ORDER_DONE;
}

InOrderStep in_order_step(Core *core, InOrderAccess *access)
{
    const CoreInsn *insn = &core->code.insns[core->pc];
    uint64_t in[CORE_SOURCES], out[CORE_DESTINATIONS];
    core_read(core, insn, in);
    core->statistics.core_instructions++;
    core->statistics.core_branches += core_is_jump(insn) && insn->input_count;
    if (!core_is_guard_true(insn, in)) {
        core->pc++;
        return IN_ORDER_DONE;
    }
    switch (insn->kind) {
    case CORE_LOAD:
    case CORE_STORE:
        return begin_access(core, insn, in, access);
    case CORE_BRANCH:
    case CORE_TABLE:
        jump(core, insn, in);
        return IN_ORDER_DONE;
    case CORE_FENCE:
        return IN_ORDER_FENCE;
    case CORE_TRAP:
        core_fail(core, core->pc, WB_ERROR_EXECUTION, "executes a trap");
        return IN_ORDER_DONE;
    default:
        core_compute(insn, &core->lanes, in, out);
        core_write(core, insn, out);
        core->pc++;
        return IN_ORDER_DONE;
    }
}

void in_order_end_access(Core *core, const InOrderAccess *access)
{
    const CoreInsn *insn = &core->code.insns[core->pc];
    const bool loads = insn->kind == CORE_LOAD;
    uint64_t out[CORE_DESTINATIONS];
    if (loads) {
        core_unpack(insn, access->data, out);
        core_write(core, insn, out);
    }
    core->statistics.core_loads += loads && access->place.where == CORE_AT_MEMORY;
    if (!loads)
        core_count_store(core, &access->place);
    core->pc++;
}

void in_order_copy(const CoreInsn *insn, InOrderAccess *access)
{
    if (insn->kind == CORE_LOAD)
        memcpy(access->data, access->place.place, access->bytes);
    else
        memcpy(access->place.place, access->data, access->bytes);
}

void in_order_device(Core *core, InOrderAccess *access, uint64_t tick)
{
    uint64_t value;
    if (core->code.insns[core->pc].kind == CORE_LOAD) {
        value = core_device_read(core, access->place.number, tick);
        memcpy(access->data, &value, sizeof value);
    } else {
        memcpy(&value, access->data, sizeof value);
        core_device_write(core, access->place.number, value, tick);
    }
}

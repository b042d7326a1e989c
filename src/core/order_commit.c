/* Commit: instructions end in program order. What must happen once, in order and never on a wrong path
 * happens when its instruction is the oldest: accesses to the unit's registers, fences, failures, the end. */
#include "core/order.h"

static bool has_no_stores_before(const Order *order, const Slot *slot)
{
    return order->store_head == order->store_tail ||
           order->stores[order->store_head % ORDER_STORES].number >= slot->number;
}

/* A register is written when all that was stored before has left. */
static void reach(Order *order, Slot *slot)
{
    Core *core = order->core;
    if (!slot->is_reaching) {
        if (slot->insn->kind == CORE_STORE && !has_no_stores_before(order, slot))
            return;
        slot->is_reaching = true;
        slot->done = order->tick + core->setup.config->aggregator_register_latency - 1;
    }
    if (slot->done > order->tick)
        return;
    uint64_t value;
    if (slot->insn->kind == CORE_LOAD) {
        value = core_device_read(core, slot->place.number, order->tick);
        core_unpack(slot->insn, (const uint8_t *)&value, slot->values);
    } else {
        memcpy(&value, order_store(order, slot->store)->data, sizeof value);
        core_device_write(core, slot->place.number, value, order->tick);
    }
    slot->is_at_device = false;
    order_done_at(order, slot, order->tick + 1);
}

/* The oldest one is not done: goes on with it if it had to wait for being that. */
static void press(Order *order, Slot *slot)
{
    Core *core = order->core;
    const uint32_t place = (uint32_t)slot->number & order->slot_mask;
    if (slots_have(&order->executing, place) || slot->is_queued)
        return;
    if (slot->is_at_device)
        reach(order, slot);
    else if (slot->insn->kind == CORE_FENCE && has_no_stores_before(order, slot) &&
             core->memory_kind->is_visible(core->memory))
        order_done_at(order, slot, order->tick + 1);
}

static void fail(Core *core, const Slot *slot)
{
    if (slot->insn->kind == CORE_TABLE)
        core_fail_jump(core, slot->pc, slot->address);
    else if (slot->insn->kind == CORE_TRAP)
        core_fail(core, slot->pc, WB_ERROR_EXECUTION, "executes a trap");
    else
        core_fail_access(core, slot->pc, slot->address);
}

static void learn(Order *order, const Slot *slot)
{
    CoreStatistics *statistics = &order->core->statistics;
    const CoreInsn *insn = slot->insn;
    if (insn->kind == CORE_TABLE)
        order->predictor.targets[slot->pc % PREDICTOR_JUMPS] = slot->next;
    else if (insn->is_guarded)
        predictor_learn(&order->predictor, slot->pc, slot->history, slot->next != slot->pc + 1);
    statistics->core_branches += insn->input_count != 0;
    statistics->core_mispredictions += slot->next != slot->foretold;
}

static void commit_one(Order *order, Slot *slot)
{
    Core *core = order->core;
    CoreStatistics *statistics = &core->statistics;
    const CoreInsn *insn = slot->insn;
    core_write(core, insn, slot->values);
    order->renamed -= insn->destination_count;
    statistics->core_instructions++;
    if (insn->kind == CORE_LOAD) {
        order->loads_used--;
        statistics->core_loads += !slot->is_off && slot->place.where == CORE_AT_MEMORY;
    } else if (insn->kind == CORE_STORE) {
        order_store(order, slot->store)->is_committed = true;
        if (!slot->is_off)
            core_count_store(core, &slot->place);
    } else if (core_is_jump(insn)) {
        learn(order, slot);
        if (slot->next == core->code.count)
            core_stop(core);
    }
    order->head++;
    order->has_moved = true;
}

uint32_t order_commit(Order *order)
{
    Core *core = order->core;
    uint32_t count = 0;
    while (count < order->design->width && order->head < order->tail && core->state == CORE_RUNS) {
        Slot *slot = order_slot(order, order->head);
        if (!slot->is_done) {
            press(order, slot);
            break;
        }
        /* The program ends when all that it stored has left. */
        if (core_is_jump(slot->insn) && slot->next == core->code.count && !has_no_stores_before(order, slot))
            break;
        if (slot->is_wrong) {
            fail(core, slot);
            break;
        }
        commit_one(order, slot);
        count++;
    }
    return count;
}

/* Issue and completion: the oldest instructions whose sources are there are worked out, and what is done
 * wakes those that wait for it. A value is given on in the tick in which it is there. */
#include "core/order.h"

static void read_sources(const Order *order, const Slot *slot, uint64_t *in)
{
    const CoreInsn *insn = slot->insn;
    for (unsigned k = 0; k < insn->input_count; k++) {
        const uint64_t source = slot->source[k], number = source / CORE_DESTINATIONS;
        const uint64_t value =
            number >= order->head ? order->slots[number & order->slot_mask].values[source % CORE_DESTINATIONS]
                                  : order->core->values[insn->source[k]];
        in[k] = insn->negated >> k & 1 ? !value : value;
    }
}

static void execute_jump(Slot *slot, const uint64_t *in)
{
    const uint32_t target = core_jump_target(slot->insn, in);
    slot->address = slot->insn->kind == CORE_TABLE ? in[0] : 0;
    slot->is_wrong = target == NO_INDEX;
    slot->next = slot->is_wrong ? slot->pc + 1 : target;
}

/* The address; what becomes of it is for order_memory.c and commit. */
static void execute_access(Order *order, Slot *slot, const uint64_t *in)
{
    const CoreInsn *insn = slot->insn;
    const bool loads = insn->kind == CORE_LOAD;
    const uint32_t place = (uint32_t)slot->number & order->slot_mask, bytes = core_access_bytes(insn);
    slot->address = core_address(insn, in[0]);
    slot->place = core_place(order->core, slot->pc, slot->address, bytes, !loads);
    slot->is_wrong = slot->place.where == CORE_AT_NOTHING;
    slot->is_at_device = slot->place.where == CORE_AT_DEVICE;
    order->memory_changed = true;
    if (!loads) {
        OrderStore *store = order_store(order, slot->store);
        store->address = slot->address;
        store->place = slot->place.place;
        store->is_home = slot->place.where == CORE_AT_HOME;
        store->is_release = insn->is_release;
        /* A register is written from there, but no load finds it. */
        store->bytes = store->is_home || slot->place.where == CORE_AT_MEMORY ? bytes : 0;
        core_pack(insn, in, store->data);
        slots_remove(&order->unknown, place);
    } else if (slot->is_wrong || slot->is_at_device) {
        slots_remove(&order->strong, place);
    } else {
        slots_add(&order->loads, place);
    }
    if (slot->is_wrong || (!loads && !slot->is_at_device))
        order_done_at(order, slot, order->tick + 1);
}

/* Its guard is false: its destinations keep what they have. */
static void execute_nothing(Order *order, Slot *slot, const uint64_t *in)
{
    const CoreInsn *insn = slot->insn;
    const uint32_t place = (uint32_t)slot->number & order->slot_mask;
    slot->is_off = true;
    memcpy(slot->values, &in[insn->source_count + 1], insn->destination_count * sizeof *in);
    slots_remove(&order->strong, place);
    slots_remove(&order->unknown, place);
    order->memory_changed |= insn->kind == CORE_STORE || insn->kind == CORE_LOAD;
    order_done_at(order, slot, order->tick + 1);
}

void order_execute(Order *order, Slot *slot)
{
    const CoreInsn *insn = slot->insn;
    uint64_t in[CORE_SOURCES];
    read_sources(order, slot, in);
    if (!core_is_guard_true(insn, in)) {
        execute_nothing(order, slot, in);
        return;
    }
    switch (insn->kind) {
    case CORE_LOAD:
    case CORE_STORE:
        execute_access(order, slot, in);
        return;
    case CORE_FENCE: /* at commit */
        return;
    case CORE_BRANCH:
    case CORE_TABLE:
        execute_jump(slot, in);
        break;
    case CORE_TRAP:
        slot->is_wrong = true;
        break;
    default:
        core_compute(insn, &order->core->lanes, in, slot->values);
        break;
    }
    order_done_at(order, slot, order->tick + insn->latency);
}

void order_issue(Order *order)
{
    const uint32_t head = order_head_slot(order);
    for (uint32_t i = 0; i < order->design->width && slots_any(&order->ready); i++) {
        const uint32_t place = slots_oldest(&order->ready, head);
        Slot *slot = &order->slots[place];
        slots_remove(&order->ready, place);
        slot->is_queued = false;
        order->queued--;
        order->has_moved = true;
        order_execute(order, slot);
    }
}

static void wake(Order *order, Slot *slot)
{
    for (SlotSet waiters = slot->waiters; slots_any(&waiters);) {
        const uint32_t place = slots_lowest(&waiters);
        slots_remove(&waiters, place);
        if (!--order->slots[place].pending)
            slots_add(&order->ready, place);
    }
}

static void complete_one(Order *order, Slot *slot, uint32_t place)
{
    slot->is_done = true;
    slots_remove(&order->executing, place);
    order->has_moved = true;
    wake(order, slot);
    if (slots_have(&order->barriers, place)) {
        slots_remove(&order->barriers, place);
        order->memory_changed = true;
    }
    if (!core_is_jump(slot->insn) || slot->next == slot->foretold)
        return;
    order->predictor.history = slot->history;
    if (slot->insn->kind == CORE_BRANCH)
        predictor_follow(&order->predictor, slot->history, slot->next != slot->pc + 1);
    order_undo(order, slot->number, slot->next);
}

void order_complete(Order *order)
{
    const uint32_t head = order_head_slot(order);
    for (SlotSet left = order->executing; slots_any(&left);) {
        const uint32_t place = slots_oldest(&left, head);
        Slot *slot = &order->slots[place];
        slots_remove(&left, place);
        /* An older one may have undone it. */
        if (slot->done <= order->tick && slots_have(&order->executing, place))
            complete_one(order, slot, place);
    }
}

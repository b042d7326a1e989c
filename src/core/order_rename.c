/* Rename: instructions get slots, sources find who gives them their values; and how all of that is undone. */
#include "core/order.h"

/* What is worked out without waiting in the queue: it has nothing to wait for, or is done at commit. */
static bool needs_queue(const CoreInsn *insn) { return insn->input_count; }

static bool has_room(const Order *order, const CoreInsn *insn)
{
    const CoreDesign *design = order->design;
    if (order->tail - order->head == design->reorder)
        return false;
    if (needs_queue(insn) && order->queued == design->queue)
        return false;
    if (order->renamed + insn->destination_count > design->registers - CORE_OWN_REGISTERS)
        return false;
    if (insn->kind == CORE_LOAD)
        return order->loads_used < design->loads;
    return insn->kind != CORE_STORE || order->store_tail - order->store_head < design->stores;
}

static void find_sources(Order *order, Slot *slot, uint32_t place)
{
    const CoreInsn *insn = slot->insn;
    for (unsigned k = 0; k < insn->input_count; k++) {
        const uint64_t source = order->map[insn->source[k]];
        slot->source[k] = source;
        if (source / CORE_DESTINATIONS < order->head)
            continue;
        Slot *giver = order_slot(order, source / CORE_DESTINATIONS);
        if (giver->is_done || slots_have(&giver->waiters, place))
            continue;
        slots_add(&giver->waiters, place);
        slot->pending++;
    }
}

static void rename_destinations(Order *order, Slot *slot)
{
    const CoreInsn *insn = slot->insn;
    for (unsigned k = 0; k < insn->destination_count; k++) {
        uint64_t *giver = &order->map[insn->to[k].number];
        slot->before[k] = *giver;
        *giver = slot->number * CORE_DESTINATIONS + k;
    }
    order->renamed += insn->destination_count;
}

static void enter_memory(Order *order, Slot *slot, uint32_t place)
{
    const CoreInsn *insn = slot->insn;
    if (insn->kind == CORE_LOAD) {
        order->loads_used++;
        if (insn->is_strong)
            slots_add(&order->strong, place);
        if (insn->is_acquire)
            slots_add(&order->barriers, place);
    } else if (insn->kind == CORE_STORE) {
        slot->store = order->store_tail++;
        *order_store(order, slot->store) = (OrderStore){.number = slot->number, .taken = CORE_TICK_NEVER};
        slots_add(&order->unknown, place);
    } else if (insn->kind == CORE_FENCE) {
        slots_add(&order->barriers, place);
    }
}

static void rename_one(Order *order, const Fetched *fetched)
{
    const CoreInsn *insn = &order->core->code.insns[fetched->pc];
    const uint32_t place = (uint32_t)order->tail & order->slot_mask;
    Slot *slot = &order->slots[place];
    slot->insn = insn;
    slot->number = order->tail++;
    slot->birth = ++order->birth;
    slot->pc = fetched->pc;
    slot->foretold = fetched->next;
    slot->next = fetched->pc + 1;
    slot->history = fetched->history;
    slot->pending = 0;
    slot->is_queued = needs_queue(insn);
    slot->is_done = slot->is_off = slot->is_wrong = slot->is_at_device = slot->is_reaching = false;
    slot->waiters = (SlotSet){0};
    find_sources(order, slot, place);
    rename_destinations(order, slot);
    enter_memory(order, slot, place);
    order->is_behind_branch = false;
    if (!slot->is_queued) {
        order_execute(order, slot);
        return;
    }
    order->queued++;
    if (!slot->pending)
        slots_add(&order->ready, place);
}

void order_rename(Order *order)
{
    for (uint32_t i = 0; i < order->design->width && order->fetched_head != order->fetched_tail; i++) {
        const Fetched *fetched = &order->fetched[order->fetched_head % ORDER_FETCHED];
        if (fetched->ready > order->tick || !has_room(order, &order->core->code.insns[fetched->pc]))
            return;
        rename_one(order, fetched);
        order->fetched_head++;
        order->has_moved = true;
    }
}

/* -- undo -- */

static void undo_one(Order *order, Slot *slot, SlotSet *undone)
{
    const CoreInsn *insn = slot->insn;
    const uint32_t place = (uint32_t)slot->number & order->slot_mask;
    for (unsigned k = insn->destination_count; k-- > 0;)
        order->map[insn->to[k].number] = slot->before[k];
    order->renamed -= insn->destination_count;
    order->queued -= slot->is_queued;
    order->loads_used -= insn->kind == CORE_LOAD;
    order->store_tail -= insn->kind == CORE_STORE;
    slot->birth = 0; /* what it has asked memory for is for nobody */
    slots_add(undone, place);
}

static void take_out(SlotSet *set, const SlotSet *undone)
{
    for (unsigned i = 0; i < ORDER_SLOTS / 64; i++)
        set->words[i] &= ~undone->words[i];
}

void order_undo(Order *order, uint64_t number, uint32_t pc)
{
    SlotSet undone = {0};
    order->core->statistics.core_squashed += order->tail - number - 1;
    while (order->tail > number + 1)
        undo_one(order, order_slot(order, --order->tail), &undone);
    SlotSet *const sets[] = {&order->ready,  &order->executing, &order->loads,
                             &order->strong, &order->barriers,  &order->unknown};
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++)
        take_out(sets[i], &undone);
    for (uint64_t left = order->head; left < order->tail; left++)
        take_out(&order_slot(order, left)->waiters, &undone);
    order->fetched_head = order->fetched_tail;
    order->pc = pc;
    order->fetch_from = order->tick + 1;
    order->is_behind_branch = true;
    order->memory_changed = true;
    order->has_moved = true;
}

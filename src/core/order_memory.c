/* The load and the store queue.
 *
 * A load leaves when all older stores have addresses, and no older fence or acquiring load is under way. If
 * an older store writes all of its bytes, it gets them from there; if one writes some of them, it waits until
 * the cache has taken that store. Strong loads leave in program order. Stores leave in program order when
 * they have been committed, one in a tick. */
#include "core/order.h"

enum { LOADS_EACH_TICK = 1 };

/* The youngest store older than the load that writes some of its bytes; null: none. */
static OrderStore *writer_of(Order *order, const Slot *slot, uint32_t bytes)
{
    for (uint32_t place = order->store_tail; place != order->store_head; place--) {
        OrderStore *store = order_store(order, place - 1);
        if (store->number < slot->number && store->bytes && store->address < slot->address + bytes &&
            slot->address < store->address + store->bytes)
            return store;
    }
    return NULL;
}

static uint32_t new_request(Order *order)
{
    const uint32_t tag = order->free_request;
    if (tag != SLOT_NONE)
        order->free_request = order->requests[tag].next_free;
    return tag;
}

static void free_request(Order *order, uint32_t tag)
{
    order->requests[tag].next_free = order->free_request;
    order->free_request = tag;
}

/* Asks the memory. False: it cannot take it now. */
static bool ask(Order *order, const CoreAccess *form, bool loads, uint32_t place, uint64_t birth)
{
    Core *core = order->core;
    const uint32_t tag = new_request(order);
    if (tag == SLOT_NONE)
        return false;
    OrderRequest *request = &order->requests[tag];
    CoreAccess access = *form;
    *request = (OrderRequest){.is_store = !loads, .slot = place, .birth = birth};
    if (!loads)
        memcpy(request->data, form->data, form->bytes);
    access.data = request->data;
    access.tag = tag;
    if ((loads ? core->memory_kind->load : core->memory_kind->store)(core->memory, &access, order->tick))
        return true;
    free_request(order, tag);
    return false;
}

/* Whether the load has left. */
static bool send_load(Order *order, Slot *slot, uint32_t place)
{
    const uint64_t latency = order->core->setup.config->aggregator_cache_latency;
    const uint32_t bytes = core_access_bytes(slot->insn);
    const OrderStore *writer = writer_of(order, slot, bytes);
    if (writer) {
        if (slot->address < writer->address || slot->address + bytes > writer->address + writer->bytes)
            return false;
        core_unpack(slot->insn, writer->data + (slot->address - writer->address), slot->values);
        order->core->statistics.core_forwards++;
        order_done_at(order, slot, order->tick + latency);
    } else if (slot->place.where == CORE_AT_HOME) {
        core_unpack(slot->insn, slot->place.place, slot->values);
        order_done_at(order, slot, order->tick + latency);
    } else {
        const CoreAccess access = {.address = slot->address,
                                   .place = slot->place.place,
                                   .bytes = bytes,
                                   .is_strong = slot->insn->is_strong};
        if (!ask(order, &access, true, place, slot->birth)) {
            order->memory_changed = true; /* ask again */
            return false;
        }
    }
    return true;
}

static bool may_leave(const Order *order, const Slot *slot)
{
    return !order_has_older(order, &order->unknown, slot->number) &&
           !order_has_older(order, &order->barriers, slot->number) &&
           !(slot->insn->is_strong && order_has_older(order, &order->strong, slot->number));
}

static void send_loads(Order *order)
{
    const uint32_t head = order_head_slot(order);
    uint32_t sent = 0;
    order->memory_changed = false;
    for (SlotSet left = order->loads; slots_any(&left);) {
        const uint32_t place = slots_oldest(&left, head);
        Slot *slot = &order->slots[place];
        slots_remove(&left, place);
        if (sent == LOADS_EACH_TICK) {
            order->memory_changed = true;
            return;
        }
        if (!may_leave(order, slot) || !send_load(order, slot, place))
            continue;
        slots_remove(&order->loads, place);
        slots_remove(&order->strong, place);
        order->has_moved = true;
        sent++;
    }
}

/* -- stores -- */

static void drop_taken_stores(Order *order)
{
    while (order->store_head != order->store_tail &&
           order_store(order, order->store_head)->taken <= order->tick) {
        order->store_head++;
        order->memory_changed = true;
        order->has_moved = true;
    }
}

static void take_store(Order *order, OrderStore *store)
{
    store->is_sent = true;
    store->taken = order->tick + 1;
    if (store->is_home)
        memcpy(store->place, store->data, store->bytes);
}

static void send_store(Order *order)
{
    uint32_t place = order->store_head;
    while (place != order->store_tail && order_store(order, place)->is_sent)
        place++;
    if (place == order->store_tail || !order_store(order, place)->is_committed)
        return;
    OrderStore *store = order_store(order, place);
    Core *core = order->core;
    order->has_moved = true;
    if (store->is_home || !store->bytes) {
        take_store(order, store);
        return;
    }
    if (store->is_release && (place != order->store_head || !core->memory_kind->is_visible(core->memory)))
        return;
    const CoreAccess access = {
        .address = store->address, .place = store->place, .data = store->data, .bytes = store->bytes};
    store->is_sent = ask(order, &access, false, place, 0);
}

uint64_t order_next_store(const Order *order)
{
    if (order->store_head == order->store_tail)
        return CORE_TICK_NEVER;
    return order->stores[order->store_head % ORDER_STORES].taken;
}

void order_memory(Order *order)
{
    drop_taken_stores(order);
    if (order->memory_changed)
        send_loads(order);
    send_store(order);
}

void order_access_done(Order *order, uint32_t tag, uint64_t tick)
{
    OrderRequest *request = &order->requests[tag];
    if (request->is_store) {
        order_store(order, request->slot)->taken = order_wake(order, tick);
    } else if (order->slots[request->slot].birth == request->birth) {
        Slot *slot = &order->slots[request->slot];
        core_unpack(slot->insn, request->data, slot->values);
        order_done_at(order, slot, order_wake(order, tick));
    }
    free_request(order, tag);
}

/* Fetch: instructions of the foretold path, from one line of the instruction cache and up to the first jump
 * that is taken. They can be renamed when the instruction cache has given them and they have been decoded. */
#include "core/order.h"

enum { DECODE_TICKS = 1 };

static uint32_t foretell(Order *order, const CoreInsn *insn, uint32_t pc)
{
    Predictor *predictor = &order->predictor;
    if (insn->kind == CORE_TABLE) {
        const uint32_t target = predictor->targets[pc % PREDICTOR_JUMPS];
        return target < order->core->code.count ? target : pc + 1;
    }
    if (insn->kind != CORE_BRANCH)
        return pc + 1;
    if (!insn->is_guarded)
        return insn->target;
    const bool taken = predictor_taken(predictor, pc, insn->target);
    predictor_follow(predictor, predictor->history, taken);
    return taken ? insn->target : pc + 1;
}

static bool fetch_one(Order *order)
{
    Core *core = order->core;
    const uint32_t pc = order->pc;
    /* A path that is not taken may end anywhere. */
    if (pc >= core->code.count || order->fetched_tail - order->fetched_head == ORDER_FETCHED)
        return false;
    order->has_moved = true;
    if (!core_code_is_there(core, pc, order->tick)) {
        order->waits_for_code = true;
        return false;
    }
    Fetched *fetched = &order->fetched[order->fetched_tail++ % ORDER_FETCHED];
    fetched->pc = pc;
    fetched->history = order->predictor.history;
    fetched->ready = order->tick + core->setup.config->aggregator_code_latency + DECODE_TICKS;
    fetched->next = order->pc = foretell(order, &core->code.insns[pc], pc);
    return order->pc == pc + 1;
}

void order_fetch(Order *order)
{
    if (order->waits_for_code || order->tick < order->fetch_from)
        return;
    for (uint32_t i = 0; i < order->design->width; i++)
        if (!fetch_one(order))
            return;
}

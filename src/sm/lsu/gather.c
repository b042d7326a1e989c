/* Stores of several warps to one line, which leave the SM as one.
 *
 * A store on its way from the L1 to the crossbar takes `l1_store_gather` cycles. Another warp's store to
 * the same line joins it meanwhile, and the slice sees one request. On an H200 (combine.cu of
 * tests/device/caches) two, four, eight and sixteen warps that store to a line at once make one request,
 * whichever bytes they write and whatever other stores are between; stores of the same warp stay apart.
 * What goes past the L1 to a line must not overtake a store to it: that store leaves at once, with all
 * before it.
 *
 * A store that carries others is answered for all of them. Stores to other GPUs, to the host, and to
 * memory that may move are not gathered. */
#include "mem/l2.h"
#include "sm/lsu/unit.h"

static uint32_t warp_of(const Request *store) { return store->ticket & 0xFF; }

static bool carries(const Request *store, uint32_t warp)
{
    for (; store; store = store->carried)
        if (warp_of(store) == warp)
            return true;
    return false;
}

/* The youngest one of the line; null: there is none. */
static Request *find_line(const Lsu *lsu, uint64_t line)
{
    Request *found = NULL;
    for (Request *store = lsu->gathering.first; store; store = store->next)
        found = store->line == line ? store : found;
    return found;
}

static void join(Request *store, Request *other)
{
    l2_store_bytes(other, store->data);
    store->sectors |= other->sectors;
    store->written[0] |= other->written[0];
    store->written[1] |= other->written[1];
    other->carried = store->carried;
    store->carried = other;
}

void lsu_gather(Lsu *lsu, Request *store, Cycle now)
{
    if (!lsu->config->l1_store_gather || store->moves || store->slice == lsu->sm->crossbar->route.hub) {
        lsu_push_request(lsu, store, now);
        return;
    }
    Request *other = lsu->gathering.count ? find_line(lsu, store->line) : NULL;
    if (other && !carries(other, warp_of(store))) {
        join(other, store);
        lsu->statistics.gathered_stores++;
        return;
    }
    store->leaves = now + lsu->config->l1_store_gather;
    request_list_append(&lsu->gathering, store);
}

static void let_go(Lsu *lsu, Cycle now)
{
    lsu_send_on(lsu, request_list_pop(&lsu->gathering), now);
}

void lsu_let_stores_go(Lsu *lsu, uint64_t line, Cycle now)
{
    while (find_line(lsu, line))
        let_go(lsu, now);
}

void lsu_let_gathered_go(Lsu *lsu, Cycle now)
{
    while (lsu->gathering.first && lsu->gathering.first->leaves <= now)
        let_go(lsu, now);
}

Request *lsu_answer_stores(Lsu *lsu, Request *store)
{
    stores_confirmed(lsu->sm, store->ticket);
    while (store->carried) {
        Request *carried = store->carried;
        stores_confirmed(lsu->sm, carried->ticket);
        lsu_free_request(lsu, store);
        store = carried;
    }
    return store;
}

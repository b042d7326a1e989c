/* Requests for memory that has moved (mem/homes.h) since they were sent.
 *
 * A slice looks a request up only if the memory is its GPU's in that cycle, and under the version that the
 * request was sent under. If not, the request goes to the hub, which sends it anew when it can. Those of one
 * line leave a slice in the order in which they came to it. */
#include "mem/crossbar.h"
#include "mem/l2.h"

bool l2_is_stray(const L2Slice *slice, const Request *request, Cycle now)
{
    const Route *route = &slice->shared->crossbar->route;
    const HomeView view =
        route_look(route, slice->shared->shard, request->line, request->kind != REQUEST_LOAD, now);
    return view.home != (int32_t)route->gpu || view.version != request->version;
}

void l2_send_astray(L2Slice *slice, Request *request, Cycle now)
{
    const Route *route = &slice->shared->crossbar->route;
    const bool is_fetch =
        slice->copies && request->kind == REQUEST_LOAD && request->slice != slice->number;
    request->moves = MOVES_STRAY;
    if (is_fetch) { /* of a slice of the other half */
        l2_send_back(slice, request, now);
        return;
    }
    request->is_foreign = false;
    shard_send(slice->shared->shard, route->shard, now + slice->config->crossbar_latency, MESSAGE_STRAY, 0,
               request);
}

void l2_forget(L2Slice *slice, uint64_t address)
{
    const uint32_t index = tags_find(&slice->tags, address);
    if (index == TAGS_NONE || slice->tags.lines[index].pending)
        return;
    slice->tags.lines[index].valid = slice->tags.lines[index].dirty = 0;
}

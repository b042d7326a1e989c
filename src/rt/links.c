/* Dependencies and orders of blocks that a program gives ahead of a launch. CUDA's launch syntax has no place
 * for them, so they wait in the calling thread until its next launch takes them; each thread has its own, as
 * each makes its own launches. */
#include "rt/links.h"

#include <string.h>

#include "base/alloc.h"

static _Thread_local RtLinks *next;

void rt_links_free(RtLinks *links)
{
    if (!links)
        return;
    xfree(links->edges);
    xfree(links->keys);
    xfree(links);
}

/* What the next launch is to have, with no dependencies yet, or with no order. Each is said by itself: what
 * was said of the other stays. */
static RtLinks *without_links(void)
{
    if (!next)
        next = xcalloc(1, sizeof *next);
    xfree(next->edges);
    *next = (RtLinks){.keys = next->keys, .key_count = next->key_count};
    return next;
}

static RtLinks *without_order(void)
{
    if (!next)
        next = xcalloc(1, sizeof *next);
    xfree(next->keys);
    next->keys = NULL;
    next->key_count = 0;
    return next;
}

int wb_cuda_map_next_launch(WbMapping *mapping, void *context)
{
    RtLinks *links = without_links();
    links->mapping = mapping;
    links->context = context;
    return 1;
}

int wb_cuda_edges_next_launch(const WbEdge *edges, size_t count)
{
    if (!edges)
        count = 0;
    RtLinks *links = without_links();
    /* A copy: the caller's array may be gone when the launch comes. */
    links->edges = xcalloc(count + 1, sizeof *edges);
    links->edge_count = count;
    if (count)
        memcpy(links->edges, edges, count * sizeof *edges);
    return 1;
}

int wb_cuda_order_next_launch(const int *keys, size_t count)
{
    RtLinks *links = without_order();
    if (!keys)
        return 1;
    links->keys = xcalloc(count + 1, sizeof *keys);
    links->key_count = count;
    memcpy(links->keys, keys, count * sizeof *keys);
    return 1;
}

RtLinks *rt_links_take(void)
{
    /* Taken once: the launch behind this one has none. */
    RtLinks *links = next;
    next = NULL;
    if (!links || links->mapping || links->edges || links->keys)
        return links;
    rt_links_free(links); /* all has been taken back */
    return NULL;
}

static WbStatus launch_edges(const RtLinks *links, WbStream *stream, WbKernel *kernel, const WbLaunch *launch)
{
    WbLaunch with = *launch;
    WbStatus status = wb_graph_create(rt_gpu(), &with.graph);
    if (status == WB_OK)
        status = wb_graph_add_grid(with.graph, launch->grid, NULL);
    if (status == WB_OK)
        status = wb_graph_add_edges(with.graph, links->edges, links->edge_count);
    if (status == WB_OK)
        status = wb_stream_launch(stream, kernel, &with);
    /* The launch keeps what it needs of the graph; of null nothing is destroyed. */
    wb_graph_destroy(with.graph);
    return status;
}

RtError rt_links_launch(const RtLinks *links, WbStream *stream, WbKernel *kernel, const WbLaunch *launch)
{
    WbLaunch with = *launch;
    with.block_order = links->keys;
    with.block_order_count = links->key_count;
    if (links->edges)
        return rt_check(launch_edges(links, stream, kernel, &with));
    with.mapping = links->mapping;
    with.mapping_context = links->context;
    return rt_check(wb_stream_launch(stream, kernel, &with));
}

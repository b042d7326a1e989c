/* Dependencies between thread blocks in CUDA programs (DepLinks, [Wireframe §3.1]): one call before a launch
 * gives it a mapping function, and its blocks run when their parents have ended. Another gives it an order in
 * which its blocks begin (TB_order, [sync thesis §6.3.3]).
 *
 *     #include "warpbeam_links.h"
 *
 *     static void wavefront(WbLink *link, void *context)
 *     {
 *         wb_add_dependency(link, (WbDim3){link->block.x - 1, link->block.y, 0});
 *         wb_add_dependency(link, (WbDim3){link->block.x, link->block.y - 1, 0});
 *         wb_set_policy(link, WB_LVL, 4);
 *     }
 *     ...
 *     wb_map_next_launch(wavefront, NULL);
 *     kernel<<<grid, block>>>(arguments);
 *
 * The program is built as always and needs no library of Warpbeam's (before glibc 2.34: -ldl). Where it does
 * not run on Warpbeam the calls return 0 and do nothing: no GPU orders blocks, so the launch would be an
 * ordinary one. A program with dependencies has to launch in another way then, for example a kernel for each
 * wave. */
#ifndef WARPBEAM_LINKS_H
#define WARPBEAM_LINKS_H

#include <dlfcn.h>
#include <string.h>

#include "warpbeam_graph.h"

/* A function of the library that stands in for CUDA's; null: it is not there. A program that loads CUDA
 * itself has it in a scope of its own. */
static inline void *wb_links_find(const char *name)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    void *library = dlopen("libwarpbeam_cuda.so.0", RTLD_LAZY | RTLD_NOLOAD);
    void *found = program ? dlsym(program, name) : NULL;
    return found || !library ? found : dlsym(library, name);
}

/* The next kernel that this thread launches, into whatever stream, has the mapping's dependencies between its
 * blocks; the mapping is called inside that launch, for every block, and must not call CUDA. A null mapping
 * takes back what was said before. Returns 1; 0: this is not Warpbeam, and the launch will be an ordinary
 * one. */
static inline int wb_map_next_launch(WbMapping *mapping, void *context)
{
    int (*call)(WbMapping *, void *);
    void *const found = wb_links_find("wb_cuda_map_next_launch");
    memcpy(&call, &found, sizeof call);
    return found ? call(mapping, context) : 0;
}

/* The same with edges, which are copied (null: none); blocks are numbered by their index, x fastest. */
static inline int wb_edges_next_launch(const WbEdge *edges, size_t count)
{
    int (*call)(const WbEdge *, size_t);
    void *const found = wb_links_find("wb_cuda_edges_next_launch");
    memcpy(&call, &found, sizeof call);
    return found ? call(edges, count) : 0;
}

/* Blocks of the next kernel that this thread launches begin in the order of their keys, the lowest first;
 * keys[i] is that of block i, x fastest, and count the number of blocks. Blocks of one key begin by index,
 * spread over SMs. The keys are copied; null takes back what was said before. A launch has an order or
 * dependencies, not both. Returns as the others do. */
static inline int wb_order_next_launch(const int *keys, size_t count)
{
    int (*call)(const int *, size_t);
    void *const found = wb_links_find("wb_cuda_order_next_launch");
    memcpy(&call, &found, sizeof call);
    return found ? call(keys, count) : 0;
}

#endif

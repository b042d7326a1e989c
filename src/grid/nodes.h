/* The network between the GPUs of all nodes: which there are, which of them this process simulates, and how
 * their memory is named.
 *
 * GPUs of all nodes have numbers, node by node. Memory of another GPU is named by that number and an offset:
 * bit 63 is set, bits 40 to 62 are the number, the others the offset, which is an address of that GPU less
 * the beginning of its device memory (mem/space.h). GPUs that have allocated the same in the same order have
 * it at the same offsets; so a pointer of one's own and a number make such an address (wb_remote()). An
 * address of device memory as it is names a GPU of the same process, by its upper bits.
 *
 * Packets to a GPU of this process are messages of the world. Those to others are parcels: bytes that
 * somebody carries (NodesSend). */
#ifndef GRID_NODES_H
#define GRID_NODES_H

#include "mem/space.h"
#include "sim/clock.h"

#define NODES_REMOTE ((uint64_t)SPACE_REMOTE)

struct OuterUnit;

typedef struct NodesGpu {
    AddressSpace *space;
    struct OuterUnit *card; /* of its machine of cycle mode; null: there is none now */
} NodesGpu;

/* Between windows: bytes for a GPU of another process, that arrive in that cycle of the world. */
typedef void NodesSend(void *context, uint32_t gpu, Cycle arrival, const void *bytes, size_t size);

/* Invariant: GPUs first .. first + here - 1 are those of this process, in the order of `gpus`. */
typedef struct Nodes {
    uint32_t count;     /* GPUs of all nodes */
    uint32_t node_gpus; /* of a node, but the last may have fewer */
    uint32_t first, here;
    uint32_t epoch;     /* cards that have been connected, ever */
    NodesGpu gpus[SPACE_MOST];
    NodesSend *send;   /* null: all are here */
    void *context;
} Nodes;

/* A place in the memory of a GPU. */
typedef struct NodesPlace {
    uint32_t gpu;
    uint64_t offset;
} NodesPlace;

/* What the address names; false: memory of no GPU, as that of the host. */
bool nodes_find(const Nodes *nodes, uint64_t address, NodesPlace *place);
/* The GPU of this process with that number; null: it is not here. */
NodesGpu *nodes_gpu(Nodes *nodes, uint32_t number);
/* The host's bytes of a range of device memory of a GPU; null: it is not in one allocation, or read-only
 * where it is to be written. */
uint8_t *nodes_bytes(const NodesGpu *gpu, uint64_t offset, uint64_t bytes, bool writes);
/* The GPU's address of the offset. */
uint64_t nodes_address(const NodesGpu *gpu, uint64_t offset);
/* "inside no allocation; ...". */
const char *nodes_describe(const NodesGpu *gpu, uint64_t offset, char *text, size_t size);

#endif

/* Allocations in the order of their addresses: found, added and removed in logarithmic time.
 *
 * A tree whose leaves hold the allocations and their bases side by side, so that a search reads few lines of
 * the host's cache, and are linked in order, so that neighbours are one step away. Nodes that become empty are
 * removed; others are never merged, as most programs free what they allocated first or all of it. */
#ifndef MEM_ALLOCATION_TREE_H
#define MEM_ALLOCATION_TREE_H

#include <stdint.h>

typedef struct Allocation Allocation;
typedef struct TreeNode TreeNode;

/* Invariant: bases differ; ranges do not overlap. A tree of zeros is empty. */
typedef struct AllocationTree {
    TreeNode *root;
    TreeNode *first;  /* leaf */
    uint32_t depth;   /* of the leaves; 0: the root is one */
    uint32_t count;
} AllocationTree;

/* The allocations around an address. */
typedef struct Neighbours {
    Allocation *before; /* the last that begins at the address or before; null: none */
    Allocation *after;  /* the first that begins behind it; null: none */
} Neighbours;

Neighbours tree_neighbours(const AllocationTree *tree, uint64_t address);
/* The last that begins at the address or before: the only one that can hold it. Null: none. */
Allocation *tree_before(const AllocationTree *tree, uint64_t address);
void tree_add(AllocationTree *tree, Allocation *allocation);
/* The allocation must be there. */
void tree_remove(AllocationTree *tree, const Allocation *allocation);
/* Empties the tree, calling for each allocation in order. */
void tree_clear(AllocationTree *tree, void (*each)(void *context, Allocation *allocation), void *context);

#endif

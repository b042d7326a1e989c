/* Things in the order of 64-bit keys, such as addresses: found, added and removed in logarithmic time.
 *
 * A tree whose leaves hold keys and things side by side, so that a search reads few lines of the host's
 * cache, and are linked in order, so that neighbours are one step away. Nodes that become empty are removed;
 * others are never merged, as most users remove what they added first or all of it. */
#ifndef BASE_TREE_H
#define BASE_TREE_H

#include <stdint.h>

typedef struct TreeNode TreeNode;

/* Invariant: keys differ. A tree of zeros is empty. */
typedef struct Tree {
    TreeNode *root;
    TreeNode *first;  /* leaf */
    uint32_t depth;   /* of the leaves; 0: the root is one */
    uint32_t count;
} Tree;

/* The things around a key. */
typedef struct TreeNeighbours {
    void *before; /* the last whose key is at most this one; null: none */
    void *after;  /* the first whose key is larger; null: none */
} TreeNeighbours;

TreeNeighbours tree_neighbours(const Tree *tree, uint64_t key);
void *tree_before(const Tree *tree, uint64_t key);
/* The key is not there yet; the thing is not null. */
void tree_add(Tree *tree, uint64_t key, void *thing);
/* The key must be there. */
void tree_remove(Tree *tree, uint64_t key);
/* Empties the tree, calling for each thing in order. */
void tree_clear(Tree *tree, void (*each)(void *context, void *thing), void *context);

#endif

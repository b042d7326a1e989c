/* An inner node's keys are lower bounds of what is below its children: exact when a child is made, and left
 * as they are when its first thing goes. So a search may end in a leaf all of which lies behind the key; what
 * is wanted is then the last of the leaf before. */
#include "base/tree.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"

enum { FANOUT = 32, DEEPEST = 16 };

/* Invariant: keys grow; there is at least one, but for the root of an empty tree, which is null. Every way
 * from the root to a leaf has the tree's depth. */
struct TreeNode {
    uint32_t count;
    uint64_t keys[FANOUT];
    void *below[FANOUT];    /* things of a leaf, else nodes */
    TreeNode *before, *after; /* of a leaf: those beside it */
};

/* The way from the root to a leaf: which child of which node. */
typedef struct Way {
    TreeNode *nodes[DEEPEST];
    uint32_t at[DEEPEST];
} Way;

/* How many keys are at most `key`. */
static uint32_t count_up_to(const TreeNode *node, uint64_t key)
{
    uint32_t low = 0, high = node->count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (node->keys[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The leaf that would hold the key. */
static TreeNode *descend(const Tree *tree, uint64_t key, Way *way)
{
    TreeNode *node = tree->root;
    for (uint32_t level = 0; level < tree->depth; level++) {
        const uint32_t count = count_up_to(node, key), at = count ? count - 1 : 0;
        if (way) {
            way->nodes[level] = node;
            way->at[level] = at;
        }
        node = node->below[at];
    }
    return node;
}

TreeNeighbours tree_neighbours(const Tree *tree, uint64_t key)
{
    TreeNeighbours found = {0};
    if (!tree->root)
        return found;
    const TreeNode *leaf = descend(tree, key, NULL);
    const uint32_t count = count_up_to(leaf, key);
    if (count)
        found.before = leaf->below[count - 1];
    else if (leaf->before)
        found.before = leaf->before->below[leaf->before->count - 1];
    if (count < leaf->count)
        found.after = leaf->below[count];
    else if (leaf->after)
        found.after = leaf->after->below[0];
    return found;
}

void *tree_before(const Tree *tree, uint64_t key)
{
    return tree_neighbours(tree, key).before;
}

static void insert_at(TreeNode *node, uint32_t at, uint64_t key, void *below)
{
    const size_t behind = node->count - at;
    memmove(&node->keys[at + 1], &node->keys[at], behind * sizeof *node->keys);
    memmove(&node->below[at + 1], &node->below[at], behind * sizeof *node->below);
    node->keys[at] = key;
    node->below[at] = below;
    node->count++;
}

static void remove_at(TreeNode *node, uint32_t at)
{
    const size_t behind = --node->count - at;
    memmove(&node->keys[at], &node->keys[at + 1], behind * sizeof *node->keys);
    memmove(&node->below[at], &node->below[at + 1], behind * sizeof *node->below);
}

/* Makes room in a full node: a new one behind it takes its second half, or only its last where something is
 * to be put at the end, as most things are: so nodes get full. */
static TreeNode *split(TreeNode *node, uint32_t at, bool is_leaf)
{
    TreeNode *behind = xcalloc(1, sizeof *behind);
    const uint32_t kept = at == FANOUT ? FANOUT - 1 : FANOUT / 2;
    behind->count = FANOUT - kept;
    memcpy(behind->keys, &node->keys[kept], behind->count * sizeof *node->keys);
    memcpy(behind->below, &node->below[kept], behind->count * sizeof *node->below);
    node->count = kept;
    if (is_leaf) {
        behind->before = node;
        behind->after = node->after;
        if (node->after)
            node->after->before = behind;
        node->after = behind;
    }
    return behind;
}

/* Puts what is at `at` of the node, which is split if it is full: the new half, or null. */
static TreeNode *put(TreeNode *node, uint32_t at, uint64_t key, void *below, bool is_leaf)
{
    TreeNode *const behind = node->count == FANOUT ? split(node, at, is_leaf) : NULL;
    if (behind && at > node->count)
        insert_at(behind, at - node->count, key, below);
    else
        insert_at(node, at, key, below);
    return behind;
}

static void grow_root(Tree *tree, TreeNode *behind)
{
    TreeNode *root = xcalloc(1, sizeof *root);
    insert_at(root, 0, tree->root->keys[0], tree->root);
    insert_at(root, 1, behind->keys[0], behind);
    tree->root = root;
    tree->depth++;
}

void tree_add(Tree *tree, uint64_t key, void *thing)
{
    Way way;
    if (!tree->root)
        tree->root = tree->first = xcalloc(1, sizeof *tree->root);
    TreeNode *leaf = descend(tree, key, &way);
    TreeNode *behind = put(leaf, count_up_to(leaf, key), key, thing, true);
    for (uint32_t level = tree->depth; level--;) {
        TreeNode *node = way.nodes[level];
        /* A key before all others went down to the first child, whose bound must not be above it. */
        if (key < node->keys[way.at[level]])
            node->keys[way.at[level]] = key;
        if (behind)
            behind = put(node, way.at[level] + 1, behind->keys[0], behind, false);
    }
    if (behind)
        grow_root(tree, behind);
    tree->count++;
}

static void unlink_leaf(Tree *tree, TreeNode *leaf)
{
    if (leaf->before)
        leaf->before->after = leaf->after;
    else
        tree->first = leaf->after;
    if (leaf->after)
        leaf->after->before = leaf->before;
}

/* A root with one child gives its place to it. */
static void shrink_root(Tree *tree)
{
    while (tree->depth && tree->root->count == 1) {
        TreeNode *root = tree->root;
        tree->root = root->below[0];
        tree->depth--;
        xfree(root);
    }
}

void tree_remove(Tree *tree, uint64_t key)
{
    Way way;
    TreeNode *node = descend(tree, key, &way);
    /* The caller has found the key in the tree, so it is the last that is not larger. */
    remove_at(node, count_up_to(node, key) - 1);
    tree->count--;
    if (!node->count)
        unlink_leaf(tree, node);
    /* An empty node is taken out of its parent, which may get empty by that. Nodes that are nearly empty are
     * not joined: things come and go at the same places, and room is used again. */
    for (uint32_t level = tree->depth; !node->count && level--;) {
        xfree(node);
        node = way.nodes[level];
        remove_at(node, way.at[level]);
    }
    if (node->count) {
        shrink_root(tree);
        return;
    }
    xfree(node);
    *tree = (Tree){0};
}

static void free_nodes(TreeNode *node, uint32_t depth)
{
    for (uint32_t i = 0; depth && i < node->count; i++)
        free_nodes(node->below[i], depth - 1);
    xfree(node);
}

void tree_clear(Tree *tree, void (*each)(void *context, void *thing), void *context)
{
    for (const TreeNode *leaf = tree->first; leaf; leaf = leaf->after)
        for (uint32_t i = 0; i < leaf->count; i++)
            each(context, leaf->below[i]);
    if (tree->root)
        free_nodes(tree->root, tree->depth);
    *tree = (Tree){0};
}

/* Every launch is watched, and an edge is made wherever a block touches what a block of an earlier launch
 * left. The order of launches is all that can be trusted. Within one launch, and where a block of an earlier
 * launch comes after one of a later launch, the order was chance: the profile tells of it and makes no
 * edge. */
#include "watch/profile.h"

#include <string.h>

static uint32_t grid_of(const Profile *profile, uint32_t node)
{
    return grids_find_block(profile->draft.grids.items, profile->draft.grids.count, node);
}

static ViolationSide side_of(const Profile *profile, const Toucher *toucher)
{
    const uint32_t number = grid_of(profile, toucher->node);
    const GraphGrid *grid = &profile->draft.grids.items[number];
    ViolationSide side = {.kernel = profile->kernels.items[number],
                          .place = profile->places.texts.items[toucher->place],
                          .touch = toucher->touch};
    violation_block(grid->size, toucher->node - grid->first, side.block);
    return side;
}

static void tell(Profile *profile, uint32_t earlier, uint32_t later, uint64_t address, bool is_same)
{
    bool is_new;
    pair_map_at(&profile->told, earlier, later, &is_new);
    if (!is_new)
        return;
    const ViolationSide first = side_of(profile, &profile->shadow.touchers.items[earlier]);
    const ViolationSide second = side_of(profile, &profile->shadow.touchers.items[later]);
    violations_add(profile->violations, &first, &second, address,
                   is_same ? "blocks of one launch are in no order, so the graph has no edge for this"
                           : "their launches ran side by side, so the graph has no edge for this");
}

static bool meet(void *context, uint32_t earlier, uint32_t later, uint64_t address)
{
    Profile *profile = context;
    const uint32_t parent = profile->shadow.touchers.items[earlier].node;
    const uint32_t child = profile->shadow.touchers.items[later].node;
    const uint32_t parent_grid = grid_of(profile, parent), child_grid = grid_of(profile, child);
    /* Grids are numbered as they are launched. A block of an earlier grid that touches later ran beside the
     * other. */
    if (parent_grid >= child_grid) {
        tell(profile, earlier, later, address, parent_grid == child_grid);
        return false;
    }
    bool is_new;
    /* Many bytes make the same edge. */
    pair_map_at(&profile->edges, parent, child, &is_new);
    if (is_new)
        draft_add_edge(&profile->draft, parent, child, &profile->error);
    return true;
}

void profile_touch(Profile *profile, uint32_t grid, uint64_t block, uint32_t place, Touch touch,
                   uint64_t address, uint64_t bytes)
{
    /* A draft's grid has fewer blocks than 32 bits count, so none is cut off here. */
    const uint32_t node = profile->draft.grids.items[grid].first + (uint32_t)block;
    shadow_touch(&profile->shadow, shadow_toucher(&profile->shadow, node, place, touch), address, bytes);
}

static void take_access(Watch *watch, const WatchedAccess *access)
{
    Profile *profile = (Profile *)watch;
    const uint32_t place = places_find(&profile->places, access->grid, access->program, access->insn);
    for (uint32_t i = 0; i < access->count; i++)
        profile_touch(profile, access->grid, access->block, place, access->touch, access->ranges[i].address,
                      access->ranges[i].bytes);
}

Profile *profile_create(Violations *violations)
{
    Profile *profile = xcalloc(1, sizeof *profile);
    *profile = (Profile){.watch = {take_access}, .violations = violations};
    shadow_init(&profile->shadow, meet, profile);
    return profile;
}

void profile_free(Profile *profile)
{
    if (!profile)
        return;
    draft_free(&profile->draft);
    arena_free(&profile->arena);
    VEC_FREE(&profile->kernels);
    shadow_free(&profile->shadow);
    places_free(&profile->places);
    pair_map_free(&profile->edges);
    pair_map_free(&profile->told);
    xfree(profile);
}

WbStatus profile_add_grid(Profile *profile, const char *kernel, const uint32_t size[3], uint32_t *grid,
                          Error *error)
{
    if (draft_add_grid(&profile->draft, size, NULL, error))
        return error->status;
    *grid = profile->draft.grids.count - 1;
    VEC_PUSH(&profile->kernels, arena_strndup(&profile->arena, kernel, strlen(kernel)));
    return WB_OK;
}

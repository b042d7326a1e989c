/* Where a task reserves the frame of its next sync. All lanes of a wavefront that need one should reserve it
 * at once: a wavefront that had reserved for some of its lanes and waits for room for the others would keep
 * in its hands what it waits for. So the place is not the first spawn itself, which lanes may come to at
 * different times, but the statement before which their ways part: the loop around the spawn, or the first of
 * several statements that may spawn. It is not further ahead, so that tasks that do not spawn reserve
 * nothing.
 *
 * A frame is only reserved where no sync of another group can be next. */
#include "cilk/split.h"

typedef struct Search {
    CilkSplit *split;
    uint32_t group;
} Search;

static CilkPoint *point_of(const Search *search, const CilkStatement *statement)
{
    return (CilkPoint *)cilk_point(search->split, statement);
}

/* A task that calls another one for the rest ends there, too. */
static bool is_sync(const CilkStatement *statement)
{
    return statement->kind == CILK_SYNC || statement->kind == CILK_CALL_TASK;
}

/* Statements in it, itself included, that need the group's frame. */
static uint32_t count_needs(const Search *search, const CilkStatement *statement)
{
    const CilkPoint *point = point_of(search, statement);
    uint32_t count = point->needs_frame && point->group == search->group;
    for (const CilkStatement *inner = statement->body; inner; inner = inner->next)
        count += count_needs(search, inner);
    return statement->other ? count + count_needs(search, statement->other) : count;
}

static bool has_sync(const CilkStatement *statement)
{
    bool found = is_sync(statement);
    for (const CilkStatement *inner = statement->body; inner && !found; inner = inner->next)
        found = has_sync(inner);
    return found || (statement->other && has_sync(statement->other));
}

static void cover(const Search *search, const CilkStatement *statement)
{
    CilkPoint *point = point_of(search, statement);
    if (point->group == search->group && point->needs_frame)
        point->has_frame = true;
    for (const CilkStatement *inner = statement->body; inner; inner = inner->next)
        cover(search, inner);
    if (statement->other)
        cover(search, statement->other);
}

/* Reserves before the statement, for it and for those behind it up to a sync or a case. Returns the last one
 * that it is for. */
static const CilkStatement *reserve(const Search *search, const CilkStatement *statement)
{
    CilkPoint *point = point_of(search, statement);
    CilkGroup *group = &search->split->groups.items[search->group];
    if (point->ahead & ~(group->syncs | CILK_END))
        return statement; /* each spawn in it looks for itself */
    group->can_end |= (point->ahead & CILK_END) != 0;
    point->takes_frame = true;
    point->group = search->group;
    for (const CilkStatement *last = statement;; last = last->next) {
        if (last == statement || is_sync(last) || !has_sync(last))
            cover(search, last);
        if (is_sync(last))
            point_of(search, last)->has_frame = true;
        if (!last->next || is_sync(last) || last->next->kind == CILK_CASE ||
            (has_sync(last->next) && !is_sync(last->next)))
            return last;
    }
}

/* Whether a statement behind it, before any sync, needs the frame too. */
static bool is_followed(const Search *search, const CilkStatement *statement)
{
    for (const CilkStatement *next = statement->next; next; next = next->next) {
        if (count_needs(search, next))
            return true;
        if (next->kind == CILK_CASE || has_sync(next))
            return false;
    }
    return false;
}

static bool is_loop(const CilkStatement *statement)
{
    return statement->kind == CILK_WHILE || statement->kind == CILK_DO || statement->kind == CILK_FOR;
}

/* Lanes may part at it, and more than one of the ways leads to a spawn. */
static bool is_fork(const Search *search, const CilkStatement *statement)
{
    return is_loop(statement) || statement->kind == CILK_SWITCH ||
           (statement->kind == CILK_IF && statement->other && count_needs(search, statement->body) &&
            count_needs(search, statement->other));
}

static void place(const Search *search, const CilkStatement *statement)
{
    for (; statement; statement = statement->next) {
        if (!count_needs(search, statement))
            continue;
        const bool is_spawn = statement->kind == CILK_SPAWN || statement->kind == CILK_CALL_TASK;
        if (is_spawn ||
            (!has_sync(statement) && (is_fork(search, statement) || is_followed(search, statement)))) {
            statement = reserve(search, statement);
        } else {
            place(search, statement->body);
            place(search, statement->other);
        }
    }
}

void cilk_split_frames(CilkSplit *split)
{
    for (uint32_t group = 0; group < split->groups.count; group++)
        place(&(Search){split, group}, split->function->body);
}

/* What copies and fills leave in an L2 slice.
 *
 * A copy between host and device fills L2, and so it does on an H200: but its lines go before all others, and
 * before the copy's own next line of the set. So no more than one way of each set holds what copies brought
 * and nobody has used. The first request of an SM makes such a line one as any other. A line that is there
 * already stays as young as it was. Fills and copies within the device are as stores and loads of a kernel.
 * All of that was measured: tests/device/caches/README.md. That lines which are written count as changed, and
 * are written back when they go, is assumed. */
#include "mem/l2.h"

enum { ALL_SECTORS = (1 << LINE_SECTORS) - 1 };

bool l2_touch(L2Slice *slice, uint64_t address, L2Touch touch, uint64_t *gone)
{
    TagArray *tags = &slice->tags;
    TagVictim victim = {0};
    uint32_t index = tags_find(tags, address);
    const bool was_there = index != TAGS_NONE;
    if (!was_there) {
        index = touch.goes_first ? tags_choose_first(tags, address) : tags_choose(tags, address);
        if (index == TAGS_NONE)
            return false;
        victim = tags_replace(tags, index, address);
    }
    TagLine *line = &tags->lines[index];
    if (!touch.goes_first)
        tags_use(tags, index);
    else if (!was_there)
        line->used = 0;
    line->valid |= ALL_SECTORS & (uint8_t)~line->pending;
    if (touch.writes) {
        line->dirty |= ALL_SECTORS;
        line->copied = 0; /* whoever writes drops the copies */
    }
    *gone = victim.address;
    return victim.copied;
}

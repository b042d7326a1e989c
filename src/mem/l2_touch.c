/* What copies and fills leave in an L2 slice.
 *
 * A copy between host and device fills L2, and so it does on an H200: but its lines go before all others, and
 * before the copy's own next line of the set. So once L2 is full, no more than one way of each set holds
 * what copies brought and nobody has used. (While ways are empty, copies take those: of the 8 MiB that the
 * first copies of a program brought, an H200 read 2 KB from DRAM.) The first request of an SM makes such a
 * line one as any other. A line that is there
 * already stays as young as it was. Fills and copies within the device are as stores and loads of a kernel.
 * All of that was measured: tests/device/caches/README.md. That lines which are written count as changed, and
 * are written back when they go, is assumed. */
#include <string.h>

#include "mem/l2.h"

enum { ALL_SECTORS = (1 << LINE_SECTORS) - 1 };

/* The line, with all sectors that are not on their way; null: there is no room. Says what had to go. */
static TagLine *take_place(TagArray *tags, uint64_t address, bool goes_first, TagVictim *victim)
{
    uint32_t index = tags_find(tags, address);
    const bool was_there = index != TAGS_NONE;
    if (!was_there) {
        index = tags_choose(tags, address);
        if (index == TAGS_NONE)
            return NULL;
        *victim = tags_replace(tags, index, address);
    }
    TagLine *line = &tags->lines[index];
    if (!goes_first)
        tags_use(tags, index);
    else if (!was_there)
        line->used = 0;
    line->valid |= ALL_SECTORS & (uint8_t)~line->pending;
    return line;
}

bool l2_touch(L2Slice *slice, uint64_t address, L2Touch touch, uint64_t *gone)
{
    TagVictim victim = {0};
    TagLine *line = take_place(&slice->tags, address, touch.goes_first, &victim);
    if (line && touch.writes) {
        line->dirty |= ALL_SECTORS;
        line->copied = 0; /* whoever writes drops the copies */
    }
    if (line && touch.is_copied)
        line->copied = ALL_SECTORS;
    *gone = victim.address;
    return victim.copied;
}

bool l2_touch_copy(L2Slice *slice, uint64_t address, const uint8_t *bytes, uint64_t *gone)
{
    TagVictim victim = {0};
    const TagLine *line = take_place(&slice->tags, address | L2_FOREIGN, false, &victim);
    if (line)
        memcpy(l2_copy_bytes(slice, (uint32_t)(line - slice->tags.lines)), bytes, LINE_BYTES);
    *gone = victim.address;
    return victim.copied;
}

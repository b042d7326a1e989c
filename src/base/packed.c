/* A value is its bits in groups of seven, the lowest first, all but the last with the highest bit set. A zero
 * stands with the number of zeros behind it, so that packed values are read as many at a time as they were
 * packed. */
#include "base/packed.h"

#include <string.h>

#include "base/alloc.h"

enum { MOST_BYTES = 10, MOST_ZEROS = 255 };

static uint8_t *put(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

uint8_t *packed_make(const uint64_t *values, size_t count)
{
    /* A zero takes two bytes at most, its own and its count, so ten for each value are enough. */
    uint8_t *const room = xmalloc(count * MOST_BYTES + 1), *to = room;
    for (size_t i = 0; i < count;) {
        to = put(to, values[i]);
        if (values[i++])
            continue;
        uint8_t zeros = 0;
        for (; i < count && !values[i] && zeros < MOST_ZEROS; i++)
            zeros++;
        *to++ = zeros;
    }
    return xrealloc(room, (size_t)(to - room) + 1);
}

static const uint8_t *get(const uint8_t *from, uint64_t *value)
{
    unsigned shift = 0;
    *value = 0;
    for (; *from & 0x80; shift += 7)
        *value |= (uint64_t)(*from++ & 0x7f) << shift;
    *value |= (uint64_t)*from++ << shift;
    return from;
}

const uint8_t *packed_read(const uint8_t *packed, uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count;) {
        packed = get(packed, &values[i]);
        if (values[i++])
            continue;
        /* They were counted within the values that were packed together, so they lie within `count`. */
        const uint8_t zeros = *packed++;
        memset(&values[i], 0, zeros * sizeof *values);
        i += zeros;
    }
    return packed;
}

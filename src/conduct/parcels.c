/* Parcels and leave as asks of the conductor. */
#include "conduct/parcels.h"

#include <string.h>

#include "base/alloc.h"
#include "conduct/client.h"

void parcels_send(uint32_t node, uint64_t now, uint64_t arrival, const void *bytes, size_t size)
{
    const Ask ask = {.kind = ASK_PARCEL,
                     .time = now,
                     .peer = (int32_t)node,
                     .until = arrival,
                     .tail = size,
                     .call = "wb_put"};
    client_ask(&ask, bytes);
}

Leave parcels_take(const Answer *answer, const uint8_t *tail, TransportTake *take, void *taker)
{
    for (uint32_t i = 0; i < answer->count; i++) {
        AnswerEntry entry;
        memcpy(&entry, tail, sizeof entry);
        take(taker, tail + sizeof entry, entry.payload);
        tail += sizeof entry + entry.payload;
    }
    return (Leave){.until = answer->time, .is_alone = answer->kind == ANSWER_ALONE};
}

Leave parcels_leave(uint64_t now, uint64_t next, uint64_t until, TransportTake *take, void *taker,
                      ParcelsAnswer *answer)
{
    const Ask ask = {.kind = ASK_LEAVE, .time = now, .next = next, .until = until, .call = "a kernel"};
    Answer got;
    uint8_t *tail = answer(&ask, &got);
    const Leave leave =
        got.kind == ANSWER_END ? (Leave){.is_over = true} : parcels_take(&got, tail, take, taker);
    xfree(tail);
    return leave;
}

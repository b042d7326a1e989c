/* Buffers of each power of two come from chunks of their own and go back to a list of free ones, so that one
 * that is given back fits whoever asks for that size next, and memory does not fall to pieces. */
#include "exec/runtime/launch_buffer.h"

/* READ_AHEAD: vector loads may read so far behind the parameters. */
enum { CHUNK_BYTES = 65536, READ_AHEAD = 16 };

static const char pool_name[] = "the parameters of launches";

/* The order whose buffers have so many bytes or more, or BUFFER_CLASSES. */
static unsigned class_of(uint64_t bytes)
{
    unsigned order = 0;
    while (order < BUFFER_CLASSES && (uint64_t)SMALLEST_BUFFER << order < bytes)
        order++;
    return order;
}

static bool add_chunk(BufferPool *pool, unsigned order)
{
    const uint32_t slot_bytes = (uint32_t)SMALLEST_BUFFER << order;
    const uint32_t bytes = slot_bytes > CHUNK_BYTES ? slot_bytes : CHUNK_BYTES;
    BufferChunk chunk = {.slot_bytes = slot_bytes, .slot_count = bytes / slot_bytes};
    Error ignored = {0};
    if (space_alloc(pool->space, bytes, pool_name, false, &chunk.base, &ignored))
        return false;
    uint8_t *host = space_find(pool->space, chunk.base, bytes)->host;
    chunk.slots = xcalloc(chunk.slot_count, sizeof *chunk.slots);
    for (uint32_t i = chunk.slot_count; i--;) { /* the lowest is taken first */
        chunk.slots[i].address = chunk.base + (uint64_t)i * slot_bytes;
        chunk.slots[i].host = host + (size_t)i * slot_bytes;
        VEC_PUSH(&pool->free[order], &chunk.slots[i]);
    }
    VEC_PUSH(&pool->chunks, chunk); /* addresses only grow */
    return true;
}

/* The place of the next record. When the ring is used up its oldest places are used again: what is known of
 * launches is kept elsewhere, these are only where the machine would look. */
static bool take_record(BufferPool *pool, uint64_t *address)
{
    enum { RECORDS = 65536 };
    Error ignored = {0};
    if (!pool->records && space_alloc(pool->space, (uint64_t)RECORDS * LAUNCH_RECORD_BYTES, pool_name, false,
                                      &pool->records, &ignored))
        return false;
    *address = pool->records + (uint64_t)(pool->next_record++ % RECORDS) * LAUNCH_RECORD_BYTES;
    return true;
}

LaunchBuffer *buffer_take(BufferPool *pool, uint64_t alignment, uint64_t size, Cycle now)
{
    /* Slots are aligned by their size, up to what allocations are. */
    if (alignment > SPACE_ALIGNMENT || (alignment & (alignment - 1)) || size > UINT32_MAX)
        return NULL;
    const uint64_t bytes = size + READ_AHEAD;
    const unsigned order = class_of(bytes > alignment ? bytes : alignment);
    uint64_t record;
    if (order == BUFFER_CLASSES || (!pool->free[order].count && !add_chunk(pool, order)) ||
        !take_record(pool, &record))
        return NULL;
    LaunchBuffer *buffer = pool->free[order].items[--pool->free[order].count];
    *buffer = (LaunchBuffer){
        .address = buffer->address,
        .host = buffer->host,
        .bytes = (uint32_t)SMALLEST_BUFFER << order,
        .asked = (uint32_t)size,
        .record = record,
        .requested = now,
    };
    return buffer;
}

void buffer_give_back(BufferPool *pool, LaunchBuffer *buffer)
{
    const unsigned order = class_of(buffer->bytes);
    buffer->bytes = 0;
    VEC_PUSH(&pool->free[order], buffer);
}

void buffer_reclaim(BufferPool *pool)
{
    for (uint32_t c = 0; c < pool->chunks.count; c++) {
        const BufferChunk *chunk = &pool->chunks.items[c];
        for (uint32_t i = chunk->slot_count; i--;)
            if (chunk->slots[i].bytes)
                buffer_give_back(pool, &chunk->slots[i]);
    }
}

LaunchBuffer *buffer_find(const BufferPool *pool, uint64_t address)
{
    uint32_t low = 0, high = pool->chunks.count;
    while (low < high) { /* the first chunk behind the address */
        const uint32_t middle = low + (high - low) / 2;
        if (pool->chunks.items[middle].base > address)
            high = middle;
        else
            low = middle + 1;
    }
    if (!low)
        return NULL;
    const BufferChunk *chunk = &pool->chunks.items[low - 1];
    const uint64_t slot = (address - chunk->base) / chunk->slot_bytes;
    if (slot >= chunk->slot_count || (address - chunk->base) % chunk->slot_bytes || !chunk->slots[slot].bytes)
        return NULL;
    return &chunk->slots[slot];
}

void buffer_pool_free(BufferPool *pool)
{
    Error ignored = {0};
    if (pool->records)
        space_free(pool->space, pool->records, &ignored);
    pool->records = 0;
    for (uint32_t i = 0; i < pool->chunks.count; i++) {
        space_free(pool->space, pool->chunks.items[i].base, &ignored);
        xfree(pool->chunks.items[i].slots);
    }
    VEC_FREE(&pool->chunks);
    for (unsigned order = 0; order < BUFFER_CLASSES; order++)
        VEC_FREE(&pool->free[order]);
}

/* MPI packs: it knows all datatypes. What lies in a row already is copied. */
#include "mpi/buffer.h"

#include <string.h>

#include "base/alloc.h"

/* Where elements of a type lie: the first byte of the first is at `begin` from its address, the last of
 * the last `size` bytes behind that. */
typedef struct Span {
    MPI_Aint begin;
    size_t size;
    bool is_row;
} Span;

static Span span_of(int count, MPI_Datatype type)
{
    MPI_Aint begin, extent, lower, true_extent;
    int size;
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_get_true_extent(type, &begin, &true_extent);
    PMPI_Type_size(type, &size);
    if (count <= 0)
        return (Span){.is_row = true};
    return (Span){
        .begin = extent < 0 ? begin + extent * (count - 1) : begin,
        .size = (size_t)(true_extent + (extent < 0 ? -extent : extent) * (count - 1)),
        .is_row = size == true_extent && (extent == size || count == 1),
    };
}

uint64_t buffer_bytes(const Buffer *buffer)
{
    int size = 0;
    PMPI_Type_size(buffer->type, &size);
    return buffer->count > 0 ? (uint64_t)size * (uint64_t)buffer->count : 0;
}

/* A type in a row may still list its parts in another order; only single pieces are sure to. */
static bool is_plain(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_CONTIGUOUS;
}

static uint8_t *pack_host(const void *address, int count, MPI_Datatype type, uint64_t bytes)
{
    int at = 0;
    uint8_t *packed = xmalloc(bytes + 1);
    PMPI_Pack(address, count, type, packed, (int)bytes, &at, MPI_COMM_SELF);
    return packed;
}

uint8_t *buffer_pack(const Buffer *buffer)
{
    const Span span = span_of(buffer->count, buffer->type);
    const uint64_t bytes = buffer_bytes(buffer);
    const uint8_t *from = (const uint8_t *)buffer->address + span.begin;
    if (bytes == 0)
        return xmalloc(1);
    const bool is_row = span.is_row && is_plain(buffer->type), is_device = device_owns(from);
    if (!is_device && !is_row)
        return pack_host(buffer->address, buffer->count, buffer->type, bytes);
    uint8_t *copy = xmalloc(span.size);
    if (is_device && !device_read(copy, from, span.size)) {
        xfree(copy);
        return NULL;
    }
    if (is_device)
        rank_spend(device_staging(bytes));
    else
        memcpy(copy, from, span.size);
    if (is_row)
        return copy;
    uint8_t *packed = pack_host(copy - span.begin, buffer->count, buffer->type, bytes);
    xfree(copy);
    return packed;
}

/* So many bytes of the row, which may end inside of an element. */
static void unpack_host(void *address, int count, MPI_Datatype type, const uint8_t *bytes, uint64_t size)
{
    int at = 0, element = 0;
    PMPI_Type_size(type, &element);
    const int whole = element ? (int)(size / (uint64_t)element) : 0;
    if (whole)
        PMPI_Unpack(bytes, (int)size, &at, address, whole < count ? whole : count, type, MPI_COMM_SELF);
}

bool buffer_unpack(const Buffer *buffer, const uint8_t *bytes, uint64_t size)
{
    const Span span = span_of(buffer->count, buffer->type);
    uint8_t *to = (uint8_t *)(uintptr_t)buffer->address + span.begin;
    if (size == 0 || span.size == 0)
        return true;
    const bool is_row = span.is_row && is_plain(buffer->type), is_device = device_owns(to);
    if (is_device)
        rank_spend(device_staging(size));
    if (is_row && is_device)
        return device_write(to, bytes, size);
    if (is_row) {
        memcpy(to, bytes, size);
        return true;
    }
    if (!is_device) {
        unpack_host((void *)(uintptr_t)buffer->address, buffer->count, buffer->type, bytes, size);
        return true;
    }
    uint8_t *copy = xmalloc(span.size); /* with what lies between elements */
    bool is_good = device_read(copy, to, span.size);
    unpack_host(copy - span.begin, buffer->count, buffer->type, bytes, size);
    is_good = is_good && device_write(to, copy, span.size);
    xfree(copy);
    return is_good;
}

Buffer buffer_from(const Buffer *buffer, int64_t first, int count)
{
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(buffer->type, &lower, &extent);
    return (Buffer){(const uint8_t *)buffer->address + first * extent, count, buffer->type};
}

/* -- elements -- */

Elements elements_of(const uint8_t *bytes, int count, MPI_Datatype type)
{
    const Span span = span_of(count, type);
    Elements elements = {.block = xcalloc(1, span.size + 1)};
    const Buffer all = {NULL, count, type};
    elements.at = elements.block - span.begin;
    if (count > 0)
        unpack_host(elements.at, count, type, bytes, buffer_bytes(&all));
    return elements;
}

uint8_t *elements_pack(const Elements *elements, int count, MPI_Datatype type)
{
    const Buffer all = {NULL, count, type};
    return pack_host(elements->at, count, type, buffer_bytes(&all));
}

void elements_free(Elements *elements) { xfree(elements->block); }

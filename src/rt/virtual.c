/* Reserved addresses and what is mapped there. The host's own page tables do the mapping, and the GPU is
 * told which ranges it may touch; neighbours are told as one, so an access may run from one piece into the
 * next. */
#include "rt/virtual.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/vec.h"
#include "rt/allocation.h"
#include "rt/stream.h"

typedef struct Range {
    uint64_t address;
    size_t size;
    uint32_t devices; /* of a known one: who may touch it, a bit each */
    int home;         /* and whose memory it is */
} Range;
typedef struct Mapping {
    Range range;
    size_t offset;
    RtPhysical *physical;
    uint8_t access[RT_DEVICES];
} Mapping;
typedef VEC(Range) Ranges;

/* Invariant: mappings are sorted by address, do not overlap, and lie in reservations; `known` are the ranges
 * that GPUs may touch: all that is mapped with access, neighbours of the same devices as one. */
static Ranges reservations, known;
static VEC(Mapping) mappings;

static uint64_t end_of(Range range) { return range.address + range.size; }

static bool is_inside(Range inner, Range outer)
{
    return inner.address >= outer.address && inner.size <= outer.size && end_of(inner) <= end_of(outer);
}

static bool has_range(const Ranges *ranges, Range range)
{
    for (uint32_t i = 0; i < ranges->count; i++)
        if (ranges->items[i].address == range.address && ranges->items[i].size == range.size &&
            ranges->items[i].devices == range.devices && ranges->items[i].home == range.home)
            return true;
    return false;
}

static uint32_t devices_of(const Mapping *mapping)
{
    uint32_t devices = 0;
    for (int i = 0; i < RT_DEVICES; i++)
        devices |= (uint32_t)(mapping->access[i] != 0) << i;
    return devices;
}

static Ranges accessible_ranges(void)
{
    Ranges ranges = {0};
    for (uint32_t i = 0; i < mappings.count; i++) {
        const Mapping *mapping = &mappings.items[i];
        const Range range = {mapping->range.address, mapping->range.size, devices_of(mapping),
                             mapping->physical->device};
        /* Mapped, but nobody may touch it yet. */
        if (range.devices == 0)
            continue;
        Range *last = ranges.count ? &ranges.items[ranges.count - 1] : NULL;
        if (last && end_of(*last) == range.address && last->devices == range.devices &&
            last->home == range.home)
            last->size += range.size;
        else
            VEC_PUSH(&ranges, range);
    }
    return ranges;
}

static RtError forget(Range range)
{
    rt_allocation_remove(range.address);
    return rt_check(wb_host_unregister(rt_gpu(), (void *)(uintptr_t)range.address));
}

static RtError make_known(Range range)
{
    RtError error = rt_check(wb_host_register(rt_gpu(), (void *)(uintptr_t)range.address, range.size));
    if (!error)
        error = rt_check(wb_memory_grant(rt_gpu(), range.address, range.devices));
    if (!error)
        error = rt_check(wb_memory_settle(rt_gpu(), (void *)(uintptr_t)range.address));
    if (!error)
        rt_allocation_add(
            (RtAllocation){.base = range.address, .size = range.size, .kind = RT_MAPPED_MEMORY});
    return error;
}

/* Tells the GPU which ranges there are now. */
static RtError update_known(void)
{
    /* What stayed the same is not touched: kernels may be using it. */
    Ranges now = accessible_ranges(), before = known;
    RtError error = RT_SUCCESS;
    for (uint32_t i = 0; i < before.count && !error; i++)
        if (!has_range(&now, before.items[i]))
            error = RT_ON(before.items[i].home, forget(before.items[i]));
    for (uint32_t i = 0; i < now.count && !error; i++)
        if (!has_range(&before, now.items[i]))
            error = RT_ON(now.items[i].home, make_known(now.items[i]));
    VEC_FREE(&before);
    known = now;
    return error;
}

static RtError check_range(Range range)
{
    if (range.size == 0 || range.size % RT_GRANULARITY || range.address % RT_GRANULARITY)
        return rt_fail(RT_INVALID_VALUE,
                       "Address 0x%llx and size %zu must be multiples of the granularity, %d bytes.",
                       (unsigned long long)range.address, range.size, RT_GRANULARITY);
    return RT_SUCCESS;
}

/* Addresses that nothing can be read from or written to. */
static void *reserve_addresses(void *where, size_t size, int flags)
{
    return mmap(where, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

RtError rt_virtual_reserve(size_t size, size_t alignment, uint64_t wanted, uint64_t *address)
{
    if (alignment < RT_GRANULARITY)
        alignment = RT_GRANULARITY;
    if (size == 0 || size % RT_GRANULARITY || (alignment & (alignment - 1)) || size + alignment < size)
        return rt_fail(RT_INVALID_VALUE,
                       "The size, %zu bytes, must be a multiple of the granularity, %d bytes, and the "
                       "alignment, %zu, a power of two.",
                       size, RT_GRANULARITY, alignment);
    if (wanted && wanted % alignment == 0) {
        void *there = reserve_addresses((void *)(uintptr_t)wanted, size, MAP_FIXED_NOREPLACE);
        if (there == (void *)(uintptr_t)wanted) {
            *address = wanted;
            VEC_PUSH(&reservations, ((Range){.address = wanted, .size = size}));
            return RT_SUCCESS;
        }
        /* Kernels that do not know MAP_FIXED_NOREPLACE take the address as a hint and may give another. */
        if (there != MAP_FAILED)
            munmap(there, size);
    }
    uint8_t *start = reserve_addresses(NULL, size + alignment, 0);
    if (start == MAP_FAILED)
        return rt_fail(RT_MEMORY_ALLOCATION, "The host gives no %zu bytes of addresses: %s.", size,
                       strerror(errno));
    /* More was reserved than is needed; what lies before and behind the aligned range goes back. */
    uint8_t *aligned = (uint8_t *)(((uintptr_t)start + alignment - 1) & ~(uintptr_t)(alignment - 1));
    if (aligned != start)
        munmap(start, (size_t)(aligned - start));
    if (start + alignment != aligned)
        munmap(aligned + size, (size_t)(start + alignment - aligned));
    *address = (uintptr_t)aligned;
    VEC_PUSH(&reservations, ((Range){.address = *address, .size = size}));
    return RT_SUCCESS;
}

RtError rt_virtual_free(uint64_t address, size_t size)
{
    const Range range = {.address = address, .size = size};
    for (uint32_t i = 0; i < mappings.count; i++)
        if (is_inside(mappings.items[i].range, range))
            return rt_fail(RT_INVALID_VALUE, "Memory is still mapped at 0x%llx: unmap it first.",
                           (unsigned long long)mappings.items[i].range.address);
    for (uint32_t i = 0; i < reservations.count; i++) {
        if (reservations.items[i].address != address || reservations.items[i].size != size)
            continue;
        munmap((void *)(uintptr_t)address, size);
        /* The order of reservations does not matter. */
        reservations.items[i] = reservations.items[--reservations.count];
        return RT_SUCCESS;
    }
    return rt_fail(RT_INVALID_VALUE, "No range of %zu bytes was reserved at 0x%llx.", size,
                   (unsigned long long)address);
}

static bool is_reserved(Range range)
{
    for (uint32_t i = 0; i < reservations.count; i++)
        if (is_inside(range, reservations.items[i]))
            return true;
    return false;
}

/* The first mapping that ends behind the address; `count` if there is none. */
static uint32_t first_mapping(uint64_t address)
{
    uint32_t i = 0;
    while (i < mappings.count && end_of(mappings.items[i].range) <= address)
        i++;
    return i;
}

RtError rt_virtual_map(uint64_t address, size_t size, size_t offset, RtPhysical *physical)
{
    const Range range = {.address = address, .size = size};
    RtError error = check_range(range);
    if (error)
        return error;
    if (!is_reserved(range))
        return rt_fail(RT_INVALID_VALUE, "%zu bytes at 0x%llx are not in a reserved range of addresses.",
                       size, (unsigned long long)address);
    if (offset % RT_GRANULARITY || offset > physical->size || size > physical->size - offset)
        return rt_fail(RT_INVALID_VALUE, "Bytes %zu to %zu are not in the physical memory of %zu bytes.",
                       offset, offset + size, physical->size);
    const uint32_t place = first_mapping(address);
    if (place < mappings.count && mappings.items[place].range.address < end_of(range))
        return rt_fail(RT_INVALID_VALUE, "Memory is already mapped at 0x%llx: unmap it first.",
                       (unsigned long long)mappings.items[place].range.address);
    if (mmap((void *)(uintptr_t)address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, physical->file,
             (off_t)offset) == MAP_FAILED)
        return rt_fail(RT_MAP_BUFFER_OBJECT_FAILED, "The host cannot map the memory: %s.", strerror(errno));
    VEC_PUSH(&mappings, (Mapping){0});
    memmove(&mappings.items[place + 1], &mappings.items[place],
            (mappings.count - 1 - place) * sizeof *mappings.items);
    mappings.items[place] = (Mapping){.range = range, .offset = offset, .physical = physical};
    physical->mappings++;
    return RT_SUCCESS;
}

/* The mappings that make up the range exactly, from *first on; their number is *count. */
static RtError find_mappings(Range range, uint32_t *first, uint32_t *count)
{
    RtError error = check_range(range);
    if (error)
        return error;
    uint64_t next = range.address;
    *first = first_mapping(range.address);
    *count = 0;
    for (uint32_t i = *first; i < mappings.count && mappings.items[i].range.address == next; i++) {
        if (next >= end_of(range))
            break;
        next = end_of(mappings.items[i].range);
        ++*count;
    }
    if (next != end_of(range))
        return rt_fail(RT_INVALID_VALUE, "%zu bytes at 0x%llx are not made up of whole mappings.", range.size,
                       (unsigned long long)range.address);
    return RT_SUCCESS;
}

/* Any device may have been given access. */
static RtError wait_for_devices(void)
{
    RtError error = RT_SUCCESS;
    for (int i = 0; i < rt_device_count() && !error; i++)
        error = RT_ON(i, rt_sticky() ? RT_SUCCESS : rt_wait_all());
    return error;
}

/* The mappings of a range, when nothing that may use them is under way any more. */
static RtError find_unused(uint64_t address, size_t size, uint32_t *first, uint32_t *count)
{
    const RtError error = find_mappings((Range){.address = address, .size = size}, first, count);
    return error ? error : wait_for_devices();
}

RtError rt_virtual_unmap(uint64_t address, size_t size)
{
    uint32_t first, count;
    RtError error = find_unused(address, size, &first, &count);
    if (error)
        return error;
    VEC(RtPhysical *) unmapped = {0};
    for (uint32_t i = first; i < first + count; i++)
        VEC_PUSH(&unmapped, mappings.items[i].physical);
    mappings.count -= count;
    memmove(&mappings.items[first], &mappings.items[first + count],
            (mappings.count - first) * sizeof *mappings.items);
    error = update_known();
    reserve_addresses((void *)(uintptr_t)address, size, MAP_FIXED);
    for (uint32_t i = 0; i < unmapped.count; i++)
        if (--unmapped.items[i]->mappings == 0 && unmapped.items[i]->handles == 0)
            rt_physical_release(unmapped.items[i]);
    VEC_FREE(&unmapped);
    return error;
}

RtError rt_virtual_set_access(uint64_t address, size_t size, int access)
{
    uint32_t first, count;
    const RtError error = find_unused(address, size, &first, &count);
    if (error)
        return error;
    for (uint32_t i = first; i < first + count; i++)
        mappings.items[i].access[rt_device()] = (uint8_t)access;
    return update_known();
}

static const Mapping *find_mapping(uint64_t address)
{
    const uint32_t i = first_mapping(address);
    return i < mappings.count && mappings.items[i].range.address <= address ? &mappings.items[i] : NULL;
}

static RtError nothing_mapped(uint64_t address)
{
    return rt_fail(RT_INVALID_VALUE, "Nothing is mapped at 0x%llx.", (unsigned long long)address);
}

RtError rt_virtual_get_access(uint64_t address, int *access)
{
    const Mapping *mapping = find_mapping(address);
    if (!mapping)
        return nothing_mapped(address);
    *access = mapping->access[rt_device()];
    return RT_SUCCESS;
}

RtError rt_physical_at(uint64_t address, RtPhysical **physical)
{
    const Mapping *mapping = find_mapping(address);
    if (!mapping)
        return nothing_mapped(address);
    *physical = mapping->physical;
    mapping->physical->handles++;
    return RT_SUCCESS;
}

/* What a program may ask about an address. */
#include "rt/libcuda/libcuda.h"

#include <inttypes.h>
#include <string.h>

#include "rt/context.h"
#include "rt/memory.h"

/* Numbers of CUpointer_attribute. */
enum {
    CONTEXT = 1,
    MEMORY_TYPE,
    DEVICE_POINTER,
    HOST_POINTER,
    PEER_TOKENS,
    SYNC_OPERATIONS,
    BUFFER_ID,
    IS_MANAGED,
    DEVICE_ORDINAL,
    IS_SHAREABLE,
    RANGE_START,
    RANGE_SIZE,
    IS_MAPPED,
    HANDLE_TYPES,
    IS_DIRECT_CAPABLE,
    ACCESS_FLAGS,
    POOL,
    MAPPING_SIZE,
    MAPPING_BASE,
    BLOCK_ID,
    IS_DECOMPRESSIBLE
};
enum { TYPE_HOST = 1, TYPE_DEVICE = 2, ACCESS_BOTH = 3 };

/* An attribute's value has up to 8 bytes. */
typedef struct Value {
    uint64_t bits;
    size_t size;
} Value;

static bool is_host_memory(const RtAllocation *memory)
{
    return memory->kind == RT_HOST_MEMORY || memory->kind == RT_REGISTERED_MEMORY;
}

/* The value of an attribute of an address in that memory; size 0 if there is none such. */
static Value attribute_of(int attribute, uint64_t address, const RtAllocation *memory)
{
    const bool on_host = is_host_memory(memory), managed = memory->kind == RT_MANAGED_MEMORY;
    switch (attribute) {
    case CONTEXT:
        return (Value){(uintptr_t)(memory->device == rt_device() ? rt_context_current()
                                                                 : rt_primary(memory->device)),
                       sizeof(void *)};
    case MEMORY_TYPE:
        return (Value){on_host ? TYPE_HOST : TYPE_DEVICE, sizeof(int)};
    case DEVICE_POINTER:
        return (Value){address, sizeof address};
    case HOST_POINTER:
        return (Value){address, on_host || managed ? sizeof(void *) : 0};
    case SYNC_OPERATIONS:
        return (Value){0, sizeof(int)};
    case BUFFER_ID:
        return (Value){memory->base, sizeof(uint64_t)};
    case IS_MANAGED:
        return (Value){managed, sizeof(int)};
    case DEVICE_ORDINAL:
        return (Value){(uint64_t)memory->device, sizeof(int)};
    case RANGE_START:
        return (Value){memory->base, sizeof(uint64_t)};
    case RANGE_SIZE:
        return (Value){memory->size, sizeof(size_t)};
    case IS_MAPPED:
        return (Value){1, sizeof(int)};
    case HANDLE_TYPES:
        return (Value){0, sizeof(uint64_t)};
    case ACCESS_FLAGS:
        return (Value){ACCESS_BOTH, sizeof(int)};
    case POOL:
        return (Value){(uintptr_t)memory->pool, sizeof(void *)};
    case MAPPING_SIZE:
        return (Value){memory->size, sizeof(size_t)};
    case MAPPING_BASE:
        return (Value){memory->base, sizeof(uint64_t)};
    case BLOCK_ID:
        return (Value){memory->base, sizeof(uint64_t)};
    case IS_SHAREABLE:
    case IS_DIRECT_CAPABLE:
    case IS_DECOMPRESSIBLE:
        return (Value){0, sizeof(int)};
    default:
        return (Value){0, 0};
    }
}

static RtError get_attribute(void *data, int attribute, uint64_t address)
{
    NEED(data);
    const RtAllocation *memory = rt_allocation_find(address);
    if (!memory)
        return rt_fail(RT_INVALID_VALUE, "0x%" PRIx64 " is in no memory that is allocated now.", address);
    const Value value = attribute_of(attribute, address, memory);
    if (value.size == 0)
        return rt_fail(RT_INVALID_VALUE, "Memory at 0x%" PRIx64 " has no attribute %d.", address, attribute);
    memcpy(data, &value.bits, value.size);
    return RT_SUCCESS;
}

EXPORT int cuPointerGetAttribute(void *data, int attribute, uint64_t address)
{
    return LIBCUDA(get_attribute(data, attribute, address));
}

/* An address that nobody knows is no error here: its attributes are null. */
static RtError get_attributes(unsigned count, const int *attributes, void **data, uint64_t address)
{
    static const RtAllocation unknown = {.kind = RT_DEVICE_MEMORY};
    NEED(attributes);
    NEED(data);
    const RtAllocation *memory = rt_allocation_find(address);
    for (unsigned i = 0; i < count; i++) {
        NEED(data[i]);
        Value value = attribute_of(attributes[i], address, memory ? memory : &unknown);
        if (value.size == 0 && attributes[i] != HOST_POINTER)
            return rt_fail(RT_INVALID_VALUE, "%d is no attribute of memory.", attributes[i]);
        if (value.size == 0)
            value = (Value){0, sizeof(void *)};
        if (!memory)
            value.bits = attributes[i] == DEVICE_ORDINAL ? UINT64_MAX - 1 : 0;
        memcpy(data[i], &value.bits, value.size);
    }
    return RT_SUCCESS;
}

EXPORT int cuPointerGetAttributes(unsigned count, int *attributes, void **data, uint64_t address)
{
    return LIBCUDA(get_attributes(count, attributes, data, address));
}

/* Copies of memory that asks for synchronous ones are so where it matters anyway. */
static RtError set_attribute(const void *value, int attribute, uint64_t address)
{
    NEED(value);
    if (attribute != SYNC_OPERATIONS)
        return rt_fail(RT_INVALID_VALUE, "Attribute %d of memory cannot be set.", attribute);
    if (!rt_allocation_find(address))
        return rt_fail(RT_INVALID_VALUE, "0x%" PRIx64 " is in no memory that is allocated now.", address);
    return RT_SUCCESS;
}

EXPORT int cuPointerSetAttribute(const void *value, int attribute, uint64_t address)
{
    return LIBCUDA(set_attribute(value, attribute, address));
}

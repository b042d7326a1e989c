/* Devices: their attributes are rows of attribute.def; their limits and flags are kept here. */
#include "rt/device.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "rt/array.h"
#include "rt/memory.h"
#include "rt/module.h"
#include "rt/peer.h"
#include "rt/pool.h"

static RtDeviceSettings settings[RT_DEVICES] = {[0 ... RT_DEVICES - 1] = {.flags = 0x8}};

void rt_device_uuid(uint8_t uuid[16])
{
    memcpy(uuid, "Warpbeam\0\0\0\0\0\0\0", 16);
    uuid[15] = (uint8_t)(rt_device() + 1);
}

RtDeviceSettings *rt_device_settings(void) { return &settings[rt_device()]; }

RtError rt_device_check(int device)
{
    const int count = rt_device_count();
    if (device >= 0 && device < count)
        return RT_SUCCESS;
    if (count == 1)
        return rt_fail(RT_INVALID_DEVICE,
                       "There is one device, number 0; the program asked for number %d. `warpbeam run --gpus "
                       "N` gives it more.",
                       device);
    return rt_fail(RT_INVALID_DEVICE,
                   "There are %d devices, numbers 0 to %d; the program asked for number %d.", count,
                   count - 1, device);
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Whether the GPU's compute capability, ten times major plus minor, is at least that. */
static bool is_at_least(uint64_t capability) { return rt_knob("compute_capability") >= capability; }

static uint64_t by_capability(uint64_t capability, uint64_t from_there_on, uint64_t before)
{
    return is_at_least(capability) ? from_there_on : before;
}

/* What a knob says that programs are told; what there is, if it says nothing. */
static uint64_t told(const char *knob, uint64_t is)
{
    const uint64_t value = rt_knob(knob);
    return value ? value : is;
}

static uint64_t l2_bytes(void) { return told("l2_told_bytes", rt_knob("l2_bytes")); }

static uint64_t lanes_ratio(void)
{
    uint64_t doubles = rt_knob("fp64_pipes") * rt_knob("fp64_lanes");
    uint64_t singles = rt_knob("fp32_pipes") * rt_knob("fp32_lanes");
    return doubles && singles > doubles ? singles / doubles : 1;
}

static uint64_t bus_bits(void)
{
    return told("memory_bus_bits", rt_knob("dram_channels") * rt_knob("dram_bus_bits"));
}

static bool find_attribute(int attribute, uint64_t *value)
{
    switch (attribute) {
#define ATTRIBUTE(number, expression)                                                                        \
    case number:                                                                                             \
        *value = (uint64_t)(expression);                                                                     \
        return true;
#include "rt/attribute.def"
#undef ATTRIBUTE
    default:
        return false;
    }
}

bool rt_device_has_attribute(int attribute, int *value)
{
    uint64_t wide;
    if (!find_attribute(attribute, &wide))
        return false;
    /* Attributes are ints; the largest one stands for all that is more. */
    *value = (int64_t)wide > INT_MAX ? INT_MAX : (int)(int64_t)wide;
    return true;
}

RtError rt_device_attribute(int attribute, int *value)
{
    return rt_device_has_attribute(attribute, value)
               ? RT_SUCCESS
               : rt_fail(RT_INVALID_VALUE, "%d is no attribute of a device.", attribute);
}

int rt_device_value(int attribute)
{
    int value = 0;
    rt_device_attribute(attribute, &value);
    return value;
}

void rt_device_name(char *name, size_t size) { snprintf(name, size, "Warpbeam %s", wb_gpu_name(rt_gpu())); }

RtError rt_device_bytes(size_t *bytes)
{
    size_t free;
    return rt_memory_info(&free, bytes);
}

/* -- the place on the PCI bus -- */

RtError rt_device_pci_name(char *name, int size)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%04x:%02x:%02x.0", rt_device_value(50), rt_device_value(33),
                          rt_device_value(34));
    if (!name || size <= length)
        return rt_fail(RT_INVALID_VALUE, "The PCI bus id needs room for %d characters; there is room for %d.",
                       length + 1, name ? size : 0);
    memcpy(name, text, (size_t)length + 1);
    return RT_SUCCESS;
}

RtError rt_device_by_pci_name(const char *name, int *device)
{
    unsigned domain = 0, bus, slot, function = 0;
    if (!name || !device)
        return rt_fail(RT_INVALID_VALUE, "A null pointer was passed.");
    if (sscanf(name, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
        domain = 0;
        if (sscanf(name, "%x:%x.%x", &bus, &slot, &function) < 2)
            return rt_fail(RT_INVALID_VALUE, "%s is no PCI bus id such as 0000:01:00.0.", name);
    }
    /* Devices are on buses of their own, in the order of their numbers. */
    *device = (int)bus - (rt_device_value(33) - rt_device());
    if ((int)domain != rt_device_value(50) || *device < 0 || *device >= rt_device_count() ||
        (int)slot != rt_device_value(34) || function != 0)
        return rt_fail(RT_INVALID_DEVICE, "No device has the PCI bus id %s.", name);
    return RT_SUCCESS;
}

/* -- limits -- */

enum {
    LIMIT_STACK,
    LIMIT_PRINTF,
    LIMIT_HEAP,
    LIMIT_SYNC_DEPTH,
    LIMIT_PENDING,
    LIMIT_FETCH,
    LIMIT_PERSISTING
};

/* CUDA's initial values; of the heap and of pending launches the knobs have them. */
static const size_t initial_limits[] = {1024, 1048576, 0, 2, 0, 64, 0};
enum { LIMIT_COUNT = sizeof initial_limits / sizeof *initial_limits };
/* What a program has set instead. */
typedef struct Limit {
    size_t value;
    bool is_set;
} Limit;
static Limit all_limits[RT_DEVICES][LIMIT_COUNT];

/* From compute capability 9.0 on kernels cannot wait for what they launched, and have no depth of that. */
static bool has_limit(int limit)
{
    return limit >= 0 && limit < LIMIT_COUNT && !(limit == LIMIT_SYNC_DEPTH && is_at_least(90));
}

static RtError no_limit(int limit)
{
    return rt_fail(RT_UNSUPPORTED_LIMIT, "%d is no limit of the device.", limit);
}

bool rt_limit_find(int limit, size_t *value)
{
    const Limit *limits = all_limits[rt_device()];
    if (!has_limit(limit))
        return false;
    if (limit == LIMIT_HEAP)
        *value = (size_t)rt_knob("heap_bytes");
    else if (limit == LIMIT_PENDING)
        *value = (size_t)rt_knob("pending_launches");
    else
        *value = limits[limit].is_set ? limits[limit].value : initial_limits[limit];
    return true;
}

RtError rt_limit_get(int limit, size_t *value)
{
    return rt_limit_find(limit, value) ? RT_SUCCESS : no_limit(limit);
}

/* A knob can only change while nothing is queued. */
static RtError set_knob(const char *knob, size_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", value);
    RtError error = rt_wait_all();
    return error ? error : rt_check(wb_gpu_set(rt_gpu(), knob, text));
}

RtError rt_limit_set(int limit, size_t value)
{
    enum { LEAST_PENDING = 32 };
    RtError error = has_limit(limit) ? RT_SUCCESS : no_limit(limit);
    if (error == RT_SUCCESS && limit == LIMIT_HEAP)
        return set_knob("heap_bytes", value);
    if (error == RT_SUCCESS && limit == LIMIT_PENDING)
        return set_knob("pending_launches", value > LEAST_PENDING ? value : LEAST_PENDING);
    /* A smaller stack would only make kernels fail that work on a GPU, where it is a minimum. */
    if (error == RT_SUCCESS && limit == LIMIT_STACK && value > rt_knob("stack_bytes"))
        error = set_knob("stack_bytes", value);
    if (error == RT_SUCCESS && limit == LIMIT_PERSISTING && value > (size_t)rt_device_value(108))
        error = rt_fail(RT_INVALID_VALUE, "At most %d bytes of the L2 can be set aside; %zu were asked for.",
                        rt_device_value(108), value);
    if (error != RT_SUCCESS)
        return error;
    all_limits[rt_device()][limit] = (Limit){value, true};
    return RT_SUCCESS;
}

/* -- reset -- */

/* Pools keep their memory, but for what was freed in a stream whose contents are gone. */
static bool ends_with_reset(const RtAllocation *allocation)
{
    if (allocation->device != rt_device())
        return false;
    return allocation->kind == RT_DEVICE_MEMORY || allocation->kind == RT_HOST_MEMORY ||
           allocation->kind == RT_MANAGED_MEMORY ||
           (allocation->kind == RT_POOL_MEMORY && allocation->released);
}

static void drop(const RtAllocation *allocation)
{
    const uint64_t base = allocation->base;
    if (allocation->kind == RT_POOL_MEMORY) {
        rt_pool_free_now(base);
    } else if (allocation->kind == RT_DEVICE_MEMORY) {
        rt_allocation_remove(base);
        rt_check(wb_free(rt_gpu(), base));
    } else {
        rt_host_drop(base);
    }
}

static bool is_own_stream(const void *stream) { return ((const RtStream *)stream)->device == rt_device(); }

static bool is_own_event(const void *event) { return ((const RtEvent *)event)->device == rt_device(); }

static bool is_own_array(const void *array) { return ((const RtArray *)array)->device == rt_device(); }

static void end_handles(void)
{
    void *handle;
    while ((handle = rt_handle_any(RT_HANDLE_STREAM, is_own_stream)) != NULL)
        rt_stream_destroy(handle);
    while ((handle = rt_handle_any(RT_HANDLE_EVENT, is_own_event)) != NULL)
        rt_event_destroy(handle);
    while ((handle = rt_handle_any(RT_HANDLE_ARRAY, is_own_array)) != NULL)
        rt_array_destroy(handle);
}

RtError rt_device_reset(void)
{
    if (!rt_gpu())
        return RT_SUCCESS;
    /* After a kernel has failed there is nothing to wait for. */
    RtError error = rt_sticky() ? RT_SUCCESS : rt_check(wb_wait(rt_gpu()));
    rt_revive();
    end_handles();
    rt_modules_reset();
    const RtAllocation *allocation;
    /* The next one is looked for by address: dropping changes the list. */
    for (uint64_t base = 0; (allocation = rt_allocation_after(base)) != NULL;) {
        base = allocation->base;
        if (ends_with_reset(allocation))
            drop(allocation);
    }
    rt_peer_forget();
    memset(all_limits[rt_device()], 0, sizeof all_limits[rt_device()]);
    settings[rt_device()] = (RtDeviceSettings){.flags = 0x8};
    return error;
}

/* The device heap: malloc and free inside kernels, and cudaMalloc and cudaFree, which take from it as well,
 * bounded by the GPU's heap_bytes. Every block is an allocation of its own, so accesses are checked against
 * its exact size. */
#include "exec/runtime/call.h"

#include <inttypes.h>
#include <string.h>

/* Marks heap blocks among all allocations, by its address. */
static const char heap_name[] = "the device heap";

static uint64_t first_argument(const IntrinsicCall *call, unsigned lane)
{
    uint64_t value;
    memcpy(&value, intrinsic_argument(call, 0, lane), sizeof value);
    return value;
}

/* Null when the heap has no room, as CUDA's malloc answers. */
static uint64_t allocate(Launch *launch, uint64_t size)
{
    Machine *machine = launch->machine;
    uint64_t address = 0;
    Error ignored = {0};
    /* In this order nothing is subtracted below 0. */
    if (size == 0 || size > machine->heap->limit || machine->heap->used > machine->heap->limit - size)
        return 0;
    if (space_alloc(launch->space, size, heap_name, false, &address, &ignored))
        return 0;
    machine->heap->used += size;
    return address;
}

static StepResult malloc_lane(IntrinsicCall *call, unsigned lane)
{
    uint64_t address = allocate(call->step->warp->block->launch, first_argument(call, lane));
    memcpy(call->results + (size_t)lane * call->result_stride, &address, sizeof address);
    return STEP_NEXT;
}

StepResult intrinsic_malloc(IntrinsicCall *call) { return intrinsic_each_lane(call, malloc_lane); }

static StepResult free_lane(IntrinsicCall *call, unsigned lane)
{
    Launch *launch = call->step->warp->block->launch;
    uint64_t address = first_argument(call, lane);
    if (address == 0)
        return STEP_NEXT;
    const Allocation *allocation = space_find(launch->space, address, 1);
    /* Compared by the name's address: a variable of the same name is another thing. */
    if (!allocation || allocation->name != heap_name || allocation->base != address) {
        char description[512];
        return step_error(call->step, WB_ERROR_ADDRESS, lane,
                          "%s was given 0x%" PRIx64
                          ", which malloc did not return or which was freed before: the address is %s",
                          call->call->name, address,
                          space_describe(launch->space, address, description, sizeof description));
    }
    launch->machine->heap->used -= allocation->size;
    Error ignored = {0};
    space_free(launch->space, address, &ignored);
    return STEP_NEXT;
}

StepResult intrinsic_free(IntrinsicCall *call) { return intrinsic_each_lane(call, free_lane); }

/* The thread's pointer stays as it is where there is no memory. */
static StepResult cuda_malloc_thread(RuntimeCall *call, uint64_t *answer)
{
    Launch *launch = call->caller.step->warp->block->launch;
    const uint64_t size = runtime_argument64(call, 1);
    if (size == 0 || runtime_argument64(call, 0) == 0)
        return runtime_answer_error(call, DEVICE_INVALID_VALUE, answer);
    const uint64_t address = allocate(launch, size);
    if (address == 0)
        return runtime_answer_error(call, DEVICE_OUT_OF_MEMORY, answer);
    return runtime_store(call, 0, &address, sizeof address, answer);
}

StepResult intrinsic_cuda_malloc(IntrinsicCall *call)
{
    return runtime_each_thread(call, cuda_malloc_thread);
}

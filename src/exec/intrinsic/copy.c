/* Copies and memsets that kernels ask for. They are launches of kernels of the runtime's own, into the stream
 * that the call names, as they are on a GPU: their order, their completion and their time are those of
 * launches.
 *
 * What is copied or set is a box of bytes. A thread moves units of 16, 4 or 1 bytes, as all addresses and
 * sizes of the box allow. */
#include <string.h>

#include "exec/access.h"
#include "exec/peek.h"
#include "exec/runtime/call.h"

/* One side of a box. */
typedef struct Side {
    uint64_t address, row_pitch, slice_pitch;
} Side;

/* The parameters of the kernels, as they declare them (api/device_service.c). Width is in units. */
typedef struct CopyParameters {
    Side destination, source;
    uint64_t width, height, depth;
    uint32_t unit_shift;
} CopyParameters;
typedef struct SetParameters {
    Side destination;
    uint64_t width, height, depth;
    uint32_t unit_shift;
    uint32_t value; /* the byte, four times */
} SetParameters;

typedef struct Box {
    Side destination, source; /* source.address is 0: it is set */
    uint64_t width, height, depth;
    uint8_t value;
} Box;

/* -- launching -- */

/* 4, 2 or 0: the logarithm of the bytes of a unit. */
static unsigned unit_shift(const Box *box)
{
    /* A sum of bits is a multiple of 16 exactly if all of them are. */
    uint64_t bits = box->width | box->destination.address | box->source.address;
    if (box->height > 1)
        bits |= box->destination.row_pitch | box->source.row_pitch;
    if (box->depth > 1)
        bits |= box->destination.slice_pitch | box->source.slice_pitch;
    return bits % 16 == 0 ? 4 : bits % 4 == 0 ? 2 : 0;
}

static uint32_t at_most(uint64_t value, uint32_t limit) { return value < limit ? (uint32_t)value : limit; }

/* Threads loop over what exceeds this grid. */
static void choose_shape(LaunchRequest *request, uint64_t units, const Box *box)
{
    enum { WARP = 32, BLOCK = 256, GRID_X = 1024, GRID_Y = 1024, GRID_Z = 64 };
    const uint32_t threads = at_most((units + WARP - 1) / WARP * WARP, BLOCK);
    request->block[0] = threads;
    request->block[1] = request->block[2] = 1;
    request->grid[0] = at_most((units + threads - 1) / threads, GRID_X);
    request->grid[1] = at_most(box->height, GRID_Y);
    request->grid[2] = at_most(box->depth, GRID_Z);
}

static void fill_in(LaunchBuffer *buffer, const Box *box, unsigned shift)
{
    const uint64_t units = box->width >> shift;
    const CopyParameters copy = {box->destination, box->source, units, box->height, box->depth, shift};
    const SetParameters set = {box->destination, units, box->height,
                               box->depth,       shift, box->value * 0x01010101u};
    if (box->source.address)
        memcpy(buffer->host, &copy, sizeof copy);
    else
        memcpy(buffer->host, &set, sizeof set);
}

static StepResult launch_box(RuntimeCall *call, const Box *box, uint64_t stream, uint64_t *answer)
{
    DeviceRuntime *runtime = call->runtime;
    const Launcher *launcher = &runtime->launcher;
    const unsigned shift = unit_shift(box);
    LaunchRequest request = {
        .kernel = launcher->service(launcher->context, box->source.address ? SERVICE_COPY : SERVICE_SET),
        .is_service = true,
    };
    uint32_t bytes;
    if (runtime_find_kernel(call, request.kernel, &bytes) != STEP_NEXT)
        return STEP_ERROR;
    request.buffer = runtime_buffer(runtime, &call->caller, PARAMETER_ALIGNMENT, bytes);
    if (!request.buffer) {
        *answer = DEVICE_OUT_OF_MEMORY;
        return STEP_NEXT;
    }
    choose_shape(&request, box->width >> shift, box);
    fill_in(request.buffer, box, shift);
    DeviceError error;
    const StepResult result = runtime_launch(runtime, &call->caller, &request, stream, &error);
    /* Nobody else knows of it: the kernel that would give it back has not begun. */
    if (result != STEP_NEXT || error != DEVICE_OK)
        buffer_give_back(&runtime->buffers, request.buffer);
    *answer = error;
    return result;
}

/* -- checks -- */

/* Memory of the thread or its block cannot be reached by others, and constants cannot be copied. */
static bool is_global(const RuntimeCall *call, uint64_t address)
{
    const Launch *launch = call->caller.step->warp->block->launch;
    if (!address || access_window(address) != SPACE_GLOBAL)
        return false;
    const Allocation *allocation = space_find(launch->space, address, 1);
    return !allocation || !allocation->read_only;
}

static DeviceError check_copy(const RuntimeCall *call, const Box *box, uint32_t kind)
{
    /* CUDA's numbers of cudaMemcpyKind that a kernel may give. */
    enum { DEVICE_TO_DEVICE = 3, BY_ADDRESS = 4 };
    if (kind != DEVICE_TO_DEVICE && kind != BY_ADDRESS)
        return DEVICE_INVALID_DIRECTION;
    if (!is_global(call, box->destination.address) || !is_global(call, box->source.address))
        return DEVICE_INVALID_VALUE;
    const bool is_narrow = box->width > box->destination.row_pitch || box->width > box->source.row_pitch;
    return is_narrow ? DEVICE_INVALID_PITCH : DEVICE_OK;
}

static bool is_empty(const Box *box) { return !box->width || !box->height || !box->depth; }

static StepResult copy(RuntimeCall *call, const Box *box, uint32_t kind, uint64_t stream, uint64_t *answer)
{
    if (is_empty(box))
        return STEP_NEXT;
    const DeviceError error = check_copy(call, box, kind);
    return error == DEVICE_OK ? launch_box(call, box, stream, answer)
                              : runtime_answer_error(call, error, answer);
}

static StepResult set(RuntimeCall *call, const Box *box, uint64_t stream, uint64_t *answer)
{
    if (is_empty(box))
        return STEP_NEXT;
    if (box->width > box->destination.row_pitch || !is_global(call, box->destination.address))
        return runtime_answer_error(call, DEVICE_INVALID_VALUE, answer);
    return launch_box(call, box, stream, answer);
}

/* -- the calls -- */

static Side row(uint64_t address, uint64_t bytes) { return (Side){address, bytes, bytes}; }

static StepResult copy_thread(RuntimeCall *call, uint64_t *answer)
{
    const uint64_t bytes = runtime_argument64(call, 2);
    const Box box = {
        row(runtime_argument64(call, 0), bytes), row(runtime_argument64(call, 1), bytes), bytes, 1, 1, 0};
    return copy(call, &box, runtime_argument32(call, 3), runtime_stream_argument(call, 4), answer);
}

StepResult intrinsic_memcpy(IntrinsicCall *call) { return runtime_each_thread(call, copy_thread); }

static StepResult copy_2d_thread(RuntimeCall *call, uint64_t *answer)
{
    const Box box = {
        .destination = {runtime_argument64(call, 0), runtime_argument64(call, 1), 0},
        .source = {runtime_argument64(call, 2), runtime_argument64(call, 3), 0},
        .width = runtime_argument64(call, 4),
        .height = runtime_argument64(call, 5),
        .depth = 1,
    };
    return copy(call, &box, runtime_argument32(call, 6), runtime_stream_argument(call, 7), answer);
}

StepResult intrinsic_memcpy_2d(IntrinsicCall *call) { return runtime_each_thread(call, copy_2d_thread); }

/* Layouts of cudaPitchedPtr, and of cudaMemcpy3DParms, whose positions are x in bytes, y and z. */
typedef struct PitchedPointer {
    uint64_t address, pitch, width, height;
} PitchedPointer;
typedef struct Copy3d {
    uint64_t source_array, source_position[3];
    PitchedPointer source;
    uint64_t destination_array, destination_position[3];
    PitchedPointer destination;
    uint64_t extent[3];
    uint32_t kind;
} Copy3d;

static Side side_of(const PitchedPointer *pointer, const uint64_t position[3])
{
    const uint64_t slice = pointer->pitch * pointer->height;
    const uint64_t offset = position[0] + position[1] * pointer->pitch + position[2] * slice;
    return (Side){pointer->address ? pointer->address + offset : 0, pointer->pitch, slice};
}

static StepResult copy_3d_thread(RuntimeCall *call, uint64_t *answer)
{
    Copy3d from;
    const Warp *warp = call->caller.step->warp;
    if (!peek(warp, call->caller.lane, runtime_argument64(call, 0), &from, sizeof from) ||
        from.source_array || from.destination_array) /* kernels have no arrays */
        return runtime_answer_error(call, DEVICE_INVALID_VALUE, answer);
    const Box box = {
        .destination = side_of(&from.destination, from.destination_position),
        .source = side_of(&from.source, from.source_position),
        .width = from.extent[0],
        .height = from.extent[1],
        .depth = from.extent[2],
    };
    return copy(call, &box, from.kind, runtime_stream_argument(call, 1), answer);
}

StepResult intrinsic_memcpy_3d(IntrinsicCall *call) { return runtime_each_thread(call, copy_3d_thread); }

static StepResult set_thread(RuntimeCall *call, uint64_t *answer)
{
    const uint64_t bytes = runtime_argument64(call, 2);
    const Box box = {
        .destination = row(runtime_argument64(call, 0), bytes),
        .width = bytes,
        .height = 1,
        .depth = 1,
        .value = (uint8_t)runtime_argument32(call, 1),
    };
    return set(call, &box, runtime_stream_argument(call, 3), answer);
}

StepResult intrinsic_memset(IntrinsicCall *call) { return runtime_each_thread(call, set_thread); }

static StepResult set_2d_thread(RuntimeCall *call, uint64_t *answer)
{
    const Box box = {
        .destination = {runtime_argument64(call, 0), runtime_argument64(call, 1), 0},
        .width = runtime_argument64(call, 3),
        .height = runtime_argument64(call, 4),
        .depth = 1,
        .value = (uint8_t)runtime_argument32(call, 2),
    };
    return set(call, &box, runtime_stream_argument(call, 5), answer);
}

StepResult intrinsic_memset_2d(IntrinsicCall *call) { return runtime_each_thread(call, set_2d_thread); }

static StepResult set_3d_thread(RuntimeCall *call, uint64_t *answer)
{
    static const uint64_t origin[3];
    PitchedPointer pointer;
    uint64_t extent[3];
    memcpy(&pointer, intrinsic_argument(call->call, 0, call->caller.lane), sizeof pointer);
    memcpy(extent, intrinsic_argument(call->call, 2, call->caller.lane), sizeof extent);
    const Box box = {
        .destination = side_of(&pointer, origin),
        .width = extent[0],
        .height = extent[1],
        .depth = extent[2],
        .value = (uint8_t)runtime_argument32(call, 1),
    };
    return set(call, &box, runtime_stream_argument(call, 3), answer);
}

StepResult intrinsic_memset_3d(IntrinsicCall *call) { return runtime_each_thread(call, set_3d_thread); }

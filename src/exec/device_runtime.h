/* The device runtime: what kernels ask for in order to launch work [DTBL §2.4, table 1].
 *
 * Intrinsics (intrinsic_launch.c and its neighbours) read the arguments of each calling thread and come
 * here; what every launch has to pass is done here: buffers, streams, the limits of depth and of pending
 * launches, the errors that each thread has not asked for. Kernels are found, and grids are made and run, by
 * the Launcher: functional mode or the cycle machine. Nothing here runs beside other threads: in the cycle
 * machine calls are put off to the ends of windows. */
#ifndef EXEC_DEVICE_RUNTIME_H
#define EXEC_DEVICE_RUNTIME_H

#include "exec/family.h"
#include "exec/intrinsic.h"
#include "exec/launch_buffer.h"
#include "exec/machine.h"

/* What CUDA's device functions return, by CUDA's numbers. */
typedef enum DeviceError {
    DEVICE_OK = 0,
    DEVICE_INVALID_VALUE = 1,
    DEVICE_OUT_OF_MEMORY = 2,
    DEVICE_INVALID_CONFIGURATION = 9,
    DEVICE_TOO_DEEP = 65,
    DEVICE_TOO_MANY_PENDING = 69,
    DEVICE_INVALID_FUNCTION = 98,
    DEVICE_INVALID_HANDLE = 400,
    DEVICE_OUT_OF_RESOURCES = 701
} DeviceError;

/* The thread that calls, and how many of its warp call together. */
typedef struct LaunchCaller {
    Step *step;
    unsigned lane;
    uint32_t lanes;            /* of the warp, that make this call */
    uint32_t number;           /* of this one among them, from 0 */
} LaunchCaller;

/* A launch that has passed all checks but those of the kernel itself. */
typedef struct LaunchRequest {
    uint64_t kernel;           /* address of the function */
    LaunchBuffer *buffer;
    uint32_t grid[3], block[3], shared_bytes;
    bool is_group;
    LaunchOrderKind order;
    LaunchStream *stream;
} LaunchRequest;

/* Finds kernels and runs grids. */
typedef struct Launcher {
    /* Bytes of the parameters of the kernel at an address; false if there is none. */
    bool (*parameter_bytes)(void *context, uint64_t kernel, uint32_t *bytes);
    /* Takes the launch, with its buffer, or says why not; must call family_launch() for it. */
    DeviceError (*launch)(void *context, const LaunchRequest *request, const LaunchCaller *caller);
    void *context;
} Launcher;

/* A thread's last error, until it asks. Invariant: error is not DEVICE_OK. */
typedef struct ThreadError {
    uint64_t grid_id, block;
    uint32_t thread;
    DeviceError error;
} ThreadError;

/* Invariant: pending counts launches that have not begun; refused those of the errors that are
 * DEVICE_TOO_MANY_PENDING, and `refusal` tells of the first of these. */
typedef struct DeviceRuntime {
    Launcher launcher;
    BufferPool buffers;
    uint64_t pending, pending_limit;
    uint64_t depth_limit;      /* 0: none */
    VEC(ThreadError) errors;
    uint64_t refused;
    uint64_t refusals;         /* ever, since all grids were complete */
    Error refusal;
} DeviceRuntime;

/* The runtime of the machine that runs the caller; null: kernels cannot launch there. */
static inline DeviceRuntime *runtime_of(const Step *step)
{
    return step->warp->block->launch->machine->runtime;
}

/* Null, with the thread's last error set: no launch can be taken. */
LaunchBuffer *runtime_buffer(DeviceRuntime *runtime, const LaunchCaller *caller, uint64_t alignment,
                             uint64_t size);
/* As a call with a stream's handle asks for; the result is the thread's last error, too. STEP_ERROR where
 * the run has to stop. */
StepResult runtime_launch(DeviceRuntime *runtime, const LaunchCaller *caller, LaunchRequest *request,
                          uint64_t stream, DeviceError *error);
/* Keeps the error as the calling thread's last one and returns it. */
DeviceError runtime_fail(DeviceRuntime *runtime, const LaunchCaller *caller, DeviceError error);
/* The calling thread's last error; `forget`: it is none afterwards. */
DeviceError runtime_last_error(DeviceRuntime *runtime, const LaunchCaller *caller, bool forget);
/* What the caller's block has launched; made at its first use. */
BlockFamily *runtime_block(const LaunchCaller *caller);
/* The stream of a handle that the caller's grid may use; null: none, or one without order. */
LaunchStream *runtime_stream(const LaunchCaller *caller, uint64_t handle);
/* The block waits for what it has launched, if that is not complete: its must_wait is set then. */
void runtime_wait(const LaunchCaller *caller);
/* A launch has begun: it is pending no longer. */
void runtime_begun(DeviceRuntime *runtime);
/* All grids are complete or given up. A failure if a launch was refused for want of pending places and the
 * thread never asked: work is missing, and nobody knows. */
WbStatus runtime_finish(DeviceRuntime *runtime, Error *error);
void runtime_free(DeviceRuntime *runtime);

#endif

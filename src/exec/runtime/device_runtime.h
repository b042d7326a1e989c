/* The device runtime: what kernels ask for in order to launch work [DTBL §2.4, table 1].
 *
 * Intrinsics (exec/intrinsic/launch.c and its neighbours) read the arguments of each calling thread and come
 * here; what every launch has to pass is done here: buffers, streams, the limits of depth and of pending
 * launches, the errors that each thread has not asked for. Kernels are found, and grids are made and run, by
 * the Launcher: functional mode or the cycle machine. Nothing here runs beside other threads: in the cycle
 * machine calls are put off to the ends of windows. */
#ifndef EXEC_RUNTIME_DEVICE_RUNTIME_H
#define EXEC_RUNTIME_DEVICE_RUNTIME_H

#include "exec/runtime/family.h"
#include "exec/intrinsic.h"
#include "exec/runtime/launch_buffer.h"
#include "exec/machine.h"

/* What CUDA's device functions return, by CUDA's numbers. */
typedef enum DeviceError {
    DEVICE_OK = 0,
    DEVICE_INVALID_VALUE = 1,
    DEVICE_OUT_OF_MEMORY = 2,
    DEVICE_INVALID_CONFIGURATION = 9,
    DEVICE_INVALID_PITCH = 12,
    DEVICE_INVALID_DIRECTION = 21,
    DEVICE_TOO_DEEP = 65,
    DEVICE_TOO_MANY_PENDING = 69,
    DEVICE_INVALID_DEVICE = 101,
    DEVICE_UNSUPPORTED_LIMIT = 215,
    DEVICE_ILLEGAL_ADDRESS = 700, /* no call returns it: the run ends */
    DEVICE_NOT_SUPPORTED = 801,
    DEVICE_UNKNOWN = 999
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
    LaunchBuffer *buffer;      /* not launched yet */
    uint32_t grid[3], block[3], shared_bytes;
    bool is_group;
    bool is_service;           /* a copy or a memset, by a kernel of the runtime's own */
    LaunchOrderKind order;
    LaunchStream *stream;
} LaunchRequest;

/* Kernels of the runtime's own. */
typedef enum ServiceKernel { SERVICE_COPY, SERVICE_SET, SERVICE_COUNT } ServiceKernel;

/* Finds kernels and runs grids. */
typedef struct Launcher {
    /* Bytes of the parameters of the kernel at an address; an error if there is none, or it cannot run. */
    WbStatus (*find)(void *context, uint64_t kernel, uint32_t *parameter_bytes, Error *error);
    /* Takes the launch, with its buffer, or says why not; must call family_launch() for it. */
    DeviceError (*launch)(void *context, const LaunchRequest *request, const LaunchCaller *caller);
    /* The address of a kernel of the runtime's own. */
    uint64_t (*service)(void *context, ServiceKernel kernel);
    void *context;
} Launcher;

/* What kernels may know of a kernel: the beginning of cudaFuncAttributes. */
typedef struct FunctionFacts {
    uint64_t shared_bytes, constant_bytes, local_bytes;
    int32_t max_threads, registers, ptx_version, binary_version;
} FunctionFacts;

/* What kernels may ask about the GPU they run on. Values are set only where the answer is DEVICE_OK. */
typedef struct DeviceQueries {
    DeviceError (*attribute)(void *context, int32_t attribute, int32_t *value);
    DeviceError (*limit)(void *context, int32_t limit, uint64_t *value);
    int32_t (*cache_preference)(void *context);
    DeviceError (*function)(void *context, uint64_t kernel, FunctionFacts *facts);
    DeviceError (*occupancy)(void *context, uint64_t kernel, uint32_t threads, uint64_t shared_bytes,
                             int32_t *blocks);
    /* The address of an error's name or description in device memory; 0: there is no room for it. */
    uint64_t (*error_text)(void *context, int32_t error, bool is_name);
    void *context;
} DeviceQueries;

/* A thread's last error. Invariant: lost counts the launches that were refused for want of places since the
 * thread last asked for its error; insn is the call that failed, unless there is no error. */
typedef struct ThreadError {
    DeviceError error;
    uint32_t lost;
    const Insn *insn;
} ThreadError;

/* Invariant: pending counts launches that have not begun; refused counts threads that have lost launches and
 * have not asked, also those that have ended, and `refusal` tells of the first of these. */
typedef struct DeviceRuntime {
    Launcher launcher;
    DeviceQueries queries;
    BufferPool buffers;
    uint64_t pending, pending_limit;
    uint64_t depth_limit;      /* 0: none */
    uint64_t refused;
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
 * the run has to stop. The buffer of a launch that failed stays with the thread, which may try again. */
StepResult runtime_launch(DeviceRuntime *runtime, const LaunchCaller *caller, LaunchRequest *request,
                          uint64_t stream, DeviceError *error);
/* Keeps the error as the calling thread's last one and returns it. */
DeviceError runtime_fail(const LaunchCaller *caller, DeviceError error);
/* The first of the lanes that has an error of which it has not asked: what failed, where and why, for a
 * kernel that ends itself over it. False: there is none. */
bool runtime_tell_failure(const Step *step, Mask lanes, char *text, size_t size);
/* The calling thread's last error, of which it knows then; `forget`: it is none afterwards. */
DeviceError runtime_last_error(DeviceRuntime *runtime, const LaunchCaller *caller, bool forget);
/* Handles of streams that CUDA numbers; 0 and 1 are the block's own. */
enum { STREAM_OF_BLOCK, STREAM_LEGACY, STREAM_OF_THREAD, STREAM_TAIL, STREAM_FIRE_AND_FORGET };

/* What the caller's block has launched; made at its first use. */
BlockFamily *runtime_block(const LaunchCaller *caller);
/* The stream of a handle. DEVICE_INVALID_VALUE: one without order, or another grid's; DEVICE_ILLEGAL_ADDRESS:
 * it is no handle at all. */
DeviceError runtime_stream(const LaunchCaller *caller, uint64_t handle, LaunchStream **stream);
/* Ends the run for it. */
StepResult runtime_no_stream(const LaunchCaller *caller, uint64_t handle);
/* The block waits for what it has launched, if that is not complete. */
void runtime_wait(const LaunchCaller *caller);
/* A launch has begun: it is pending no longer. */
void runtime_begun(DeviceRuntime *runtime);
/* All grids are complete or given up: buffers that nobody launched are free again. A failure if launches were
 * refused for want of pending places and a thread never asked: work is missing, and nobody knows. */
WbStatus runtime_finish(DeviceRuntime *runtime, Error *error);
void runtime_free(DeviceRuntime *runtime);

#endif

/* What the intrinsics of the device runtime share: the calling threads one after the other, their arguments
 * and their answers. */
#ifndef EXEC_RUNTIME_CALL_H
#define EXEC_RUNTIME_CALL_H

#include "exec/runtime/device_runtime.h"

/* One thread's call. */
typedef struct RuntimeCall {
    IntrinsicCall *call;
    DeviceRuntime *runtime;
    LaunchCaller caller;
    Family *grid;              /* of the calling thread */
} RuntimeCall;

/* What a thread's call does; its result is in `answer`, which is 0 before. */
typedef StepResult RuntimeThread(RuntimeCall *call, uint64_t *answer);
/* Calls it for every calling thread. */
StepResult runtime_each_thread(IntrinsicCall *call, RuntimeThread *thread);

uint64_t runtime_argument64(const RuntimeCall *call, uint32_t argument);
uint32_t runtime_argument32(const RuntimeCall *call, uint32_t argument);
/* Three numbers that were passed as a structure. */
void runtime_dimensions(const RuntimeCall *call, uint32_t argument, uint32_t dimensions[3]);
/* The handle of a stream; in functions for per-thread default streams (_ptsz) 0 is the thread's own. */
uint64_t runtime_stream_argument(const RuntimeCall *call, uint32_t argument);
/* Writes the answer where the thread's pointer says. Where that is null the call's answer is an error; where
 * the thread may not write, the run ends. */
StepResult runtime_store(RuntimeCall *call, uint32_t pointer_argument, const void *value, size_t bytes,
                         uint64_t *answer);
/* The thread's last error, which is also the call's answer. */
StepResult runtime_answer_error(RuntimeCall *call, DeviceError error, uint64_t *answer);
/* The bytes of a kernel's parameters. STEP_ERROR: there is no kernel at that address, or it cannot run. */
StepResult runtime_find_kernel(RuntimeCall *call, uint64_t address, uint32_t *parameter_bytes);

#endif

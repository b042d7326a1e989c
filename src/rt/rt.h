/* The common ground of the CUDA runtime (libcudart, cudart/) and driver API (libcuda, libcuda/) stand-
 * ins.
 *
 * A process has one simulated GPU, or several, opened at the first call that needs them as the
 * environment says (settings.h); device i of the program is GPU i. Both libraries take their arguments
 * apart, call what is declared in this folder, and hand the error code back; this folder in turn calls
 * the C API (warpbeam.h) and holds no simulation logic. It is a library of its own, libwarpbeam_cuda.so,
 * so that a program that uses both APIs sees one GPU, and handles (streams, events, arrays, functions,
 * graphs) are the same objects in both.
 *
 * One lock guards everything: an API function runs between rt_enter() and rt_leave(), and the functions
 * declared in this folder are called only there. A call works on one device, at its beginning that of the
 * thread's current context. What belongs to another device, such as its streams, is worked on between two
 * calls of rt_work_on(). */
#ifndef RT_RT_H
#define RT_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpbeam.h"

/* The numbers are CUDA's: cudaError_t and CUresult agree on them. */
typedef enum RtError {
    RT_SUCCESS = 0,
#define ERROR(identifier, number, runtime_name, driver_name, text) RT_##identifier = number,
#include "rt/error.def"
#undef ERROR
} RtError;

/* What error.def says of a number; null for one that it does not have. driver_name is null for errors that
 * only the runtime has. */
typedef struct RtErrorRow { RtError error; const char *runtime_name, *driver_name, *text; } RtErrorRow;
const RtErrorRow *rt_error_row(int number);

/* How an API call begins: takes the lock and opens the GPUs if that has not been tried. `call` is the API
 * function's name, for sentences. Returns why there is no GPU, or the sticky error of a kernel that
 * failed; the call must then do nothing but rt_leave(). rt_enter_always() is for calls that work
 * nevertheless (error strings, reset, versions): it only takes the lock. */
RtError rt_enter(const char *call);
void rt_enter_always(const char *call);
void rt_leave(void);
/* Whether some thread is in a call; may be asked by a handler of signals. */
bool rt_is_in_call(void);
/* For a thread of our own: enters only if no call is under way and there has been none since the count was
 * asked for. The count may be asked for without the lock. */
uint64_t rt_call_count(void);
bool rt_enter_idle(const char *call, uint64_t calls_then);

enum { RT_DEVICES = 32 }; /* at most */
/* 0 where opening them failed. */
int rt_device_count(void);
/* The device that the call works on, and its GPU; null where opening it failed. */
int rt_device(void);
WbGpu *rt_gpu(void);
WbGpu *rt_gpu_of(int device);
/* From here on the call works on that device; returns the one before. */
int rt_work_on(int device);
/* The value of an expression, an RtError, that is worked out on a device. */
#define RT_ON(device, expression)                  \
    __extension__({                                \
        const int before_ = rt_work_on(device);    \
        RtError result_ = (expression);            \
        rt_work_on(before_);                       \
        result_;                                   \
    })
/* A knob of the GPU's configuration (wb_gpu_get); ends with a sentence where it does not exist. */
uint64_t rt_knob(const char *name);

/* Says on stderr which call failed and why, once for each call and sentence, and returns the error. */
RtError rt_fail(RtError error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What it said last. */
const char *rt_sentence(void);
/* The same for a failed call of the C API, with its sentence; failures of kernels become sticky.
 * RT_SUCCESS for WB_OK, and RT_NOT_READY without a word for WB_NOT_READY. */
RtError rt_check(WbStatus status);
/* The sticky error of a kernel of the device that failed, or RT_SUCCESS. */
RtError rt_sticky(void);
/* Around a host function of a stream: rt_enter() answers RT_NOT_PERMITTED meanwhile. */
void rt_host_begin(void);
void rt_host_end(void);
/* Whether one runs: it may end the program, in the middle of what the GPU does. */
bool rt_in_host_function(void);
/* Forgets the device's sticky error, with all streams' contents: cudaDeviceReset. */
void rt_revive(void);

/* Live handles. An API function checks every handle that a program passes, so that a wrong or destroyed
 * one is an error code and not a crash. */
typedef enum RtHandle {
    RT_HANDLE_STREAM, RT_HANDLE_EVENT, RT_HANDLE_MODULE, RT_HANDLE_FUNCTION, RT_HANDLE_ARRAY, RT_HANDLE_GRAPH,
    RT_HANDLE_NODE, RT_HANDLE_EXECUTABLE, RT_HANDLE_POOL, RT_HANDLE_CONTEXT, RT_HANDLE_LINK, RT_HANDLE_MEMORY,
    RT_HANDLE_USER_OBJECT, RT_HANDLE_REFERENCE
} RtHandle;
void rt_handle_add(RtHandle kind, const void *object);
void rt_handle_remove(RtHandle kind, const void *object);
bool rt_handle_is_live(RtHandle kind, const void *object);
/* One of that kind that is `wanted`; null where none is left. */
void *rt_handle_any(RtHandle kind, bool (*wanted)(const void *object));

#endif

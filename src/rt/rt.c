/* The beginning and the end of every API call: the lock, the GPU, and the errors.
 *
 * The lock is recursive because a host function of a stream runs on the thread that waits, inside the call
 * that waits; CUDA forbids calls there, so they are answered by RT_NOT_PERMITTED instead of being let into
 * a GPU that is busy.
 *
 * A child that the program forks has none of the simulator's threads: as with CUDA, a GPU that was opened
 * before is of no use there. */
#include "base/printable.h"
#include "rt/network.h"
#include "rt/rt.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/context.h"
#include "rt/finish.h"
#include "rt/graph.h"
#include "rt/host_call.h"
#include "rt/live.h"
#include "rt/queries.h"
#include "rt/settings.h"
#include "rt/told.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* Everything is guarded by the lock. Invariant: count is 0 before is_tried, and after it where opening
 * failed. */
static struct {
    WbGpu *gpus[RT_DEVICES];
    int count;
    bool is_tried;
    bool is_lost;        /* this is a child process, and the GPUs are the parent's */
    RtError sticky[RT_DEVICES]; /* of a kernel that failed */
    _Atomic unsigned depth; /* calls that hold the lock */
    unsigned host_depth; /* host functions that are running */
    const char *call;    /* the outermost of those calls */
    bool interruption_is_told;
    char sentence[1024]; /* of the last rt_fail(), as much as fits */
} state;
static _Atomic uint64_t call_count; /* beginnings and ends of calls */
/* The device that the call works on. Threads of the simulation have their own, for what kernels ask. */
static _Thread_local int working;

static void begin(const char *call)
{
    if (state.depth++ == 0) {
        state.call = call;
        working = rt_context_device();
    }
    call_count++;
}

void rt_enter_always(const char *call)
{
    pthread_mutex_lock(&lock);
    begin(call);
}

uint64_t rt_call_count(void) { return call_count; }

bool rt_enter_idle(const char *call, uint64_t calls_then)
{
    if (pthread_mutex_trylock(&lock))
        return false;
    /* Asked again with the lock: a call may have come and gone in between. */
    if (call_count != calls_then) {
        pthread_mutex_unlock(&lock);
        return false;
    }
    begin(call);
    return true;
}

/* Whoever held the lock is not here any more. */
static void lose_gpu(void)
{
    lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    memset(state.gpus, 0, sizeof state.gpus);
    state.count = 0;
    state.is_lost = true;
    state.depth = state.host_depth = 0;
}

RtError rt_enter(const char *call)
{
    rt_enter_always(call);
    if (state.host_depth)
        return rt_fail(RT_NOT_PERMITTED,
                       "%s was called inside a host function of a stream, where CUDA "
                       "allows no calls.",
                       call);
    if (state.is_lost)
        return rt_fail(RT_INITIALIZATION_ERROR,
                       "The program has used CUDA before it forked; a child process can only use CUDA if its "
                       "parent has not.");
    if (!state.is_tried) {
        state.is_tried = true;
        state.count = settings_open(state.gpus);
        rt_network_opened(state.count ? state.gpus[0] : NULL);
        for (int i = 0; i < state.count; i++)
            rt_queries_offer(i);
        pthread_atfork(NULL, NULL, lose_gpu);
    }
    return state.count ? rt_sticky() : RT_NO_DEVICE;
}

/* The terminal is the program's again; what Ctrl-C has stopped ends here. */
void rt_leave(void)
{
    const bool is_outermost = --state.depth == 0;
    if (is_outermost)
        rt_live_clear();
    call_count++;
    pthread_mutex_unlock(&lock);
    if (is_outermost && rt_live_is_stopped())
        finish_interrupted(state.interruption_is_told);
}

bool rt_is_in_call(void) { return state.depth > 0; }

void rt_host_begin(void) { state.host_depth++; }

void rt_host_end(void) { state.host_depth--; }

bool rt_in_host_function(void) { return state.host_depth > 0; }

int rt_device_count(void) { return state.count; }

int rt_device(void) { return working; }

WbGpu *rt_gpu(void) { return state.gpus[working]; }

WbGpu *rt_gpu_of(int device) { return state.gpus[device]; }

int rt_work_on(int device)
{
    const int before = working;
    working = device;
    return before;
}

RtError rt_sticky(void) { return state.sticky[working]; }

uint64_t rt_knob(const char *name)
{
    uint64_t value;
    if (wb_gpu_get(rt_gpu(), name, &value) == WB_OK)
        return value;
    fprintf(stderr, "warpbeam: %s needs the knob %s: %s\n", state.call, name, wb_error(rt_gpu()));
    abort();
}

/* As the API calls it whose function is running: the driver's are cuThis, the runtime's cudaThis. */
static const char *name_of(RtError error)
{
    const RtErrorRow *row = rt_error_row((int)error);
    const bool is_driver = state.call && !strncmp(state.call, "cu", 2) && strncmp(state.call, "cuda", 4) != 0;
    if (!row)
        return "?";
    return is_driver && row->driver_name ? row->driver_name : row->runtime_name;
}

RtError rt_fail(RtError error, const char *format, ...)
{
    const char *call = state.call ? state.call : "CUDA";
    char text[4096], shown[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printable_text(text, true, shown, sizeof shown); /* names are the program's */
    snprintf(state.sentence, sizeof state.sentence, "%.*s", (int)sizeof state.sentence - 1, shown);
    if (!told_first(call, state.sentence))
        return error;
    rt_live_clear();
    flockfile(stderr);
    fprintf(stderr, "warpbeam: %s (%s): %s\n", call, name_of(error), shown);
    funlockfile(stderr);
    return error;
}

const char *rt_sentence(void) { return state.sentence; }

/* Some statuses cover what CUDA tells apart; the sentence knows. */
static RtError error_of(WbStatus status, const char *sentence)
{
    switch (status) {
    case WB_OK:
        return RT_SUCCESS;
    case WB_NOT_READY:
        return RT_NOT_READY;
    case WB_ERROR_ARGUMENT:
        return RT_INVALID_VALUE;
    case WB_ERROR_NOT_FOUND:
        return RT_SYMBOL_NOT_FOUND;
    case WB_ERROR_PTX:
        return RT_INVALID_PTX;
    case WB_ERROR_UNSUPPORTED:
        return RT_NOT_SUPPORTED;
    case WB_ERROR_OUT_OF_MEMORY:
        return RT_MEMORY_ALLOCATION;
    case WB_ERROR_LAUNCH:
        return strstr(sentence, "does not fit") || strstr(sentence, ".maxntid") ? RT_LAUNCH_OUT_OF_RESOURCES
                                                                                : RT_INVALID_CONFIGURATION;
    case WB_ERROR_ADDRESS:
        return strstr(sentence, "misaligned") ? RT_MISALIGNED_ADDRESS : RT_ILLEGAL_ADDRESS;
    case WB_ERROR_TRAP:
        return strstr(sentence, "assertion") ? RT_ASSERT : RT_LAUNCH_FAILURE;
    case WB_ERROR_EXECUTION:
        return RT_LAUNCH_FAILURE;
    case WB_ERROR_DEADLOCK:
        return RT_LAUNCH_TIMEOUT;
    case WB_ERROR_TOO_LARGE:
        return RT_COOPERATIVE_LAUNCH_TOO_LARGE;
    case WB_ERROR_PENDING:
        return RT_LAUNCH_PENDING_COUNT_EXCEEDED;
    default:
        return RT_UNKNOWN;
    }
}

/* Statuses that only a running kernel causes. */
static bool is_fatal(WbStatus status)
{
    return status == WB_ERROR_ADDRESS || status == WB_ERROR_TRAP || status == WB_ERROR_EXECUTION ||
           status == WB_ERROR_DEADLOCK || status == WB_ERROR_PENDING;
}

RtError rt_check(WbStatus status)
{
    if (status == WB_OK)
        return RT_SUCCESS;
    if (status == WB_NOT_READY)
        return RT_NOT_READY;
    const char *sentence = wb_error(rt_gpu());
    if (status == WB_ERROR_INTERRUPTED) {
        fprintf(stderr, "warpbeam: %s\n", sentence);
        state.interruption_is_told = true;
        return state.sticky[working] = RT_LAUNCH_FAILURE;
    }
    RtError error = error_of(status, sentence);
    rt_fail(error, "%s", sentence);
    if (is_fatal(status)) {
        /* CUDA: a kernel that failed leaves an error that all later calls return. The GPUs of a system stop
         * together: what was in the others' streams is lost, too. */
        for (int i = 0; i < state.count; i++) {
            state.sticky[i] = error;
            RT_ON(i, (rt_host_call_forget(), RT_SUCCESS));
        }
    }
    return error;
}

void rt_revive(void)
{
    rt_capture_drop_all();
    if (rt_gpu())
        wb_wait(rt_gpu());
    rt_host_call_forget();
    state.sticky[working] = RT_SUCCESS;
}

/* Warpbeam's host interface: open a GPU, load PTX, allocate, copy, launch, wait, read statistics.
 *
 * Every call returns a WbStatus; the full sentence of the last failure on a GPU is wb_error(). The
 * library never ends the process and never prints, except what a kernel prints (wb_set_output); only if
 * the host has no memory left for the simulator's own tables does it abort, with a sentence. One
 * WbGpu is used by one thread at a time; different ones are independent. */
#ifndef WARPBEAM_H
#define WARPBEAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shared library exports what is declared here and nothing else. */
#pragma GCC visibility push(default)

/* Kernels call functions of the same name as two of these (warpbeam_device.h). In CUDA programs that include
 * both headers they are overloads: those of the host are C++ then, with the library's name. */
#ifdef __CUDACC__
#define WB_ALSO_DEVICE(result, name, ...) extern "C++" result name(__VA_ARGS__) __asm__(#name)
#else
#define WB_ALSO_DEVICE(result, name, ...) result name(__VA_ARGS__)
#endif

typedef enum WbStatus {
    WB_OK = 0,
    WB_ERROR_ARGUMENT,     /* a call's own argument is wrong */
    WB_ERROR_NOT_FOUND,    /* no such configuration, knob, kernel, symbol or file */
    WB_ERROR_PTX,          /* the PTX text is broken */
    WB_ERROR_UNSUPPORTED,  /* correct PTX that this build does not execute */
    WB_ERROR_OUT_OF_MEMORY,/* device memory, device heap or stack exhausted */
    WB_ERROR_LAUNCH,       /* the launch does not fit kernel or GPU */
    WB_ERROR_ADDRESS,      /* a kernel touched memory that it may not, or misaligned */
    WB_ERROR_TRAP,         /* trap, brkpt or a failed device assert */
    WB_ERROR_EXECUTION,    /* another fault of a running kernel: null call, stack overflow */
    WB_ERROR_DEADLOCK,     /* nothing in the launch can ever run again, or the limit was reached */
    WB_ERROR_TOO_LARGE,    /* a cooperative launch whose blocks do not all fit on the GPU at once */
    WB_ERROR_PENDING,      /* a kernel launched more than may be pending, and did not look at the error */
    WB_ERROR_INTERRUPTED,  /* the progress function asked to stop (wb_set_progress) */
    WB_NOT_READY,          /* no failure: what was asked for has not happened yet */
    WB_STATUS_COUNT
} WbStatus;

typedef struct WbGpu WbGpu;
typedef struct WbModule WbModule;
typedef struct WbKernel WbKernel;
typedef struct WbStream WbStream;
typedef struct WbEvent WbEvent;

typedef struct WbDim3 { uint32_t x, y, z; } WbDim3;

/* What a kernel needs of the machine. */
typedef struct WbKernelInfo {
    const char *name;          /* as in the PTX */
    const char *plain_name;    /* of a C++ kernel as its source has it: "sim::scale<float, 4>" */
    uint32_t registers;        /* per thread: as given, compiled or allocated */
    uint32_t shared_bytes;     /* static, per block */
    uint32_t local_bytes;      /* per thread */
    uint32_t max_threads;      /* per block: the GPU's limit, or less by .maxntid */
    uint32_t fitting_threads;  /* of these, as many as fit on an SM without dynamic shared memory */
    uint32_t parameter_count;
    uint32_t parameter_bytes;
    uint64_t constant_bytes;   /* of its module */
    uint32_t target;           /* of its module: 75 for sm_75 */
} WbKernelInfo;

/* One argument of a launch: `size` must be the size of the kernel's parameter. */
typedef struct WbArgument { const void *data; size_t size; } WbArgument;
#define WB_ARG(variable) ((WbArgument){&(variable), sizeof(variable)})

/* Dependencies between blocks: warpbeam_graph.h. */
typedef struct WbGraph WbGraph;

/* What a mapping function is given: the block whose parents it is asked for. The calls have names in
 * warpbeam_graph.h. */
typedef struct WbLink WbLink;
struct WbLink {
    WbDim3 block, grid;
    const struct WbLinkCalls {
        void (*add)(WbLink *link, WbDim3 parent); /* one that lies outside the grid is ignored */
        void (*set_policy)(WbLink *link, int policy, uint32_t bound); /* of the whole launch */
    } *calls;
};
typedef void WbMapping(WbLink *link, void *context);

typedef struct WbLaunch {
    WbDim3 grid, block;
    uint32_t shared_bytes;     /* dynamic, on top of the kernel's static ones */
    const WbArgument *arguments;
    uint32_t argument_count;
    /* Other ways to give the arguments, in place of those two: a pointer to each, whose size is the kernel's,
     * or all of them laid out as the kernel's parameter_bytes. */
    void *const *pointers;
    const void *buffer;
    size_t buffer_bytes;
    bool cooperative;          /* all blocks are resident at once, or the launch is refused */
    /* Dependencies between its blocks, one or the other; null: none. */
    WbMapping *mapping;        /* called for every block before the call returns, x fastest */
    void *mapping_context;
    WbGraph *graph;            /* of one grid, with these dimensions; read before the call returns */
    /* The order in which its blocks begin: a key for each, by the block's index, x fastest. The lowest key
     * comes first; blocks of one key come by index, spread over SMs. Copied by the call; null: by index, or
     * as the knob block_source says. Not together with dependencies, which are an order. */
    const int32_t *block_order;
    size_t block_order_count;  /* keys: as many as there are blocks */
    bool prepared;             /* while kernels that it waits for run, as a CUDA graph's: its own way to the
                                  first block is shorter then (knob kernel_prepared_cycles) */
} WbLaunch;

/* One statistic, declared by the component that counts it. */
typedef struct WbStat {
    const char *name;
    const char *unit;
    const char *description;
    uint64_t value;
} WbStat;

/* A kernel that has run in cycle mode. Cycles are those of the SMs' clock since the GPU was opened. */
typedef struct WbRecord {
    const char *name;          /* as in the PTX */
    const char *plain_name;    /* for people */
    WbDim3 grid, block;
    uint32_t registers;        /* per thread */
    uint32_t shared_bytes;     /* per block, static and dynamic */
    uint32_t blocks_per_sm;    /* that fit on an SM at once */
    uint64_t launched;         /* cycle of its launch: when all that it waited for had ended */
    uint64_t started;          /* cycle from which its blocks could be dispatched */
    uint64_t ended;
    uint64_t cycles;           /* from launched to ended */
    bool alone;                /* no other kernel ran at any time of its */
    uint64_t warp_instructions, thread_instructions; /* of its own, whoever ran beside it */
    bool interrupted;          /* it was cut off: this is how far it was, `ended` says when */
    const char *status;        /* ended, interrupted, deadlock, spins, limit or failed */
    const char *failure;       /* sentences that say why it did not end; null: it did */
} WbRecord;

/* Receives what kernels print; `text` is not terminated. */
typedef void WbOutput(void *context, const char *text, size_t length);

/* How far the simulation is, while it runs. */
typedef struct WbProgress {
    const char *kernel;        /* the one that was launched first of those that run; null: none does */
    uint64_t launches_done, launches_known; /* kernels of the host since the GPU was opened */
    uint64_t launches_expected; /* how many there will be in all (wb_expect_launches); 0: nobody said */
    uint64_t blocks_ended, blocks; /* of all kernels of the host that run, and of what these have launched */
    uint64_t device_launches;  /* that these have made so far */
    uint64_t cycles;           /* simulated since the GPU was opened */
    uint64_t warp_instructions; /* since the statistics began */
    double seconds;            /* of the host's clock, spent in simulation since the GPU was opened */
} WbProgress;
/* False: stop. It must not call the GPU, but for wb_snapshot. */
typedef bool WbProgressFunction(void *context, const WbProgress *progress);

const char *wb_status_name(WbStatus status);

/* Loads a policy from a shared object that `warpbeam policy build` has made: knobs name it and its knobs from
 * now on, and reports have its counters. Once for each file, the same file again does nothing; before any GPU
 * is open, and while no other thread calls this library. It stays for good. On failure nothing has changed, and
 * the sentence is copied to `error` (may be null). */
WbStatus wb_load_policy(const char *path, char *error, size_t error_size);

/* `configuration` is a name that `warpbeam list gpus` shows, or the path of a YAML file. On failure
 * *gpu is null and the sentence is copied to `error` (may be null). */
WbStatus wb_gpu_open(const char *configuration, WbGpu **gpu, char *error, size_t error_size);
void wb_gpu_close(WbGpu *gpu);
/* Opens several GPUs of one host: they share simulated time, and none of their addresses is another's too.
 * gpus[i] gets the one of configurations[i]; on failure none is open. Each is closed by itself, and the last
 * one when no other has anything in its streams any more. */
WbStatus wb_gpus_open(const char *const *configurations, uint32_t count, WbGpu **gpus, char *error,
                      size_t error_size);
/* Its place among the GPUs that were opened together. */
uint32_t wb_gpu_index(const WbGpu *gpu);
/* Kernels of the GPU may load from and store to the peer's device memory from now on, or may not. Both were
 * opened together. The host may copy between any two GPUs. */
WbStatus wb_peer_enable(WbGpu *gpu, WbGpu *peer, bool may);
bool wb_peer_is_enabled(const WbGpu *gpu, const WbGpu *peer);
/* From now on kernels of exactly the GPUs whose bits are set, bit 0 for the first, may use memory of the GPU
 * that begins at the address, whatever wb_peer_enable() says. A GPU that was opened alone uses all of it. */
WbStatus wb_memory_grant(WbGpu *gpu, uint64_t address, uint32_t gpus);
/* Managed memory in a system of several GPUs has a home for each block (knob managed_block_bytes), the host at
 * first, and moves to the GPU that uses it. In the order of the stream the bytes go to a place: the index of a
 * GPU, or -1, the host. A GPU that was opened alone takes no note, of advice neither. */
WbStatus wb_stream_prefetch(WbGpu *gpu, WbStream *stream, uint64_t address, size_t size, int place);
/* Advice on managed memory, or its end if is_set is false: it is mostly read, so that GPUs get copies; a place
 * is preferred, where others reach it; a GPU, the place, reaches it where it is without faults. */
typedef enum WbAdvice { WB_ADVICE_READ_MOSTLY, WB_ADVICE_PREFERRED, WB_ADVICE_ACCESSED_BY } WbAdvice;
WbStatus wb_memory_advise(WbGpu *gpu, uint64_t address, size_t size, WbAdvice advice, int place, bool is_set);
/* What wb_host_register() was given there is device memory of the GPU, until it is unregistered: its L2 and
 * DRAM serve it in cycle mode, for the other GPUs over links. A GPU that was opened alone takes no note. */
WbStatus wb_memory_settle(WbGpu *gpu, void *pointer);
/* Whether knobs of policies contradict each other the next launch says: several may have to change. */
WbStatus wb_gpu_set(WbGpu *gpu, const char *knob, const char *value);
/* A knob's value as a number: integers, booleans (0 or 1) and choices (their position). */
WbStatus wb_gpu_get(WbGpu *gpu, const char *knob, uint64_t *value);
const char *wb_gpu_name(const WbGpu *gpu);
/* The sentence of the GPU's last call that failed, until the next one that does; "" where none has. Calls
 * that succeed, or answer WB_NOT_READY, leave it. A call whose handle is null fails with WB_ERROR_ARGUMENT,
 * and there is no GPU that could tell. */
const char *wb_error(const WbGpu *gpu);
void wb_set_output(WbGpu *gpu, WbOutput *output, void *context);
/* Where failed assertions of kernels are told, if not there. */
void wb_set_assertion_output(WbGpu *gpu, WbOutput *output, void *context);
/* Who is told, sentence by sentence and as soon as their kernel has ended, of accesses outside of every
 * allocation that passed (knob memory_check: report): once for each kernel and line; and once of a module
 * that is compiled for a newer GPU (knob newer_ptx: tell). Nobody at first. */
void wb_set_notice(WbGpu *gpu, WbOutput *notice, void *context);
/* Calls the function about every `seconds` of the host's time while a call simulates, in that call; null:
 * nobody is told. When it answers false, the call fails with WB_ERROR_INTERRUPTED, as at a failure of a
 * kernel all that is in streams is dropped, and kernels that were running leave their records as far as they
 * were. Nothing that is simulated depends on it. */
void wb_set_progress(WbGpu *gpu, WbProgressFunction *function, void *context, double seconds);
/* So many launches will come: with that, progress can say how much is left. */
void wb_expect_launches(WbGpu *gpu, uint64_t count);
/* Writes what the GPU is doing at this moment, a few lines: kernels, blocks, instructions per cycle so far,
 * what warps wait for. Returns the length that it would have, as snprintf does. */
size_t wb_snapshot(const WbGpu *gpu, char *text, size_t size);
/* What kernels may ask by CUDA's functions, and only CUDA's libraries know: attributes and limits by CUDA's
 * numbers (false: there is none), the preference for L1 or shared memory, names and descriptions of errors
 * (null: none). Functions that are null answer no question: kernels get cudaErrorNotSupported. */
typedef struct WbQueries {
    bool (*attribute)(void *context, int attribute, int *value);
    bool (*limit)(void *context, int limit, size_t *value);
    int (*cache_preference)(void *context);
    const char *(*error_name)(void *context, int error);
    const char *(*error_text)(void *context, int error);
    void *context;
} WbQueries;
void wb_set_queries(WbGpu *gpu, const WbQueries *queries);

WbStatus wb_module_load(WbGpu *gpu, const char *file_name, const char *text, size_t length,
                        WbModule **module);
WbStatus wb_module_load_file(WbGpu *gpu, const char *path, WbModule **module);
/* Links several PTX texts into one module: what one declares extern another one defines. */
typedef struct WbSource { const char *file_name, *text; size_t length; } WbSource;
WbStatus wb_module_link(WbGpu *gpu, const WbSource *sources, size_t count, WbModule **module);
/* For another GPU of the same host: managed variables are where `first` has them, all others are its own.
 * Without sources (count 0) it has the text of `first`, which is read once for both. It is unloaded before the
 * GPU of `first` is closed; `first` may be unloaded earlier. */
WbStatus wb_module_load_beside(WbGpu *gpu, WbModule *first, const WbSource *sources, size_t count,
                               WbModule **module);
void wb_module_unload(WbModule *module);
WbStatus wb_module_symbol(WbModule *module, const char *name, uint64_t *address, size_t *size);
WbStatus wb_module_kernel(WbModule *module, const char *name, WbKernel **kernel);
/* Also by the plain name of a C++ kernel, "sim::scale<float, 4>", or a part that no other has, "scale". */
WbStatus wb_module_kernel_plain(WbModule *module, const char *name, WbKernel **kernel);
size_t wb_module_kernel_count(const WbModule *module);
WbKernel *wb_module_kernel_at(WbModule *module, size_t index);
WbStatus wb_kernel_info(WbKernel *kernel, WbKernelInfo *info);
/* Registers by their kinds, as many as a thread has live at once: what a wavefront that yields saves
 * (warpbeam_flow.h). Those of functions that the kernel calls are added. */
typedef struct WbRegisterKinds {
    uint32_t words, pairs, predicates; /* of 32 bits, 64 bits, one bit */
} WbRegisterKinds;
WbStatus wb_kernel_register_kinds(WbKernel *kernel, WbRegisterKinds *kinds);
/* The size of a parameter, and where it lies among the kernel's parameter_bytes. */
WbStatus wb_kernel_parameter(WbKernel *kernel, uint32_t index, size_t *offset, size_t *size);
/* Replaces the register count that allocation found (0: back to it). What is queued runs first. */
WbStatus wb_kernel_set_registers(WbKernel *kernel, uint32_t registers);
/* What the assembler gave kernels whose machine code the user holds: it stands for what allocation found,
 * unless the knob register_counts says otherwise. Before their first launch. Kernels that the module does not
 * have, and numbers that the GPU does not have, are passed over. If the code is for an older GPU, its
 * registers are the least that the kernel gets, as far as all threads of an SM have so many. */
typedef struct WbCompiledKernel {
    const char *name;
    uint32_t registers, local_bytes; /* per thread */
    bool is_older;
} WbCompiledKernel;
WbStatus wb_module_compiled(WbModule *module, const WbCompiledKernel *kernels, size_t count);
/* Kernels that launch this one may ask for more than 48 KB of dynamic shared memory, if `bytes` is more: as
 * much as a block can have. The host may in any case. */
WbStatus wb_kernel_allow_shared(WbKernel *kernel, uint32_t bytes);
/* Blocks of that many threads and bytes of dynamic shared memory that fit on an SM at once; of a kernel that may
 * call grid_group::sync(), with grid_sync at hardware, also its share of those that may wait in memory. */
WbStatus wb_kernel_occupancy(WbKernel *kernel, uint32_t threads, uint32_t shared_bytes, uint32_t *blocks);

WbStatus wb_malloc(WbGpu *gpu, size_t size, uint64_t *address);
WbStatus wb_free(WbGpu *gpu, uint64_t address);
WbStatus wb_copy_to_device(WbGpu *gpu, uint64_t destination, const void *source, size_t size);
WbStatus wb_copy_from_device(WbGpu *gpu, void *destination, uint64_t source, size_t size);
WbStatus wb_copy_on_device(WbGpu *gpu, uint64_t destination, uint64_t source, size_t size);
WbStatus wb_set_device(WbGpu *gpu, uint64_t destination, int byte, size_t size);

/* What an address belongs to. */
typedef enum WbMemory {
    WB_MEMORY_NONE,
    WB_MEMORY_DEVICE,   /* wb_malloc */
    WB_MEMORY_VARIABLE, /* of a module */
    WB_MEMORY_HOST,     /* wb_host_alloc, wb_host_register */
    WB_MEMORY_MANAGED   /* wb_host_alloc */
} WbMemory;
/* `gpu`: which of the GPUs that were opened together has it in its device memory. */
typedef struct WbAddress { WbMemory memory; uint64_t base, size; uint32_t gpu; } WbAddress;
WbStatus wb_address_find(WbGpu *gpu, uint64_t address, WbAddress *found);
/* Bytes of device memory, and of them free ones. */
WbStatus wb_memory_size(WbGpu *gpu, uint64_t *total, uint64_t *free);
/* Host memory that kernels reach at the host's own address. `memory`: WB_MEMORY_HOST or WB_MEMORY_MANAGED;
 * the latter counts as device memory. Its accesses cost what those to device memory do. */
WbStatus wb_host_alloc(WbGpu *gpu, size_t size, WbMemory memory, void **pointer);
WbStatus wb_host_free(WbGpu *gpu, void *pointer);
/* Makes existing host memory reachable, in whole places of 256 bytes; it stays the caller's. */
WbStatus wb_host_register(WbGpu *gpu, void *pointer, size_t size);
/* The same of memory that kernels may only read, and that may be mapped for reading only. */
WbStatus wb_host_register_read_only(WbGpu *gpu, void *pointer, size_t size);
WbStatus wb_host_unregister(WbGpu *gpu, void *pointer);

/* Device memory for other processes: from now on its bytes are those of files in memory, one behind the
 * other, which a process that has them can map. `offset`: where the allocation begins in the first one. */
typedef struct WbSharedPiece { int file; uint64_t offset, size; } WbSharedPiece;
enum { WB_SHARED_PIECES = 3 };
WbStatus wb_memory_share(WbGpu *gpu, uint64_t address, WbSharedPiece pieces[WB_SHARED_PIECES], size_t *count,
                         uint64_t *offset);

/* A launch is checked at once and may run later; wb_wait runs everything to its end and tells the outcome.
 * wb_launch goes to the default stream. */
WbStatus wb_launch(WbKernel *kernel, const WbLaunch *launch);
WB_ALSO_DEVICE(WbStatus, wb_wait, WbGpu *gpu);

/* Streams. What is put into one stream happens in that order; what is in different ones may overlap in
 * simulated time. A null stream is the default one: it begins when what was put into all blocking streams
 * before has ended, and what is put into those later waits for it. Operations are checked when they are put
 * in, and run at the next call that waits; the host itself takes no simulated time, so what is put in between
 * two such calls starts at one instant, as far as it can. When a kernel fails, the call that waits returns
 * that failure, and all else that was in streams is dropped. */
enum { WB_STREAM_NON_BLOCKING = 1 }; /* has nothing to do with the default stream */
/* A lower number is a higher priority: of kernels that could both get a block dispatched it comes first. */
WB_ALSO_DEVICE(WbStatus, wb_stream_create, WbGpu *gpu, unsigned flags, int priority, WbStream **stream);
/* What is in it still runs. */
void wb_stream_destroy(WbStream *stream);
WbStatus wb_stream_launch(WbStream *stream, WbKernel *kernel, const WbLaunch *launch);
/* A batch is one call of the host, as the launch of a CUDA graph: it takes the time of the GPU's knob
 * graph_launch_ns at its beginning, and what is put into streams of any GPU until its end takes none. If the
 * knob is 0, every launch takes its own. */
void wb_batch_begin(WbGpu *gpu);
void wb_batch_end(WbGpu *gpu);

/* One side of a copy: a box of bytes, rows row_pitch and slices slice_pitch bytes apart. */
typedef struct WbRegion {
    uint64_t address;          /* on the device, or a host pointer */
    bool is_host;              /* ordinary host memory that the GPU does not know */
    size_t row_pitch, slice_pitch;
} WbRegion;
typedef struct WbCopy {
    WbRegion destination, source;
    size_t width, height, depth; /* bytes, rows, slices */
    bool reads_now;            /* the source is read in this call, whenever the copy takes place */
} WbCopy;
WbStatus wb_stream_copy(WbGpu *gpu, WbStream *stream, const WbCopy *copy);
/* Fills rows with an element of 1, 2 or 4 bytes; width is in elements. */
typedef struct WbFill {
    uint64_t address;
    size_t row_pitch, slice_pitch, width, height, depth;
    uint32_t value, element_bytes;
} WbFill;
WbStatus wb_stream_fill(WbGpu *gpu, WbStream *stream, const WbFill *fill);
/* Calls the function when its turn comes, on the thread that waits. It must not wait for the GPU; what it
 * puts into streams takes the host no time, and may start at once. */
typedef void WbHostFunction(void *context);
WbStatus wb_stream_call(WbGpu *gpu, WbStream *stream, WbHostFunction *function, void *context);
/* A gate holds up what is put into the stream behind it until it is opened, which a function of another
 * stream can do: so work can come in between that is decided on when the stream has come there. Opening it
 * ends it, and so does a kernel that fails, as all that is in streams. */
typedef struct WbGate WbGate;
WbStatus wb_stream_gate(WbGpu *gpu, WbStream *stream, WbGate **gate);
void wb_gate_open(WbGate *gate);
/* Waits until all that is in the stream has happened; wb_stream_query lets a little simulated time pass
 * instead, and says WB_NOT_READY if that was not enough. */
WbStatus wb_stream_wait(WbGpu *gpu, WbStream *stream);
WbStatus wb_stream_query(WbGpu *gpu, WbStream *stream);

/* An event happens when all that was in the stream at wb_event_record has; one that was never recorded counts
 * as having happened. */
WbStatus wb_event_create(WbGpu *gpu, WbEvent **event);
void wb_event_destroy(WbEvent *event);
WbStatus wb_event_record(WbEvent *event, WbStream *stream);
WbStatus wb_stream_wait_event(WbGpu *gpu, WbStream *stream, WbEvent *event);
WbStatus wb_event_wait(WbEvent *event);
WbStatus wb_event_query(WbEvent *event);
/* Simulated nanoseconds since the GPU was opened; WB_NOT_READY before it has happened, WB_ERROR_ARGUMENT if
 * it was never recorded. */
WbStatus wb_event_time(WbEvent *event, double *nanoseconds);
/* The simulated time of the host: the latest that it waited for. */
double wb_time(const WbGpu *gpu);

/* Textures and surfaces: memory of wb_malloc seen as elements of 1, 2 or 4 channels. */
typedef enum WbTextureShape {
    WB_TEXTURE_BUFFER,          /* width elements, read by integer index */
    WB_TEXTURE_1D, WB_TEXTURE_2D, WB_TEXTURE_3D,
    WB_TEXTURE_1D_LAYERED, WB_TEXTURE_2D_LAYERED, /* depth: layers */
    WB_TEXTURE_CUBE, WB_TEXTURE_CUBE_LAYERED      /* depth: faces, 6 a cube */
} WbTextureShape;
typedef enum WbChannel { WB_CHANNEL_SIGNED, WB_CHANNEL_UNSIGNED, WB_CHANNEL_FLOAT } WbChannel;
typedef enum WbAddressing { WB_WRAP, WB_CLAMP, WB_MIRROR, WB_BORDER } WbAddressing;
typedef struct WbTexture {
    WbTextureShape shape;
    uint64_t address;
    size_t width, height, depth;   /* elements; 0 or 1 where the shape has none */
    size_t row_pitch, slice_pitch; /* bytes */
    WbChannel channel;
    uint32_t channels, channel_bits; /* 1, 2 or 4; 8, 16 or 32 */
    /* How a texture is read; surfaces have none of this. */
    WbAddressing addressing[3];
    bool linear;                   /* filter; else the nearest element */
    bool normalized_coordinates;
    bool normalized_values;        /* integers of 8 or 16 bits are read as 0..1 or -1..1 */
    bool srgb;
    float border[4];
} WbTexture;
/* The handles are what tex and suld/sust instructions take. */
WbStatus wb_texture_create(WbGpu *gpu, const WbTexture *texture, uint64_t *handle);
WbStatus wb_surface_create(WbGpu *gpu, const WbTexture *surface, uint64_t *handle);
WbStatus wb_texture_destroy(WbGpu *gpu, uint64_t handle);
/* The .texref or, if is_surface, .surfref variable of that name. Its handle is what instructions that name
 * the variable use; the module owns it, and it shows nothing until something is bound to it. */
WbStatus wb_module_reference(WbModule *module, const char *name, bool is_surface, uint64_t *handle);
/* What such a variable shows from now on; null: nothing. Once it shows something, streams must have ended
 * (wb_wait) before it shows something else. */
WbStatus wb_reference_bind(WbGpu *gpu, uint64_t handle, const WbTexture *texture);
/* Runs what is queued, then drops what all caches hold, as profilers do before a measurement. Memory keeps
 * its contents. Nothing to do in functional mode. */
WbStatus wb_gpu_flush(WbGpu *gpu);

/* Statistics since the GPU was opened or they were last reset. Those whose names have a dot are counted in
 * cycle mode only (knob mode); of parts that there are several of, such as SMs, they are sums. */
size_t wb_stat_count(const WbGpu *gpu);
WbStatus wb_stat_at(const WbGpu *gpu, size_t index, WbStat *stat);
WbStatus wb_stat_find(const WbGpu *gpu, const char *name, WbStat *stat);
/* Drops the records of kernels, too. */
void wb_stats_reset(WbGpu *gpu);

/* Kernels that ran in cycle mode, to their end or until they were cut off, in the order of their launches.
 * With the knob kernel_records off, only those that failed. */
size_t wb_record_count(const WbGpu *gpu);
/* A record's names are valid until the statistics are reset or the GPU is closed. */
WbStatus wb_record_at(const WbGpu *gpu, size_t index, WbRecord *record);
/* A statistic over the time of that kernel; what kernels beside it did then counts, too, unless it was
 * alone. */
WbStatus wb_record_stat(const WbGpu *gpu, size_t index, const char *name, WbStat *stat);

/* What runs, for the reports to say so; copied. */
typedef struct WbRunInfo {
    const char *kind;          /* workload, program or ptx */
    const char *what;          /* its name, as the user wrote it */
    const char *mode, *size;   /* null: it has none */
    const char *const *arguments;
    size_t argument_count;
} WbRunInfo;
void wb_set_run(WbGpu *gpu, const WbRunInfo *info);

/* Writes a JSON file: the GPU's resolved configuration and the statistics of every kernel that ran in cycle
 * mode, as docs/STATISTICS.md describes; or, where the path ends in .csv, a table with a row for each kernel.
 * Of GPUs that were opened together, any one writes the report of all. `parts`: 0, or any of these together. */
enum {
    WB_REPORT_DETAILS = 1, /* every SM, scheduler, slice, channel and port, not only sums */
    WB_REPORT_BLOCKS = 2   /* every block: SM, dispatched, started, ended */
};
WbStatus wb_report(WbGpu *gpu, const char *path, unsigned parts);
/* Writes a timeline of all that has run in cycle mode while the knob `timeline` was true: a file that
 * ui.perfetto.dev opens, as docs/TIMELINE.md describes. It has all GPUs that were opened together. */
WbStatus wb_timeline(WbGpu *gpu, const char *path);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif

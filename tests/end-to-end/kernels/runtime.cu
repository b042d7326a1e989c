// What kernels ask of the device runtime besides launches: copies, memory, streams and events, questions.

#define RESULT(call) (errors[n++] = (int)(call))

extern "C" __global__ void fill(int *values, int first) { values[threadIdx.x] = first + threadIdx.x; }

extern "C" __global__ void add(int *values, int amount) { values[threadIdx.x] += amount; }

// Fills 100 values, copies them, changes them: the copy has what they were in between.
extern "C" __global__ void in_order(int *values, int *copy, int *errors)
{
    int n = 0;
    cudaStream_t stream;
    RESULT(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill<<<1, 100, 0, stream>>>(values, 7);
    RESULT(cudaMemcpyAsync(copy, values, 400, cudaMemcpyDeviceToDevice, stream));
    add<<<1, 100, 0, stream>>>(values, 1000);
    RESULT(cudaMemsetAsync(values, 0x1ab, 200, stream));
    RESULT(cudaGetLastError());
}

// All sizes of units and shapes of boxes; `to` was 0.
extern "C" __global__ void boxes(char *to, const char *from, int *errors)
{
    int n = 0;
    RESULT(cudaMemcpyAsync(to, from, 4096, cudaMemcpyDefault, cudaStreamFireAndForget));
    RESULT(cudaMemcpyAsync(to + 4096, from, 20, cudaMemcpyDeviceToDevice, cudaStreamPerThread));
    RESULT(cudaMemcpyAsync(to + 4196 + 3, from + 1, 37, cudaMemcpyDeviceToDevice, cudaStreamTailLaunch));
    RESULT(cudaMemcpy2DAsync(to + 4300, 20, from, 32, 12, 3, cudaMemcpyDeviceToDevice, 0));
    cudaMemcpy3DParms box = {};
    box.srcPtr = {(void *)from, 6, 6, 4};
    box.srcPos = {1, 1, 1};
    box.dstPtr = {to + 4400, 8, 8, 3};
    box.dstPos = {2, 0, 0};
    box.extent = {4, 2, 3};
    box.kind = cudaMemcpyDeviceToDevice;
    RESULT(cudaMemcpy3DAsync(&box, 0));
    RESULT(cudaMemset2DAsync(to + 4500, 16, 0x45, 5, 3, 0));
    cudaPitchedPtr slices = {to + 4600, 8, 8, 2};
    cudaExtent whole = {8, 2, 2};
    RESULT(cudaMemset3DAsync(slices, 0x46, whole, 0));
    RESULT(cudaMemsetAsync(to + 8192, -1, 100000, 0));
    RESULT(cudaGetLastError());
}

__constant__ char constants[16];

// Everything that is no copy; the last ones are fine.
extern "C" __global__ void refused_copies(char *memory, int *errors)
{
    __shared__ char shared[16];
    char local[16];
    int n = 0;
    shared[threadIdx.x] = local[threadIdx.x] = *memory;
    RESULT(cudaMemcpyAsync(memory, shared, 16, cudaMemcpyDeviceToDevice, 0));
    RESULT(cudaMemcpyAsync(local, memory, 16, cudaMemcpyDeviceToDevice, 0));
    RESULT(cudaMemcpyAsync(memory, constants, 16, cudaMemcpyDeviceToDevice, 0));
    RESULT(cudaMemcpyAsync(nullptr, memory, 16, cudaMemcpyDeviceToDevice, 0));
    RESULT(cudaMemsetAsync(nullptr, 0, 16, 0));
    RESULT(cudaMemset2DAsync(memory, 4, 0, 5, 2, 0));
    RESULT(cudaMemcpy3DAsync(nullptr, 0));
    RESULT(cudaGetLastError());
    RESULT(cudaMemcpyAsync(memory, memory + 16, 16, cudaMemcpyHostToDevice, 0));
    RESULT(cudaMemcpy2DAsync(memory, 4, memory + 64, 8, 5, 2, cudaMemcpyDeviceToDevice, 0));
    RESULT(cudaMemcpyAsync(nullptr, nullptr, 0, cudaMemcpyHostToHost, 0));
    RESULT(cudaMemset2DAsync(memory, 4, 0, 4, 0, 0));
}

extern "C" __global__ void copy_beyond(char *memory) { cudaMemsetAsync(memory, 1, 1000, 0); }

extern "C" __global__ void many_copies(char *memory, int *errors)
{
    for (int i = 0; i < 8; i++) {
        errors[i] = cudaMemsetAsync(memory, i + 1, 4, cudaStreamTailLaunch);
        errors[8 + i] = cudaGetLastError();
    }
}

extern "C" __global__ void heap(int *errors)
{
    int *memory = nullptr, n = 0;
    RESULT(cudaMalloc(&memory, 0));
    RESULT(cudaMalloc((void **)nullptr, 8));
    RESULT(cudaMalloc(&memory, (size_t)1 << 45));
    RESULT(memory != nullptr);
    RESULT(cudaMalloc(&memory, 400));
    memory[99] = 5;
    RESULT(cudaFree(memory));
    RESULT(cudaFree(nullptr));
}

extern "C" __global__ void free_twice(int **kept)
{
    cudaMalloc(kept, 8);
    cudaFree(*kept);
    cudaFree(*kept);
}

extern "C" __global__ void events(int *errors)
{
    cudaEvent_t event;
    int n = 0;
    for (int i = 0; i < 12; i++)
        RESULT(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | i % 2));
    RESULT(cudaEventDestroy(event));
    RESULT(cudaEventDestroy(event));
    RESULT(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    RESULT(cudaEventRecordWithFlags(event, 0, 0));
    RESULT(cudaEventRecordWithFlags(event, 0, 2));
}

extern "C" __global__ void bad_place(int *errors) { errors[0] = cudaGetDevice((int *)16); }

struct Answers {
    int errors[16], device, count, version, attribute, cache, banks, blocks[2];
    size_t limit;
    cudaFuncAttributes function;
    char name[64], text[64], unknown[64];
};

static __device__ void copy_text(char *to, const char *from)
{
    while ((*to++ = *from++))
        ;
}

extern "C" __global__ void __launch_bounds__(96) asked(int *values)
{
    __shared__ int some[128];
    some[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = some[threadIdx.x ^ 1];
}

extern "C" __global__ void ask(Answers *a)
{
    int *errors = a->errors, n = 0;
    RESULT(cudaGetDevice(&a->device));
    RESULT(cudaGetDeviceCount(&a->count));
    RESULT(cudaRuntimeGetVersion(&a->version));
    RESULT(cudaDeviceGetCacheConfig((cudaFuncCache *)&a->cache));
    RESULT(cudaDeviceGetSharedMemConfig((cudaSharedMemConfig *)&a->banks));
    RESULT(cudaFuncGetAttributes(&a->function, asked));
    RESULT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a->blocks[0], asked, 96, 1000));
    RESULT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a->blocks[1], (const void *)asked, 97, 0));
    RESULT(cudaFuncGetAttributes(&a->function, (const void *)nullptr));
    RESULT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a->blocks[1], asked, 0, 0));
    RESULT(cudaGetLastError());
    RESULT(cudaDeviceGetAttribute(&a->attribute, cudaDevAttrWarpSize, 0));
    RESULT(cudaDeviceGetAttribute(&a->attribute, (cudaDeviceAttr)9999, 0));
    RESULT(cudaDeviceGetAttribute(&a->attribute, cudaDevAttrWarpSize, -1));
    RESULT(cudaDeviceGetLimit(&a->limit, cudaLimitStackSize));
    RESULT(cudaDeviceGetLimit(&a->limit, cudaLimitDevRuntimeSyncDepth));
    copy_text(a->name, cudaGetErrorName(cudaErrorInvalidValue));
    copy_text(a->text, cudaGetErrorString(cudaErrorInvalidValue));
    copy_text(a->unknown, cudaGetErrorString((cudaError_t)12345));
}

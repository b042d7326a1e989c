/* What operands cost an instruction, on a real GPU: registers, numbers, constants.
 *
 *     nvcc -O3 -arch=sm_90 operands.cu -o operands && ./operands > h200-operands.csv
 *
 * Bodies of 8 independent chains, 64 instructions of each, 16 rounds, on one SM. Columns: body; warps; cycles of an
 * instruction of a scheduler. Names say what is read besides the chain itself: `reg` a register, `num` a number, `par` a
 * parameter, `own` the chain again; `three`: three registers that no neighbour reads. */
#include "../caches/caches.cuh"

enum { CHAINS = 8, LENGTH = 64, ROUNDS = 16 };

struct FmaRegReg { static __device__ float of(float x, float, float, float a, float b, float, float) { return fmaf(x, a, b); } };
struct FmaNumReg { static __device__ float of(float x, float, float, float a, float b, float, float) { return fmaf(x, 1.25f, b); } };
struct FmaRegNum { static __device__ float of(float x, float, float, float a, float b, float, float) { return fmaf(x, a, 1.25f); } };
struct FmaNumNum { static __device__ float of(float x, float, float, float a, float b, float, float) { return fmaf(x, 0.75f, 1.25f); } };
struct FmaOwnNum { static __device__ float of(float x, float, float, float a, float b, float, float) { return fmaf(x, x, 1.25f); } };
struct FmaParReg { static __device__ float of(float x, float, float, float a, float b, float p, float) { return fmaf(x, p, b); } };
struct FmaRegPar { static __device__ float of(float x, float, float, float a, float b, float p, float) { return fmaf(x, a, p); } };
struct FmaParPar { static __device__ float of(float x, float, float, float a, float b, float p, float q) { return fmaf(x, p, q); } };
struct FmaThree { static __device__ float of(float x, float y, float z, float a, float b, float, float) { return fmaf(y, z, x); } };
struct AddReg { static __device__ float of(float x, float, float, float a, float b, float, float) { return x + a; } };
struct AddNum { static __device__ float of(float x, float, float, float a, float b, float, float) { return x + 1.25f; } };
struct AddPar { static __device__ float of(float x, float, float, float a, float b, float p, float) { return x + p; } };
struct MulThree { static __device__ float of(float x, float y, float, float a, float b, float, float) { return x * y; } };

template <class Body> __global__ void chains(const float *from, float *to, float p, float q, uint32_t *took)
{
    float x[CHAINS], y[CHAINS], z[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        x[i] = from[i], y[i] = from[8 + i], z[i] = from[16 + i];
    const float a = from[24], b = from[25];
    uint32_t start = 0;
    for (int round = 0; round < ROUNDS + 1; round++) {
        if (round == 1) {
            __syncthreads();
            start = clock();
        }
#pragma unroll
        for (int k = 0; k < LENGTH; k++)
#pragma unroll
            for (int i = 0; i < CHAINS; i++)
                x[i] = Body::of(x[i], y[i], z[i], a, b, p, q);
    }
    float sum = 0;
    for (int i = 0; i < CHAINS; i++)
        sum += x[i];
    __syncthreads();
    const uint32_t end = clock();
    to[threadIdx.x] = sum;
    if (threadIdx.x == 0)
        *took = end - start;
}

static float *from, *to;
static uint32_t *took;

template <class Body> static void run(const char *name)
{
    for (int warps : {4, 8, 16, 32}) {
        for (int launch = 0; launch < 2; launch++)
            chains<Body><<<1, warps * 32>>>(from, to, 0.75f, 0.5f, took);
        uint32_t cycles;
        CHECK(cudaMemcpy(&cycles, took, 4, cudaMemcpyDeviceToHost));
        printf("%s,%d,%.3f\n", name, warps, cycles / (double)(warps / 4 * CHAINS * LENGTH * ROUNDS));
    }
}

int main()
{
    CHECK(cudaMalloc(&from, 128));
    CHECK(cudaMalloc(&to, 4096));
    CHECK(cudaMalloc(&took, 4));
    CHECK(cudaMemset(from, 0, 128));
    printf("body,warps,cycles\n");
    run<FmaRegReg>("fma_reg_reg"), run<FmaNumReg>("fma_num_reg"), run<FmaRegNum>("fma_reg_num");
    run<FmaNumNum>("fma_num_num"), run<FmaOwnNum>("fma_own_num"), run<FmaParReg>("fma_par_reg");
    run<FmaRegPar>("fma_reg_par"), run<FmaParPar>("fma_par_par"), run<FmaThree>("fma_three");
    run<AddReg>("add_reg"), run<AddNum>("add_num"), run<AddPar>("add_par"), run<MulThree>("mul_three");
    return 0;
}

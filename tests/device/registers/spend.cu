/* What registers NVIDIA's assembler spends on early loads.
 *
 *     nvcc -O3 -arch=sm_90 -cubin spend.cu -o spend.cubin && cuobjdump -sass -res-usage spend.cubin > spend.txt
 *     python3 spend.py spend.txt > ptxas-spend.csv
 *
 * SUMS values stay live over rounds of LOADS loads, each of which is added to one of them. Nothing is run. Columns of
 * ptxas-spend.csv (ptxas 13.0, sm_90): sums; loads of a round; registers that the kernel has; registers that its code
 * names; loads of a round that are under way at once, at most. */
template <int SUMS, int LOADS> __global__ void spend(const float *__restrict__ from, float *to, int rounds, float k)
{
    float sum[SUMS];
#pragma unroll
    for (int i = 0; i < SUMS; i++)
        sum[i] = from[threadIdx.x + i * 1024];
    const float *at = from + threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < rounds; r++, at += LOADS * 1024) {
        float got[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            got[i] = at[i * 1024];
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            sum[i % SUMS] = fmaf(got[i], k, sum[i % SUMS]);
#pragma unroll
        for (int i = 0; i < SUMS; i++)
            sum[i] = fmaf(sum[i], sum[(i + 1) % SUMS], k);
    }
#pragma unroll
    for (int i = 0; i < SUMS; i++)
        to[threadIdx.x + i * 1024] = sum[i];
}

#define ONE(sums, loads) template __global__ void spend<sums, loads>(const float *, float *, int, float);
#define ALL(sums)                                                                                            \
    ONE(sums, 8) ONE(sums, 16) ONE(sums, 24) ONE(sums, 32) ONE(sums, 48) ONE(sums, 64) ONE(sums, 128)
ALL(2) ALL(8) ALL(12) ALL(16) ALL(20) ALL(22) ALL(24) ALL(26) ALL(28) ALL(32)
ALL(36) ALL(40) ALL(44) ALL(48) ALL(52) ALL(56) ALL(60) ALL(64) ALL(80) ALL(96)

"""Writes icache.cu: kernels with straight code of growing length in a loop.

    python3 icache.py > icache.cu && nvcc -O3 -arch=sm_90 icache.cu -o icache && ./icache > h200-icache.csv

One block on one SM, or on each; 1, 4 or 16 warps. A row has cycles of an instruction in the first turn of the
loop, behind kernels that have thrown the code out of all caches of instructions, and in later turns. All
instructions are 16 bytes long and of four chains that do not wait for each other.
"""
lengths = [64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 10240, 12288, 16384, 32768]
print("#include <cstdint>\n#include <cstdio>\n#include <cstdlib>")
for n in lengths:
    body = "".join("STEP(x%d)" % (i % 4) for i in range(n))
    if n == lengths[0]:
        print('#define STEP(x) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(k));')
    print("""__global__ void code_%d(float k, uint32_t *cycles, uint32_t *out) {
    float x0 = threadIdx.x, x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3;
#pragma unroll 1
    for (int turn = 0; turn < 8; turn++) {
        const uint32_t start = clock();
        %s
        if (threadIdx.x == 0) cycles[blockIdx.x * 8 + turn] = clock() - start;
    }
    if (x0 + x1 + x2 + x3 == 0.125f) *out = (uint32_t)x0;
}""" % (n, body))
print("typedef void Code(float, uint32_t *, uint32_t *);")
print("static const struct { int length; Code *code; } codes[] = {%s};"
      % ", ".join("{%d, code_%d}" % (n, n) for n in lengths))
print("""
int main()
{
    uint32_t *cycles;
    if (cudaMallocManaged(&cycles, 1 << 16))
        return 1;
    printf("blocks,warps,instructions,first,again\\n");
    for (int blocks = 1; blocks <= 132; blocks += 131)
        for (int warps = 1; warps <= 16; warps *= 4)
            for (const auto &row : codes) {
                for (const auto &other : codes) /* throw it out */
                    if (other.length > 8192 && other.length != row.length)
                        other.code<<<132, 32>>>(1, cycles, cycles + 8192);
                row.code<<<blocks, warps * 32>>>(1, cycles, cycles + 8192);
                if (cudaDeviceSynchronize())
                    return 1;
                double first = 0, again = 0;
                for (int i = 0; i < blocks; i++) {
                    first += cycles[i * 8];
                    again += cycles[i * 8 + 6];
                }
                printf("%d,%d,%d,%.3f,%.3f\\n", blocks, warps, row.length, first / blocks / row.length,
                       again / blocks / row.length);
            }
    return 0;
}""")

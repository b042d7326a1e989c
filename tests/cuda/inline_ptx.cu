// PTX in C++: operands of all kinds, predicates, special registers, loops with labels.
#include "check.h"

struct Out {
    unsigned added, lop, lane, warp, blocks, mixed, bits;
    unsigned long long wide;
    float squared;
    double third;
    int predicated, loop, vector;
    short narrow;
};

__global__ void assemble(Out *out, const int4 *from, int n)
{
    Out o;
    asm("add.cc.u32 %0, %1, 1;" : "=r"(o.added) : "r"(threadIdx.x));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(o.lop) : "r"(0x0fu), "r"(0x33u), "r"(0x55u));
    asm("mov.u32 %0, %%laneid;" : "=r"(o.lane));
    asm("mov.u32 %0, %%warpid;" : "=r"(o.warp));
    asm("mov.u32 %0, %%nctaid.x;" : "=r"(o.blocks));
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(o.wide) : "r"(0x80000000u), "r"(6u));
    asm("{ .reg .f32 t; mul.f32 t, %1, %1; add.f32 %0, t, 0f3F800000; }" : "=f"(o.squared) : "f"(1.5f));
    asm("div.rn.f64 %0, %1, %2;" : "=d"(o.third) : "d"(1.0), "d"(3.0));
    asm("{ .reg .pred p; setp.gt.s32 p, %1, 15; selp.s32 %0, 100, -100, p; @p add.s32 %0, %0, 1; }"
        : "=r"(o.predicated)
        : "r"(threadIdx.x));
    asm("{ .reg .pred p; .reg .s32 i; mov.s32 i, 0; mov.s32 %0, 0;"
        " AGAIN_%=: add.s32 %0, %0, i; add.s32 i, i, 1; setp.le.s32 p, i, %1; @p bra AGAIN_%=; }"
        : "=&r"(o.loop)
        : "r"(n));
    int4 four;
    asm volatile("ld.global.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(four.x), "=r"(four.y), "=r"(four.z), "=r"(four.w)
                 : "l"(from)
                 : "memory");
    o.vector = four.x + 10 * four.y + 100 * four.z + 1000 * four.w;
    asm("cvt.s16.s32 %0, %1;" : "=h"(o.narrow) : "r"(70000));
    asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(o.mixed) : "r"(0x11112222u), "r"(0x33334444u));
    asm("bfe.u32 %0, %1, 8, 12;" : "=r"(o.bits) : "r"(0x12345678u));
    out[threadIdx.x] = o;
}

int main()
{
    Out *out;
    int4 *four;
    CUDA(cudaMallocManaged(&out, 64 * sizeof *out));
    CUDA(cudaMallocManaged(&four, sizeof *four));
    *four = {1, 2, 3, 4};
    assemble<<<3, 64>>>(out, four, 10);
    CUDA(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 64; i++) {
        CHECK_EQUAL(out[i].added, i + 1);
        CHECK_EQUAL(out[i].lop, 0x0fu ^ 0x33u ^ 0x55u);
        CHECK_EQUAL(out[i].lane, i % 32);
        CHECK(out[i].warp < 64);
        CHECK_EQUAL(out[i].blocks, 3);
        CHECK_EQUAL(out[i].wide, 0x300000000ull);
        CHECK_EQUAL(out[i].squared, 3.25f);
        CHECK_EQUAL(out[i].third, 1.0 / 3.0);
        CHECK_EQUAL(out[i].predicated, i > 15 ? 101 : -100);
        CHECK_EQUAL(out[i].loop, 55);
        CHECK_EQUAL(out[i].vector, 4321);
        CHECK_EQUAL(out[i].narrow, (short)70000);
        CHECK_EQUAL(out[i].mixed, 0x44442222u);
        CHECK_EQUAL(out[i].bits, 0x456u);
    }
    return check_result();
}

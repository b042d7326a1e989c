// Instructions that only inline assembly reaches.
extern "C" __global__ void odd_instructions(const unsigned *a, const unsigned *b, unsigned *out, int count)
{
    int t = (int)threadIdx.x;
    unsigned x = a[t], y = b[t], r = 0;
    int k = 0;
#define PUT(value) out[k++ * count + t] = (value)
    asm("bfe.u32 %0, %1, 5, 11;" : "=r"(r) : "r"(x)); PUT(r);
    asm("bfe.s32 %0, %1, %2, 9;" : "=r"(r) : "r"(x), "r"(y & 31)); PUT(r);
    asm("bfi.b32 %0, %1, %2, 7, 13;" : "=r"(r) : "r"(x), "r"(y)); PUT(r);
    asm("lop3.b32 %0, %1, %2, %3, 0xD2;" : "=r"(r) : "r"(x), "r"(y), "r"(x * 3)); PUT(r);
    asm("{ .reg .u32 t1; add.cc.u32 t1, %1, %2; addc.u32 %0, %1, 0; }" : "=r"(r) : "r"(x), "r"(y)); PUT(r);
    asm("{ .reg .u32 t1; sub.cc.u32 t1, %1, %2; subc.u32 %0, 0, 0; }" : "=r"(r) : "r"(x), "r"(y)); PUT(r);
    asm("mad.hi.u32 %0, %1, %2, 9;" : "=r"(r) : "r"(x), "r"(y)); PUT(r);
    asm("shf.l.wrap.b32 %0, %1, %2, 12;" : "=r"(r) : "r"(x), "r"(y)); PUT(r);
    asm("prmt.b32.f4e %0, %1, %2, 3;" : "=r"(r) : "r"(x), "r"(y)); PUT(r);
    asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"((int)(x - y))); PUT(r);
    asm("add.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); PUT(r);
    asm("{ .reg .pred p, q; setp.lt.and.u32 p|q, %1, %2, 1; selp.u32 %0, 3, 4, p; @q add.u32 %0, %0, 8; }"
        : "=r"(r) : "r"(x), "r"(y)); PUT(r);
    asm("set.gt.u32.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); PUT(r);
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(r) : "r"(x)); PUT(r);
    asm("vadd.s32.u32.u32.sat %0, %1.b1, %2.h1;" : "=r"(r) : "r"(x), "r"(y)); PUT(r);
    asm("fns.b32 %0, %1, 0, 4;" : "=r"(r) : "r"(x)); PUT(r);
    asm("mov.b32 %0, {%1, %2};" : "=r"(r) : "h"((short)x), "h"((short)y)); PUT(r);
    asm("{ .reg .b16 lo, hi; mov.b32 {lo, hi}, %1; mov.b32 %0, {hi, lo}; }" : "=r"(r) : "r"(x)); PUT(r);
    asm("dp2a.lo.u32.u32 %0, %1, %2, 6;" : "=r"(r) : "r"(x), "r"(y)); PUT(r);
    asm("bfind.shiftamt.s32 %0, %1;" : "=r"(r) : "r"(x)); PUT(r);
    asm("szext.clamp.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 31)); PUT(r);
    asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); PUT(r);
    asm("{ .reg .u64 w; mul.wide.u32 w, %1, %2; { .reg .u32 lo; mov.b64 {lo, %0}, w; } }" : "=r"(r) : "r"(x), "r"(y)); PUT(r);
}

// A loop and a branch written in assembly, with labels that repeat in every copy.
extern "C" __global__ void assembly_loop(unsigned *out)
{
    unsigned t = threadIdx.x;
    for (unsigned round = 0; round < 2; round++) {
        unsigned n = t + round * 3, sum;
        asm volatile("{\n\t.reg .u32 i;\n\t.reg .pred p;\n\tmov.u32 i, 0;\n\tmov.u32 %0, 0;\n"
                     "LOOP:\n\tsetp.ge.u32 p, i, %1;\n\t@p bra DONE;\n\tmad.lo.u32 %0, i, i, %0;\n\tadd.u32 i, i, 1;\n\tbra LOOP;\n"
                     "DONE:\n\t}" : "=&r"(sum) : "r"(n));
        out[t * 2 + round] = sum;
    }
}

extern "C" __global__ void special_registers(unsigned *out)
{
    unsigned t = threadIdx.x + threadIdx.y * blockDim.x, *to = out + (blockIdx.x * blockDim.x * blockDim.y + t) * 8;
    asm("mov.u32 %0, %laneid;" : "=r"(to[0]));
    asm("mov.u32 %0, %warpid;" : "=r"(to[1]));
    asm("mov.u32 %0, %lanemask_lt;" : "=r"(to[2]));
    asm("mov.u32 %0, %lanemask_ge;" : "=r"(to[3]));
    asm("mov.u32 %0, %nctaid.x;" : "=r"(to[4]));
    asm("mov.u32 %0, %ntid.y;" : "=r"(to[5]));
    asm("mov.u32 %0, %dynamic_smem_size;" : "=r"(to[6]));
    unsigned sm, count;
    asm("mov.u32 %0, %smid;" : "=r"(sm));
    asm("mov.u32 %0, %nsmid;" : "=r"(count));
    to[7] = sm < count;
}

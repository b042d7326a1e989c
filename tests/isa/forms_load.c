/* Loads of every space, width, vector and cache operator. */
#include "forms.h"

#define NARROW "<u8|s8|b8|u16|s16|b16>"
#define WIDE "<u32|s32|b32|f32|u64|s64|b64|f64>"
#define VECTOR2 "<u8|s8|u16|s16|b16|u32|s32|b32|f32|u64|s64|b64|f64>"
#define VECTOR4 "<u8|s8|u16|s16|b16|u32|s32|b32|f32>"
#define TWO "{%d0, %d1}"
#define FOUR "{%d0, %d1, %d2, %d3}"

/* Puts the first 32 bytes of this thread's global memory into another space. */
#define QUAD "{%r0, %r1, %r2, %r3}"
#define FILL(space, address)                                                                                 \
    "ld.global.v4.u32 " QUAD ", [%mem]; st." space ".v4.u32 [" address "], " QUAD ";"                        \
    "ld.global.v4.u32 " QUAD ", [%mem+16]; st." space ".v4.u32 [" address "+16], " QUAD ";"
#define FILL_SHARED FILL("shared", "%shm")
#define FILL_LOCAL FILL("local", "%loc")
#define CACHED                                                                                               \
    "<.ca|.cg|.cs|.lu|.cv|.nc|.L1::no_allocate|.L1::evict_first|.L1::evict_last|.L1::evict_normal|"          \
    ".L1::evict_unchanged|.L2::64B|.L2::128B|.L2::256B|.nc.L1::no_allocate|.nc.L1::no_allocate.L2::128B|."   \
    "ca.nc|"                                                                                                 \
    ".cg.nc|.cs.nc>"

#define TABLE                                                                                                \
    ".const .align 16 .b8 table_$[32] = {0x80, 0xff, 0x7f, 0x01, 0xc0, 0xde, 0xad, 0xf0, 0x12, 0x34, 0x56, " \
    "0x78, "                                                                                                 \
    "0x9a, 0xbc, 0xde, 0xf1, 0x81, 0x72, 0x63, 0x54, 0x45, 0x36, 0x27, 0x18, 0xff, 0xfe, 0xfd, 0xfc, 0xfb, " \
    "0xfa, "                                                                                                 \
    "0xf9, 0xf8};"

#define FEW .vectors = 128

const FormSpec forms_load[] = {
    FORM("ld.global." NARROW " %d0, [%mem+2];", "", "b16", FEW),
    FORM("ld.global." NARROW " %d0, [%mem+2];", "", "b32", FEW),
    FORM("ld.global." NARROW " %d0, [%mem+2];", "", "b64", FEW),
    FORM("ld.global.<u32|s32|b32> %d0, [%mem+4];", "", "b64", FEW),
    FORM("ld.global." WIDE " %d0, [%mem+8];", "", "@1", FEW),
    FORM("ld.global.v2." VECTOR2 " " TWO ", [%mem+16];", "", "@1 @1", FEW),
    FORM("ld.global.v4." VECTOR4 " " FOUR ", [%mem+16];", "", "@1 @1 @1 @1", FEW),
    FORM("ld.global.v4.s8 " FOUR ", [%mem+16];", "", "b32 b32 b32 b32", FEW),
    FORM("ld.global.b128 %x0, [%mem+16];", "", "b64 b64", .after = "mov.b128 " TWO ", %x0;", FEW),
    FORM("ld.global" CACHED ".<u32|f64> %d0, [%mem+16];", "", "@2", FEW, .target = 80),
    FORM("ld.global" CACHED ".v2.f32 " TWO ", [%mem+16];", "", "f32 f32", FEW, .target = 80),
    FORM("ld.global" CACHED ".v4.u32 " FOUR ", [%mem+16];", "", "u32 u32 u32 u32", FEW, .target = 80),
    FORM("ld.global.nc.<u8|s8|u16|s16> %d0, [%mem+2];", "", "b32", FEW),
    FORM("ld<.weak|.volatile>.global.<u8|s16|u32|s32|f32|u64|f64> %d0, [%mem+8];", "", "b64", FEW),
    FORM("ld<.relaxed|.acquire><.cta|.gpu|.sys|.cluster>.global.<u8|s16|u32|u64> %d0, [%mem+8];", "", "b64",
         FEW, .target = 90),
    FORM("ld.relaxed.gpu.global.v2.<u32|u64> " TWO ", [%mem+16];", "", "@1 @1", FEW),
    FORM("ld.mmio.relaxed.sys.global.<u32|u64> %d0, [%mem+8];", "", "@1", FEW, .target = 75),
    FORM("ldu.global.<u8|s8|u16|s16> %d0, [%mem+2];", "", "b32", FEW),
    FORM("ldu.global." WIDE " %d0, [%mem+8];", "", "@1", FEW),
    FORM("ldu.global.v2.<u32|f32|u64|f64> " TWO ", [%mem+16];", "", "@1 @1", FEW),
    FORM("ldu.global.v4.<u32|f32> " FOUR ", [%mem+16];", "", "@1 @1 @1 @1", FEW),
    FORM("ldu.u32 %d0, [%rd0+4];", "", "u32", .setup = "cvta.global.u64 %rd0, %mem;", FEW),

    FORM("ld.shared." NARROW " %d0, [%shm+2];", "", "b32", .setup = FILL_SHARED, FEW),
    FORM("ld.shared." WIDE " %d0, [%shm+8];", "", "@1", .setup = FILL_SHARED, FEW),
    FORM("ld.shared.v2." VECTOR2 " " TWO ", [%shm+16];", "", "@1 @1", .setup = FILL_SHARED, FEW),
    FORM("ld.shared.v4." VECTOR4 " " FOUR ", [%shm+16];", "", "@1 @1 @1 @1", .setup = FILL_SHARED, FEW),
    FORM("ld<.volatile.shared|.relaxed.cta.shared|.acquire.cta.shared|.weak.shared|.shared::cta|.shared::"
         "cluster>"
         ".<u8|s16|u32|u64> %d0, [%shm+8];",
         "", "b64", .setup = FILL_SHARED, FEW, .target = 90),

    FORM("ld.local." NARROW " %d0, [%loc+2];", "", "b32", .setup = FILL_LOCAL, FEW),
    FORM("ld.local." WIDE " %d0, [%loc+8];", "", "@1", .setup = FILL_LOCAL, FEW),
    FORM("ld.local.v2." VECTOR2 " " TWO ", [%loc+16];", "", "@1 @1", .setup = FILL_LOCAL, FEW),
    FORM("ld.local.v4." VECTOR4 " " FOUR ", [%loc+16];", "", "@1 @1 @1 @1", .setup = FILL_LOCAL, FEW),
    FORM("ld.local<.ca|.cg|.cs|.lu>.u32 %d0, [%loc+8];", "", "u32", .setup = FILL_LOCAL, FEW),

    FORM("ld.const." NARROW " %d0, [table_$+2];", "", "b32", .declare = TABLE, FEW),
    FORM("ld.const." WIDE " %d0, [table_$+8];", "", "@1", .declare = TABLE, FEW),
    FORM("ld.const.v2." VECTOR2 " " TWO ", [table_$+16];", "", "@1 @1", .declare = TABLE, FEW),
    FORM("ld.const.v4." VECTOR4 " " FOUR ", [table_$+16];", "", "@1 @1 @1 @1", .declare = TABLE, FEW),
    FORM("ld.const.<u8|s8> %d0, [%rd1];", "", "b32", .declare = TABLE, FEW,
         .setup =
             "mov.u64 %rd0, table_$; and.b32 %r0, %i, 31; cvt.u64.u32 %rd1, %r0; add.u64 %rd1, %rd1, %rd0;"),

    FORM("ld.param." NARROW " %d0, [value+2];", "", "b32", FEW),
    FORM("ld.param." WIDE " %d0, [value+8];", "", "@1", FEW),
    FORM("ld.param.v2." VECTOR2 " " TWO ", [value+16];", "", "@1 @1", FEW),
    FORM("ld.param.v4." VECTOR4 " " FOUR ", [value+16];", "", "@1 @1 @1 @1", FEW),

    FORM("ld." NARROW " %d0, [%rd0+2];", "", "b32", .setup = "cvta.global.u64 %rd0, %mem;", FEW),
    FORM("ld." WIDE " %d0, [%rd0+8];", "", "@1", .setup = "cvta.global.u64 %rd0, %mem;", FEW),
    FORM("ld." NARROW " %d0, [%rd0+2];", "", "b32", .setup = FILL_SHARED "cvta.shared.u64 %rd0, %shm;", FEW),
    FORM("ld." WIDE " %d0, [%rd0+8];", "", "@1", .setup = FILL_LOCAL "cvta.local.u64 %rd0, %loc;", FEW),
    FORM("ld.v2." VECTOR2 " " TWO ", [%rd0+16];", "", "@1 @1",
         .setup = FILL_SHARED "cvta.shared.u64 %rd0, %shm;", FEW),
    FORM("ld.v4." VECTOR4 " " FOUR ", [%rd0+16];", "", "@1 @1 @1 @1",
         .setup = FILL_LOCAL "cvta.local.u64 %rd0, %loc;", FEW),
    FORM("ld<.ca|.cg|.cs|.lu|.cv|.volatile|.relaxed.gpu|.acquire.gpu|.relaxed.sys|.acquire.cta>.u32 %d0, "
         "[%rd0+8];",
         "", "u32", .setup = "cvta.global.u64 %rd0, %mem;", FEW),

    /* addresses */
    FORM("cvta.<global|const|shared|local>.u64 %rd1, %rd0; cvta.to.@1.u64 %rd2, %rd1; sub.s64 %d0, %rd2, "
         "%rd0;",
         "", "u64", .setup = "mov.u64 %rd0, 64;", FEW),
    FORM("cvta.to.global.u64 %rd1, %rd0; ld.global.u64 %d0, [%rd1];", "", "u64",
         .setup = "cvta.global.u64 %rd0, %mem;", FEW),
    FORM("isspacep.<global|const|shared|local|shared::cta> %d0, %rd0;", "", "pred",
         .setup = "cvta.global.u64 %rd0, %mem;", FEW),
    FORM("isspacep.<global|const|shared|local|shared::cta> %d0, %rd0;", "", "pred",
         .setup = "cvta.shared.u64 %rd0, %shm;", FEW),
    FORM("isspacep.<global|const|shared|local|shared::cta> %d0, %rd0;", "", "pred",
         .setup = "cvta.local.u64 %rd0, %loc;", FEW),
    FORM("isspacep.<shared::cluster|param> %d0, %rd0;", "", "pred", .setup = "cvta.shared.u64 %rd0, %shm;",
         FEW, .target = 90),
    FORM("prefetch.global.<L1|L2|L2::evict_last|L2::evict_normal> [%mem]; ld.global.u32 %d0, [%mem];", "",
         "u32", FEW, .target = 80),
    FORM("prefetch.<L1|L2> [%rd0]; ld.u32 %d0, [%rd0];", "", "u32", .setup = "cvta.global.u64 %rd0, %mem;",
         FEW),
    FORM("prefetch.local.<L1|L2> [%loc]; ld.local.u32 %d0, [%loc];", "", "u32", .setup = FILL_LOCAL, FEW),
    FORM("prefetchu.L1 [%rd0]; ld.u32 %d0, [%rd0];", "", "u32", .setup = "cvta.global.u64 %rd0, %mem;", FEW),
    FORM_END};

/* Kernels in CUDA C without an SDK: include this first, and the same file compiles with nvcc and with
 * Debian's clang:
 *
 *     nvcc -ptx -arch=sm_75 -I include k.cu -o k.ptx
 *     clang -x cuda --cuda-path=/nonexistent --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib \
 *           -Xclang -target-feature -Xclang +ptx72 -O2 -S -I include k.cu -o k.ptx
 *
 * Under nvcc it only includes what printf and assert need. Under clang it gives the language its names:
 * qualifiers, index variables, vectors, atomics, warp functions, barriers, bit functions, printf, assert;
 * warpbeam_device_math.h adds the mathematics. Under both, warpbeam_device_launch.h lets kernels launch
 * work, warpbeam_device_sync.h lets their blocks wait for each other, warpbeam_device_wave.h has what lanes of
 * a wavefront do together, warpbeam_device_channels.h lets kernels feed each other with tasks, and
 * warpbeam_device_network.h has messages to GPUs of other nodes. */
#ifndef WARPBEAM_DEVICE_H
#define WARPBEAM_DEVICE_H

#if defined(__CUDACC__) && !defined(__clang__)

#include <cassert>
#include <cstdio>
#include "warpbeam_device_launch.h"
#include "warpbeam_device_sync.h"
#include "warpbeam_device_wave.h"
#include "warpbeam_device_channels.h"
#include "warpbeam_device_network.h"

#elif !defined(__CUDA__) || !defined(__clang__)
#error "warpbeam_device.h is for kernels: compile with nvcc, or with clang -x cuda --cuda-device-only."
#else

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define WB_DEVICE static __device__ __inline__ __attribute__((always_inline, unused))

typedef __SIZE_TYPE__ size_t;

/* ---- vectors ---- */

#define WB_VECTOR(name, T, align2, align4)                                                              \
    struct name##1 { T x; };                                                                            \
    struct __attribute__((aligned(align2))) name##2 { T x, y; };                                        \
    struct name##3 { T x, y, z; };                                                                      \
    struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; };                                  \
    WB_DEVICE name##1 make_##name##1(T x) { return {x}; }                                               \
    WB_DEVICE name##2 make_##name##2(T x, T y) { return {x, y}; }                                       \
    WB_DEVICE name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                               \
    WB_DEVICE name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
WB_VECTOR(char, signed char, 2, 4)
WB_VECTOR(uchar, unsigned char, 2, 4)
WB_VECTOR(short, short, 4, 8)
WB_VECTOR(ushort, unsigned short, 4, 8)
WB_VECTOR(int, int, 8, 16)
WB_VECTOR(uint, unsigned, 8, 16)
WB_VECTOR(long, long, 16, 16)
WB_VECTOR(ulong, unsigned long, 16, 16)
WB_VECTOR(longlong, long long, 16, 16)
WB_VECTOR(ulonglong, unsigned long long, 16, 16)
WB_VECTOR(float, float, 8, 16)
WB_VECTOR(double, double, 16, 16)
#undef WB_VECTOR

struct dim3 {
    unsigned x, y, z;
    __device__ constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __device__ constexpr operator uint3() const { return {x, y, z}; }
};

/* ---- index variables: every member reads its special register ---- */

#define WB_INDEX(name, sreg)                                                                            \
    struct wb_##name {                                                                                  \
        __declspec(property(get = get_x)) unsigned x;                                                   \
        __declspec(property(get = get_y)) unsigned y;                                                   \
        __declspec(property(get = get_z)) unsigned z;                                                   \
        WB_DEVICE unsigned get_x() { return __nvvm_read_ptx_sreg_##sreg##_x(); }                        \
        WB_DEVICE unsigned get_y() { return __nvvm_read_ptx_sreg_##sreg##_y(); }                        \
        WB_DEVICE unsigned get_z() { return __nvvm_read_ptx_sreg_##sreg##_z(); }                        \
        __device__ operator uint3() const { return {get_x(), get_y(), get_z()}; }                       \
        __device__ operator dim3() const { return dim3(get_x(), get_y(), get_z()); }                    \
    };                                                                                                  \
    extern const __device__ __attribute__((weak)) wb_##name name;
WB_INDEX(threadIdx, tid)
WB_INDEX(blockIdx, ctaid)
WB_INDEX(blockDim, ntid)
WB_INDEX(gridDim, nctaid)
#undef WB_INDEX
constexpr int warpSize = 32;

/* ---- printf, assert, malloc, clocks ---- */

extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ void *malloc(size_t size);
extern "C" __device__ void free(void *block);
extern "C" __device__ __attribute__((noreturn)) void __assertfail(const char *condition, const char *file,
                                                                  unsigned line, const char *function,
                                                                  size_t character_size);
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
    ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__, 1))
#endif

WB_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
WB_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }
WB_DEVICE void __nanosleep(unsigned nanoseconds) { asm volatile("nanosleep.u32 %0;" : : "r"(nanoseconds)); }
WB_DEVICE void __trap() { asm volatile("trap;"); }

/* ---- barriers and fences (__syncthreads is a builtin of clang) ---- */

WB_DEVICE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
WB_DEVICE int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
WB_DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
WB_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
WB_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
WB_DEVICE void __threadfence() { __nvvm_membar_gl(); }
WB_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

/* ---- atomics ---- */

#define WB_ATOMIC(name, T, B, builtin) \
    WB_DEVICE T name(T *address, T value) { return (T)builtin((B *)address, (B)value); }
WB_ATOMIC(atomicAdd, int, int, __nvvm_atom_add_gen_i)
WB_ATOMIC(atomicAdd, unsigned, int, __nvvm_atom_add_gen_i)
WB_ATOMIC(atomicAdd, unsigned long long, long long, __nvvm_atom_add_gen_ll)
WB_ATOMIC(atomicAdd, float, float, __nvvm_atom_add_gen_f)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
WB_ATOMIC(atomicAdd, double, double, __nvvm_atom_add_gen_d)
#endif
WB_ATOMIC(atomicSub, int, int, __nvvm_atom_sub_gen_i)
WB_ATOMIC(atomicSub, unsigned, int, __nvvm_atom_sub_gen_i)
WB_ATOMIC(atomicExch, int, int, __nvvm_atom_xchg_gen_i)
WB_ATOMIC(atomicExch, unsigned, int, __nvvm_atom_xchg_gen_i)
WB_ATOMIC(atomicExch, unsigned long long, long long, __nvvm_atom_xchg_gen_ll)
WB_ATOMIC(atomicMin, int, int, __nvvm_atom_min_gen_i)
WB_ATOMIC(atomicMin, unsigned, unsigned, __nvvm_atom_min_gen_ui)
WB_ATOMIC(atomicMin, long long, long long, __nvvm_atom_min_gen_ll)
WB_ATOMIC(atomicMin, unsigned long long, unsigned long long, __nvvm_atom_min_gen_ull)
WB_ATOMIC(atomicMax, int, int, __nvvm_atom_max_gen_i)
WB_ATOMIC(atomicMax, unsigned, unsigned, __nvvm_atom_max_gen_ui)
WB_ATOMIC(atomicMax, long long, long long, __nvvm_atom_max_gen_ll)
WB_ATOMIC(atomicMax, unsigned long long, unsigned long long, __nvvm_atom_max_gen_ull)
WB_ATOMIC(atomicInc, unsigned, unsigned, __nvvm_atom_inc_gen_ui)
WB_ATOMIC(atomicDec, unsigned, unsigned, __nvvm_atom_dec_gen_ui)
#define WB_ATOMIC_BITS(name, op)                                                                        \
    WB_ATOMIC(name, int, int, __nvvm_atom_##op##_gen_i)                                                 \
    WB_ATOMIC(name, unsigned, int, __nvvm_atom_##op##_gen_i)                                            \
    WB_ATOMIC(name, unsigned long long, long long, __nvvm_atom_##op##_gen_ll)
WB_ATOMIC_BITS(atomicAnd, and)
WB_ATOMIC_BITS(atomicOr, or)
WB_ATOMIC_BITS(atomicXor, xor)
#undef WB_ATOMIC_BITS
#undef WB_ATOMIC

WB_DEVICE float atomicExch(float *address, float value)
{
    return __builtin_bit_cast(float, __nvvm_atom_xchg_gen_i((int *)address, __builtin_bit_cast(int, value)));
}
WB_DEVICE int atomicCAS(int *address, int expected, int value)
{
    return __nvvm_atom_cas_gen_i(address, expected, value);
}
WB_DEVICE unsigned atomicCAS(unsigned *address, unsigned expected, unsigned value)
{
    return (unsigned)__nvvm_atom_cas_gen_i((int *)address, (int)expected, (int)value);
}
WB_DEVICE unsigned long long atomicCAS(unsigned long long *address, unsigned long long expected,
                                       unsigned long long value)
{
    long long old = __nvvm_atom_cas_gen_ll((long long *)address, (long long)expected, (long long)value);
    return (unsigned long long)old;
}

/* ---- warps: votes, matches, shuffles ---- */

WB_DEVICE unsigned __activemask()
{
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
WB_DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p != 0); }
WB_DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p != 0); }
WB_DEVICE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p != 0); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define WB_MATCH(T, B, bits)                                                                            \
    WB_DEVICE unsigned __match_any_sync(unsigned mask, T value)                                         \
    {                                                                                                   \
        return __nvvm_match_any_sync_i##bits(mask, __builtin_bit_cast(B, value));                       \
    }                                                                                                   \
    WB_DEVICE unsigned __match_all_sync(unsigned mask, T value, int *all)                               \
    {                                                                                                   \
        return __nvvm_match_all_sync_i##bits##p(mask, __builtin_bit_cast(B, value), all);               \
    }
WB_MATCH(int, unsigned, 32)
WB_MATCH(unsigned, unsigned, 32)
WB_MATCH(float, unsigned, 32)
WB_MATCH(long, long long, 64)
WB_MATCH(unsigned long, long long, 64)
WB_MATCH(long long, long long, 64)
WB_MATCH(unsigned long long, long long, 64)
WB_MATCH(double, long long, 64)
#undef WB_MATCH
#endif

/* `clamp` is the highest lane number of a segment in its low bits (0 for up). 8-byte values go in halves. */
#define WB_SHUFFLE_4(name, mode, Argument, T)                                                           \
    WB_DEVICE T name(unsigned mask, T value, Argument by, int width = 32)                               \
    {                                                                                                   \
        return __builtin_bit_cast(T, wb_##mode(mask, __builtin_bit_cast(unsigned, value), (int)by, width)); \
    }
#define WB_SHUFFLE_8(name, mode, Argument, T)                                                           \
    WB_DEVICE T name(unsigned mask, T value, Argument by, int width = 32)                               \
    {                                                                                                   \
        unsigned long long bits = __builtin_bit_cast(unsigned long long, value);                        \
        unsigned low = wb_##mode(mask, (unsigned)bits, (int)by, width);                                 \
        unsigned high = wb_##mode(mask, (unsigned)(bits >> 32), (int)by, width);                        \
        return __builtin_bit_cast(T, (unsigned long long)high << 32 | low);                             \
    }
#define WB_SHUFFLE(name, mode, Argument, clamp)                                                         \
    WB_DEVICE unsigned wb_##mode(unsigned mask, unsigned value, int by, int width)                      \
    {                                                                                                   \
        return (unsigned)__nvvm_shfl_sync_##mode##_i32(mask, (int)value, by, ((32 - width) << 8) | clamp); \
    }                                                                                                   \
    WB_SHUFFLE_4(name, mode, Argument, int)                                                             \
    WB_SHUFFLE_4(name, mode, Argument, unsigned)                                                        \
    WB_SHUFFLE_4(name, mode, Argument, float)                                                           \
    WB_SHUFFLE_8(name, mode, Argument, long)                                                            \
    WB_SHUFFLE_8(name, mode, Argument, unsigned long)                                                   \
    WB_SHUFFLE_8(name, mode, Argument, long long)                                                       \
    WB_SHUFFLE_8(name, mode, Argument, unsigned long long)                                              \
    WB_SHUFFLE_8(name, mode, Argument, double)
WB_SHUFFLE(__shfl_sync, idx, int, 0x1f)
WB_SHUFFLE(__shfl_up_sync, up, unsigned, 0)
WB_SHUFFLE(__shfl_down_sync, down, unsigned, 0x1f)
WB_SHUFFLE(__shfl_xor_sync, bfly, int, 0x1f)
#undef WB_SHUFFLE
#undef WB_SHUFFLE_8
#undef WB_SHUFFLE_4

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define WB_REDUCE(name, op, T)                                                                          \
    WB_DEVICE T name(unsigned mask, T value)                                                            \
    {                                                                                                   \
        T result;                                                                                       \
        asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));           \
        return result;                                                                                  \
    }
WB_REDUCE(__reduce_add_sync, "add.s32", int)
WB_REDUCE(__reduce_add_sync, "add.u32", unsigned)
WB_REDUCE(__reduce_min_sync, "min.s32", int)
WB_REDUCE(__reduce_min_sync, "min.u32", unsigned)
WB_REDUCE(__reduce_max_sync, "max.s32", int)
WB_REDUCE(__reduce_max_sync, "max.u32", unsigned)
WB_REDUCE(__reduce_and_sync, "and.b32", unsigned)
WB_REDUCE(__reduce_or_sync, "or.b32", unsigned)
WB_REDUCE(__reduce_xor_sync, "xor.b32", unsigned)
#undef WB_REDUCE
#endif

/* ---- bits and integers ---- */

WB_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
WB_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
WB_DEVICE int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
WB_DEVICE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
WB_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
WB_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
WB_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
WB_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
WB_DEVICE unsigned __byte_perm(unsigned a, unsigned b, unsigned s) { return __nvvm_prmt(a, b, s); }
WB_DEVICE int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
WB_DEVICE unsigned __umulhi(unsigned a, unsigned b) { return __nvvm_mulhi_ui(a, b); }
WB_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return __nvvm_mulhi_ull(a, b);
}
WB_DEVICE int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
WB_DEVICE unsigned __umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
WB_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
WB_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
template <typename T> WB_DEVICE T __ldg(const T *address) { return *address; }

#define WB_MIN_MAX(T)                                                                                   \
    WB_DEVICE T min(T a, T b) { return b < a ? b : a; }                                                 \
    WB_DEVICE T max(T a, T b) { return a < b ? b : a; }
WB_MIN_MAX(int)
WB_MIN_MAX(unsigned)
WB_MIN_MAX(long)
WB_MIN_MAX(unsigned long)
WB_MIN_MAX(long long)
WB_MIN_MAX(unsigned long long)
#undef WB_MIN_MAX
WB_DEVICE int abs(int x) { return x < 0 ? -x : x; }
WB_DEVICE long labs(long x) { return x < 0 ? -x : x; }

WB_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
WB_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
WB_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
WB_DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
WB_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
WB_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

#include "warpbeam_device_launch.h"
#include "warpbeam_device_sync.h"
#include "warpbeam_device_wave.h"
#include "warpbeam_device_channels.h"
#include "warpbeam_device_network.h"
#include "warpbeam_device_math.h"

#endif
#endif

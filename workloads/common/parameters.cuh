/* The parameters of a kernel that a kernel launches, laid out in their buffer as in a structure. */
#ifndef WORKLOADS_PARAMETERS_CUH
#define WORKLOADS_PARAMETERS_CUH

#include "warpbeam_device.h"

/* Bytes that parameters of these types take, and where they go. */
template <typename First> __device__ constexpr size_t parameter_end(size_t at)
{
    return (at + alignof(First) - 1) / alignof(First) * alignof(First) + sizeof(First);
}
template <typename First, typename Second, typename... Rest>
__device__ constexpr size_t parameter_end(size_t at)
{
    return parameter_end<Second, Rest...>(parameter_end<First>(at));
}

template <typename First> __device__ __forceinline__ void put_parameters(char *to, size_t at, First first)
{
    *(First *)(to + parameter_end<First>(at) - sizeof(First)) = first;
}
template <typename First, typename Second, typename... Rest>
__device__ __forceinline__ void put_parameters(char *to, size_t at, First first, Second second, Rest... rest)
{
    put_parameters(to, at, first);
    put_parameters(to, parameter_end<First>(at), second, rest...);
}

#endif

/* What every program of this folder needs to check itself. A failed CHECK prints its place and the program
 * goes on; a CUDA call that fails unexpectedly ends it. check_result() prints PASS, or how many checks
 * failed, and is main's result. */
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

static int check_failures;

static inline void check_failed(const char *file, int line, const char *what)
{
    if (++check_failures <= 10)
        printf("%s:%d: wrong: %s\n", file, line, what);
}

template <typename A, typename B>
static void check_equal(const char *file, int line, const char *what, A actual, B expected)
{
    if (actual == expected)
        return;
    char text[512];
    snprintf(text, sizeof text, "%s is %.17g, not %.17g", what, (double)actual, (double)expected);
    check_failed(file, line, text);
}

static inline void check_cuda(const char *file, int line, const char *call, cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    printf("%s:%d: %s returned %s: %s\n", file, line, call, cudaGetErrorName(error),
           cudaGetErrorString(error));
    exit(1);
}

static inline void check_cuda_fails(const char *file, int line, const char *call, cudaError_t error,
                                    cudaError_t expected)
{
    if (error == expected)
        return;
    char text[512];
    snprintf(text, sizeof text, "%s returned %s, not %s", call, cudaGetErrorName(error),
             cudaGetErrorName(expected));
    check_failed(file, line, text);
}

static inline void check_refused(const char *file, int line, cudaError_t error)
{
    if (error != cudaErrorInvalidValue)
        check_cuda_fails(file, line, "launch", error, cudaErrorInvalidConfiguration);
}

#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))
#define CHECK_EQUAL(actual, expected) check_equal(__FILE__, __LINE__, #actual, actual, expected)
#define CUDA(call) check_cuda(__FILE__, __LINE__, #call, call)
/* The call must fail with this error; the thread's last error is forgotten. */
#define CUDA_FAILS(expected, call)                                                                           \
    (check_cuda_fails(__FILE__, __LINE__, #call, call, expected), (void)cudaGetLastError())
/* The launch before must fail with this error. */
#define LAUNCH_FAILS(expected) check_cuda_fails(__FILE__, __LINE__, "launch", cudaGetLastError(), expected)
/* Bad dimensions: the documented error, or the one of CUDA 13. */
#define LAUNCH_IS_REFUSED() check_refused(__FILE__, __LINE__, cudaGetLastError())

static inline int check_result()
{
    if (check_failures)
        printf("%d checks failed\n", check_failures);
    else
        printf("PASS\n");
    return check_failures != 0;
}

/* Durations mean something: on a GPU, and simulated unless only functionally. */
static inline bool time_passes()
{
    const char *functional = getenv("WARPBEAM_FUNCTIONAL");
    return !functional || strcmp(functional, "1") != 0;
}

/* Whether this runs on Warpbeam, where destroyed handles are errors; CUDA leaves open what they do. */
static inline bool simulated() { return getenv("WARPBEAM_GPU") != nullptr; }

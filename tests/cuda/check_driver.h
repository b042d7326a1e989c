/* check.h for programs that use the driver API. */
#pragma once

#include <cuda.h>

#include "check.h"

static inline const char *driver_error_name(CUresult result)
{
    const char *name = nullptr;
    return cuGetErrorName(result, &name) == CUDA_SUCCESS && name ? name : "an unknown error";
}

static inline void check_driver(const char *file, int line, const char *call, CUresult result)
{
    if (result == CUDA_SUCCESS)
        return;
    printf("%s:%d: %s returned %s\n", file, line, call, driver_error_name(result));
    exit(1);
}

static inline void check_driver_fails(const char *file, int line, const char *call, CUresult result,
                                      CUresult expected)
{
    if (result == expected)
        return;
    char text[512];
    snprintf(text, sizeof text, "%s returned %s, not %s", call, driver_error_name(result),
             driver_error_name(expected));
    check_failed(file, line, text);
}

#define CU(call) check_driver(__FILE__, __LINE__, #call, call)
#define CU_FAILS(expected, call) check_driver_fails(__FILE__, __LINE__, #call, call, expected)

/* A context on the first device, current in this thread. */
static inline CUcontext driver_context()
{
    CUdevice device;
    CUcontext context;
    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CU(cuCtxCreate(&context, nullptr, 0, device));
    return context;
}

/* The file that build.sh made beside the program: its path with this ending. */
static inline const char *beside_program(const char *program, const char *ending)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s%s", program, ending);
    return path;
}

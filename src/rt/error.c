/* The table of CUDA's errors. */
#include "rt/rt.h"

static const RtErrorRow rows[] = {
    {RT_SUCCESS, "cudaSuccess", "CUDA_SUCCESS", "no error"},
#define ERROR(identifier, number, runtime_name, driver_name, text)                                           \
    {RT_##identifier, runtime_name, driver_name, text},
#include "rt/error.def"
#undef ERROR
};

const RtErrorRow *rt_error_row(int number)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if ((int)rows[i].error == number)
            return &rows[i];
    }
    return NULL;
}

/* Runs that are cut off are the same for any threads and windows: cut_runs.h. */
#include "cut_runs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!cut_run_agrees(data, size < 256 ? size : 256))
        abort();
    return 0;
}

/* Feeds any bytes to the readers of fat binaries and cubins. They must not read beyond them, must not leak, and
 * must explain every refusal of a fat binary. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "rt/cubin.h"
#include "rt/fatbin.h"

#define MUST(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FatbinText text;
    FatbinCode code;
    CubinKernels kernels;
    Error error = {0};
    const FatbinResult result = fatbin_ptx(data, size, 90, &text, &error);
    if (result == FATBIN_OK) {
        MUST(error.status == WB_OK && strlen(text.text) == text.length);
        xfree(text.text);
    } else {
        MUST(result == FATBIN_EMPTY || error.text[0]);
    }
    if (fatbin_machine_code(data, size, 90, &code)) {
        cubin_read(code.bytes, code.size, code.is_older, &kernels);
        VEC_FREE(&kernels);
        xfree(code.bytes);
    }
    cubin_read(data, size, false, &kernels);
    VEC_FREE(&kernels);
    return 0;
}

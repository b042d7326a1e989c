/* Fat binaries: what nvcc puts a program's device code into, several times over, once for each kind of GPU.
 *
 * A wrapper, which the program registers, points to a fat binary; with -rdc=true also to those of all
 * object files that were linked, since only they hold PTX. A fat binary is a header and entries, each the
 * code for one architecture: PTX (plain, LZ4 or zstd), machine code or the compiler's intermediate form.
 * PTX is what runs here; machine code only says how many registers it has (cubin.h). */
#ifndef RT_FATBIN_H
#define RT_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { FATBIN_MAGIC = (int)0xBA55ED50, FATBIN_WRAPPER_MAGIC = 0x466243B1 };

/* Layout of what __cudaRegisterFatBinary gets. */
typedef struct FatbinWrapper {
    uint32_t magic;
    uint32_t version;
    const void *data;            /* a fat binary */
    const void *linked;          /* version 2: a list of fat binaries, ended by a null pointer; may be null */
} FatbinWrapper;

typedef struct FatbinText {
    char *text;                  /* owned (xfree); a zero byte follows */
    size_t length;
    uint32_t arch;               /* 75 for compute_75 */
} FatbinText;

typedef enum FatbinResult {
    FATBIN_OK,
    FATBIN_EMPTY,                /* no entry at all */
    FATBIN_NO_PTX,               /* entries, but none of PTX: the sentence says which nvcc flag to add */
    FATBIN_BROKEN                /* the sentence says what */
} FatbinResult;

/* The PTX that suits a GPU best: of the highest architecture not above the compute capability, otherwise of
 * the lowest. Nothing beyond the size that the fat binary states is read, nor beyond `limit` bytes, of which
 * the memory has so many. */
FatbinResult fatbin_ptx(const void *image, size_t limit, uint32_t compute_capability, FatbinText *text,
                        Error *error);

typedef struct FatbinCode {
    uint8_t *bytes;              /* owned (xfree) */
    size_t size;
    uint32_t arch;               /* 90 for sm_90 */
    bool is_older;               /* for a GPU whose register counts are only so near to the GPU's own */
} FatbinCode;

/* The cubin that a driver would load on the GPU: of its major number, with a minor one that is not higher. If
 * there is none, so that the driver compiles PTX, the one whose register counts are the nearest to those of
 * that: docs/NATIVE.md. False: none is of use, or it is damaged. */
bool fatbin_machine_code(const void *image, size_t limit, uint32_t compute_capability, FatbinCode *code);

#endif

/* Packs a recording for the tree: cuts forms to a number of vectors and compresses with zstd.
 *
 *     pack RECORDING OUTPUT [VECTORS] */
#include "../golden_file.h"
#include "../kernel.h"
#include "base/alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Appends one form with its columns cut to `vectors`; returns the bytes written. */
static size_t append_form(uint8_t *out, const Form *form, const RecordHeader *header, const uint8_t *outputs,
                          unsigned vectors)
{
    KernelValue values[KERNEL_VALUES];
    const unsigned count = kernel_values(form->spec.outputs, values);
    const RecordHeader cut = {header->key, vectors, vectors * kernel_output_bytes(form)};
    memcpy(out, &cut, sizeof cut);
    for (unsigned k = 0; k < count; k++)
        memcpy(out + sizeof cut + (size_t)values[k].before * vectors,
               outputs + (size_t)values[k].before * header->vectors, (size_t)values[k].bytes * vectors);
    return sizeof cut + cut.bytes;
}

static bool write_compressed(const char *path, const uint8_t *plain, size_t size)
{
    const size_t room = ZSTD_compressBound(size);
    uint8_t *packed = xmalloc(room);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 22);
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 25);
    const size_t got = ZSTD_compress2(context, packed, room, plain, size);
    ZSTD_freeCCtx(context);
    FILE *out = ZSTD_isError(got) ? NULL : fopen(path, "wb");
    const bool written = out && fwrite(packed, 1, got, out) == got && fclose(out) == 0;
    printf("%zu bytes packed to %zu\n", size, got);
    xfree(packed);
    return written;
}

int main(int argc, char **argv)
{
    GoldenFile golden;
    if (argc < 3 || !golden_read(&golden, argv[1])) {
        fprintf(stderr, "usage: pack RECORDING OUTPUT [VECTORS]\n");
        return 1;
    }
    const unsigned limit = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : UINT32_MAX;
    FormList list;
    forms_build(&list);
    uint8_t *plain = xmalloc(golden.size + 1);
    size_t size = 0;
    for (uint32_t k = 0; k < list.count; k++) {
        RecordHeader header;
        const uint8_t *outputs = golden_find(&golden, &list.items[k], &header);
        if (outputs)
            size += append_form(plain + size, &list.items[k], &header, outputs,
                                header.vectors < limit ? header.vectors : limit);
        else
            fprintf(stderr, "not recorded: %s\n", list.items[k].spec.body);
    }
    const bool written = write_compressed(argv[2], plain, size);
    xfree(plain);
    forms_free(&list);
    golden_free(&golden);
    return written ? 0 : 1;
}

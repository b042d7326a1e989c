/* Reads recordings. */
#include "golden_file.h"
#include "base/alloc.h"
#include <stdio.h>
#include <string.h>
#include <zstd.h>

static uint8_t *read_all(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return NULL;
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    uint8_t *data = xmalloc(*size + 1);
    const size_t got = fread(data, 1, *size, in);
    fclose(in);
    if (got == *size)
        return data;
    xfree(data);
    return NULL;
}

/* Replaces compressed bytes by what they hold; plain ones stay. */
static bool expand(GoldenFile *file)
{
    const unsigned long long size = ZSTD_getFrameContentSize(file->data, file->size);
    if (size == ZSTD_CONTENTSIZE_ERROR)
        return true;
    if (size == ZSTD_CONTENTSIZE_UNKNOWN)
        return false;
    uint8_t *plain = xmalloc((size_t)size + 1);
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 27);
    const size_t got = ZSTD_decompressDCtx(context, plain, (size_t)size, file->data, file->size);
    ZSTD_freeDCtx(context);
    xfree(file->data);
    file->data = plain;
    file->size = (size_t)size;
    return !ZSTD_isError(got);
}

static bool index_records(GoldenFile *file)
{
    for (size_t at = 0; at < file->size;) {
        RecordHeader header;
        if (file->size - at < sizeof header)
            return false;
        memcpy(&header, file->data + at, sizeof header);
        if (file->size - at - sizeof header < header.bytes)
            return false;
        map_put(&file->offsets, (const char *)file->data + at, sizeof header.key, (uint32_t)at);
        at += sizeof header + header.bytes;
    }
    return true;
}

bool golden_read(GoldenFile *file, const char *path)
{
    *file = (GoldenFile){0};
    file->data = read_all(path, &file->size);
    if (!file->data) {
        fprintf(stderr, "The recording '%s' cannot be read.\n", path);
        return false;
    }
    if (expand(file) && index_records(file))
        return true;
    fprintf(stderr, "The recording '%s' is damaged; record it again (tests/isa/record).\n", path);
    golden_free(file);
    return false;
}

const uint8_t *golden_find(const GoldenFile *file, const Form *form, RecordHeader *header)
{
    uint32_t offset;
    if (!map_get(&file->offsets, (const char *)&form->key, sizeof form->key, &offset))
        return NULL;
    memcpy(header, file->data + offset, sizeof *header);
    return file->data + offset + sizeof *header;
}

void golden_free(GoldenFile *file)
{
    map_free(&file->offsets);
    xfree(file->data);
    *file = (GoldenFile){0};
}

/* Makes fat binaries as nvcc writes them, for tests. */
#ifndef TESTS_FATBIN_IMAGE_H
#define TESTS_FATBIN_IMAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <lz4.h>
#include <zstd.h>

enum { PTX = 1, ELF = 2, PLAIN = 0x11, LZ4 = 0x2011, ZSTD = 0x8011 };

/* A fat binary under construction. Fields of entries are at fixed places behind `entry`. */
typedef struct Image {
    uint8_t bytes[8192];
    size_t size;
    size_t entry; /* where the last entry begins */
} Image;
enum { AT_HEADER = 4, AT_STORED = 8, AT_PACKED = 16, AT_UNPACKED = 56, ENTRY_BYTES = 64, OPTION_BYTES = 16 };

static inline void put(Image *image, size_t at, uint64_t value, unsigned bytes)
{
    assert_true(at + bytes <= sizeof image->bytes);
    memcpy(image->bytes + at, &value, bytes);
}

static inline Image new_image(void)
{
    Image image = {.size = 16};
    put(&image, 0, 0xBA55ED50, 4);
    put(&image, 4, 1, 2);
    put(&image, 6, 16, 2);
    return image;
}

static inline size_t pack(uint32_t flags, const void *bytes, size_t length, uint8_t *to, size_t room)
{
    if (flags == LZ4)
        return (size_t)LZ4_compress_default(bytes, (char *)to, (int)length, (int)room);
    if (flags == ZSTD)
        return ZSTD_compress(to, room, bytes, length, 3);
    assert_true(length <= room);
    memcpy(to, bytes, length);
    return length;
}

static inline void add_bytes(Image *image, unsigned kind, unsigned arch, uint32_t flags, const void *bytes,
                             size_t length)
{
    const size_t at = image->entry = image->size, code = at + ENTRY_BYTES + OPTION_BYTES;
    const size_t packed = pack(flags, bytes, length, image->bytes + code, sizeof image->bytes - code);
    const size_t stored = (packed + 8) / 8 * 8;
    put(image, at, kind, 2);
    put(image, at + 2, 0x101, 2);
    put(image, at + AT_HEADER, ENTRY_BYTES + OPTION_BYTES, 4);
    put(image, at + AT_STORED, stored, 8);
    put(image, at + AT_PACKED, flags == PLAIN ? 0 : packed, 4);
    put(image, at + 28, arch, 4);
    put(image, at + 40, flags, 8);
    put(image, at + AT_UNPACKED, flags == PLAIN ? 0 : length, 8);
    image->size = code + stored;
    put(image, 8, image->size - 16, 8);
}

static inline void add_entry(Image *image, unsigned kind, unsigned arch, uint32_t flags, const char *text)
{
    add_bytes(image, kind, arch, flags, text, strlen(text));
}

#endif

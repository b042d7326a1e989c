/* Damages fat binaries as a program registers them: a right one, of which the input says what is changed. It
 * lies at the end of mapped memory, with nothing behind it. Each must be read or refused with a sentence. */
#include <lz4.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zstd.h>

#include "../rt/cubin_image.h"
#include "rt/fatbin.h"
#include "rt/module.h"

#define MUST(condition) ((condition) ? (void)0 : abort())

enum { ROOM = 1 << 16, HEADER_BYTES = 16, ENTRY_BYTES = 64 };
enum { PTX = 1, ELF = 2, LZ4 = 0x2011, ZSTD = 0x8011, PLAIN = 0x11 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char text[] = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k () { ret; }\n";

/* A fat binary with a text in each of its forms, and machine code. */
static size_t make(uint8_t *to)
{
    static const struct { uint16_t kind; uint64_t flags; uint32_t arch; } entries[] = {
        {PTX, PLAIN, 75}, {PTX, LZ4, 80}, {ELF, PLAIN, 90}, {PTX, ZSTD, 90}};
    size_t end = HEADER_BYTES;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        uint8_t *entry = to + end, *code = entry + ENTRY_BYTES;
        const CubinKernelMade kernel = {"k", 20, 64};
        const CubinImage cubin = new_cubin(&kernel, 1);
        size_t packed = sizeof text - 1;
        if (entries[i].kind == ELF)
            memcpy(code, &cubin, packed = sizeof cubin);
        else if (entries[i].flags == LZ4)
            packed = (size_t)LZ4_compress_default(text, (char *)code, (int)packed, 1024);
        else if (entries[i].flags == ZSTD)
            packed = ZSTD_compress(code, 1024, text, packed, 3);
        else
            memcpy(code, text, packed);
        const uint64_t stored = (packed + 8) / 8 * 8, unpacked = sizeof text - 1;
        const uint32_t header = ENTRY_BYTES, packed_bytes = entries[i].flags == PLAIN ? 0 : (uint32_t)packed;
        memcpy(entry, &entries[i].kind, 2);
        memcpy(entry + 4, &header, 4);
        memcpy(entry + 8, &stored, 8);
        memcpy(entry + 16, &packed_bytes, 4);
        memcpy(entry + 28, &entries[i].arch, 4);
        memcpy(entry + 40, &entries[i].flags, 8);
        memcpy(entry + 56, &unpacked, 8);
        end += ENTRY_BYTES + stored;
    }
    const uint64_t bytes = end - HEADER_BYTES, head = 0x0010000100000000u | 0xBA55ED50u;
    memcpy(to, &head, 8);
    memcpy(to + 8, &bytes, 8);
    return end;
}

/* Three bytes of input make a change: where, and by what the byte is changed. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t *pages;
    if (!pages) {
        setenv("WARPBEAM_FUNCTIONAL", "1", 1);
        MUST(freopen("/dev/null", "w", stderr)); /* of a finding, the fuzzer writes its input to a file */
        pages = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MUST(pages != MAP_FAILED && mprotect(pages + ROOM, ROOM, PROT_NONE) == 0);
    }
    uint8_t image[8192];
    memset(image, 0, sizeof image);
    const size_t length = make(image);
    for (size_t i = 0; i + 3 <= size; i += 3)
        image[(data[i] | (size_t)data[i + 1] << 8) % length] ^= data[i + 2];
    const FatbinWrapper wrapper = {.magic = (uint32_t)FATBIN_WRAPPER_MAGIC,
                                   .version = 1,
                                   .data = memcpy(pages + ROOM - length, image, length)};
    RtModule *module = NULL;
    MUST(rt_enter("fuzzer") == RT_SUCCESS);
    MUST(rt_module_register(&wrapper, &module) == RT_SUCCESS);
    if (rt_module_ready(module))
        MUST(*rt_sentence());
    rt_module_unload(module);
    rt_leave();
    return 0;
}

/* Takes a fat binary apart. Every number in it is taken for a claim, and checked before it is used. */
#include "rt/fatbin.h"

#include <lz4.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"

/* Layout of the header. */
typedef struct Header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* of all entries */
} Header;

/* Layout of an entry's header. */
typedef struct Entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t stored_bytes; /* with the padding at its end */
    uint32_t packed_bytes; /* without it; of packed code only */
    uint32_t options;
    uint16_t minor, major;
    uint32_t arch;
    uint32_t name, name_bytes;
    uint64_t flags;
    uint64_t reserved;
    uint64_t unpacked_bytes; /* of packed code only */
} Entry;
_Static_assert(sizeof(Header) == 16 && sizeof(Entry) == 64, "as nvcc writes them");

enum { KIND_PTX = 1, KIND_MACHINE_CODE = 2 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, FLAG_ONE_ARCH = 0x100000, FLAG_FAMILY = 0x200000 };
enum { LARGEST_CODE = 1 << 30 };
enum { TURING = 75, AMPERE = 80 };

typedef struct Reader {
    const uint8_t *at, *end;
    Error *error;
} Reader;

static FatbinResult broken(Reader *reader, const char *what)
{
    error_set(reader->error, WB_ERROR_ARGUMENT, "The fat binary is damaged: %s.", what);
    return FATBIN_BROKEN;
}

static FatbinResult read_header(Reader *reader, const void *image, size_t limit)
{
    Header header;
    if (limit < sizeof header)
        return broken(reader, "it is shorter than its header");
    memcpy(&header, image, sizeof header);
    if (header.magic != (uint32_t)FATBIN_MAGIC)
        return broken(reader, "it does not begin with its magic number");
    if (header.header_bytes < sizeof header || header.header_bytes > limit)
        return broken(reader, "its header has an impossible size");
    if (header.bytes > limit - header.header_bytes || header.bytes > (uint64_t)PTRDIFF_MAX)
        return broken(reader, "it is shorter than its header says");
    reader->at = (const uint8_t *)image + header.header_bytes;
    reader->end = reader->at + header.bytes;
    return FATBIN_OK;
}

/* The next entry, with its code behind *code; FATBIN_EMPTY at the end. */
static FatbinResult next_entry(Reader *reader, Entry *entry, const uint8_t **code)
{
    const uint64_t left = (uint64_t)(reader->end - reader->at);
    if (left == 0)
        return FATBIN_EMPTY;
    if (left < sizeof *entry)
        return broken(reader, "an entry is cut off");
    memcpy(entry, reader->at, sizeof *entry);
    if (entry->header_bytes < sizeof *entry || entry->header_bytes > left)
        return broken(reader, "an entry's header has an impossible size");
    if (entry->stored_bytes > left - entry->header_bytes)
        return broken(reader, "an entry is longer than what is left");
    if (entry->packed_bytes > entry->stored_bytes)
        return broken(reader, "an entry's compressed size is larger than its room");
    *code = reader->at + entry->header_bytes;
    reader->at = *code + entry->stored_bytes;
    return FATBIN_OK;
}

/* The entry's code, unpacked, with a zero byte behind it. */
static FatbinResult unpack(Reader *reader, const Entry *entry, const uint8_t *code, FatbinCode *unpacked)
{
    const bool is_packed = entry->flags & (FLAG_LZ4 | FLAG_ZSTD);
    const uint64_t bytes = is_packed ? entry->unpacked_bytes : entry->stored_bytes;
    if (bytes >= LARGEST_CODE || entry->packed_bytes >= LARGEST_CODE)
        return broken(reader, "an entry of it has more than 1 GiB");
    if (entry->flags & FLAG_LZ4 && bytes / 256 > entry->packed_bytes) /* before memory is spent on it */
        return broken(reader, "an entry of it cannot have been packed that well");
    uint8_t *to = xmalloc(bytes + 1);
    size_t got = bytes;
    if (entry->flags & FLAG_ZSTD)
        got = ZSTD_decompress(to, bytes, code, entry->packed_bytes);
    else if (entry->flags & FLAG_LZ4)
        got = (size_t)(int64_t)LZ4_decompress_safe((const char *)code, (char *)to, (int)entry->packed_bytes,
                                                   (int)bytes);
    else
        memcpy(to, code, bytes);
    if (got != bytes) {
        xfree(to);
        return broken(reader, entry->flags & FLAG_ZSTD ? "its zstd data cannot be unpacked"
                                                       : "its LZ4 data cannot be unpacked");
    }
    to[bytes] = '\0';
    *unpacked = (FatbinCode){.bytes = to, .size = bytes, .arch = entry->arch};
    return FATBIN_OK;
}

static FatbinResult unpack_text(Reader *reader, const Entry *entry, const uint8_t *code, FatbinText *text)
{
    FatbinCode unpacked;
    const FatbinResult result = unpack(reader, entry, code, &unpacked);
    char *start = (char *)unpacked.bytes;
    if (result == FATBIN_OK)
        *text = (FatbinText){start, strlen(start), entry->arch}; /* zero bytes pad it */
    return result;
}

/* Whether the entry suits the GPU better than the best so far. PTX for one architecture or family only may
 * use instructions that others do not have. */
static bool is_better(const Entry *entry, const Entry *best, uint32_t capability)
{
    if (entry->arch == best->arch)
        return (best->flags & (FLAG_ONE_ARCH | FLAG_FAMILY)) > (entry->flags & (FLAG_ONE_ARCH | FLAG_FAMILY));
    const bool fits = entry->arch <= capability, best_fits = best->arch <= capability;
    if (fits != best_fits)
        return fits;
    return fits ? entry->arch > best->arch : entry->arch < best->arch;
}

static FatbinResult tell_no_ptx(Reader *reader, uint32_t lowest_arch)
{
    error_set(
        reader->error, WB_ERROR_NOT_FOUND,
        "The program holds machine code for sm_%u but no PTX, which is what is simulated. Build it with nvcc "
        "-gencode arch=compute_%u,code=compute_%u.",
        lowest_arch, lowest_arch, lowest_arch);
    return FATBIN_NO_PTX;
}

FatbinResult fatbin_ptx(const void *image, size_t limit, uint32_t compute_capability, FatbinText *text,
                        Error *error)
{
    Reader reader = {.error = error};
    Entry entry, best = {0};
    const uint8_t *code, *best_code = NULL;
    uint32_t lowest_arch = UINT32_MAX;
    FatbinResult result = read_header(&reader, image, limit);
    if (result != FATBIN_OK)
        return result;
    while ((result = next_entry(&reader, &entry, &code)) == FATBIN_OK) {
        lowest_arch = entry.arch < lowest_arch ? entry.arch : lowest_arch;
        if (entry.kind == KIND_PTX && (!best_code || is_better(&entry, &best, compute_capability))) {
            best = entry;
            best_code = code;
        }
    }
    if (result == FATBIN_BROKEN)
        return result;
    if (best_code)
        return unpack_text(&reader, &best, best_code, text);
    return lowest_arch == UINT32_MAX ? FATBIN_EMPTY : tell_no_ptx(&reader, lowest_arch);
}

/* Would a driver load the entry on the GPU? */
static bool runs_on(const Entry *entry, uint32_t capability)
{
    if (entry->flags & FLAG_ONE_ARCH)
        return entry->arch == capability;
    return entry->arch / 10 == capability / 10 && entry->arch <= capability;
}

/* How near the entry's register counts are to those on the GPU. From Ampere on, they are near for any two
 * GPUs; those of Turing are the least that a newer one has. */
typedef enum Nearness { NEAR_NOT, NEAR_OLDER, NEAR_ALIKE, NEAR_SAME } Nearness;

static Nearness nearness(const Entry *entry, uint32_t capability)
{
    if (entry->kind != KIND_MACHINE_CODE)
        return NEAR_NOT;
    if (runs_on(entry, capability))
        return NEAR_SAME;
    if (capability < AMPERE || entry->arch < TURING)
        return NEAR_NOT;
    return entry->arch < AMPERE ? NEAR_OLDER : NEAR_ALIKE;
}

bool fatbin_machine_code(const void *image, size_t limit, uint32_t compute_capability, FatbinCode *code)
{
    Error error = {0};
    Reader reader = {.error = &error};
    Entry entry, best = {0};
    const uint8_t *at, *best_at = NULL;
    Nearness nearest = NEAR_NOT;
    if (read_header(&reader, image, limit) != FATBIN_OK)
        return false;
    while (next_entry(&reader, &entry, &at) == FATBIN_OK) {
        const Nearness near = nearness(&entry, compute_capability);
        if (near > nearest || (near && near == nearest && is_better(&entry, &best, compute_capability))) {
            best = entry;
            best_at = at;
            nearest = near;
        }
    }
    if (!best_at || unpack(&reader, &best, best_at, code) != FATBIN_OK)
        return false;
    code->is_older = nearest == NEAR_OLDER;
    return true;
}

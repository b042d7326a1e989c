/* A handle names a process, its files and a number that tells whether they are still the same. */
#include "rt/ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "rt/graph.h"
#include "rt/memory.h"

enum { DEVICE_BIT = 3, FILE_DESCRIPTOR = 1, MAGIC = 0x57426970, HOST_PAGE = 4096 };
typedef enum ExportedKind { EXPORTED_MEMORY = 1, EXPORTED_POINTER, EXPORTED_EVENT } ExportedKind;

/* What is in a handle. Files are those of the process; `number` of the first one tells whether it still
 * is. */
typedef struct Contents {
    uint32_t magic;
    int32_t process;
    uint8_t kind_and_device; /* ExportedKind; from DEVICE_BIT on which of the processes' devices has it */
    uint8_t count;
    uint16_t offset; /* of the allocation in the first piece */
    struct {
        int32_t file;
        uint32_t first, pages;
    } pieces[WB_SHARED_PIECES];
    uint32_t number;
    uint64_t size;
} Contents;
_Static_assert(sizeof(Contents) == sizeof(RtExported), "as CUDA has it");

static uint8_t join(unsigned kind, unsigned device) { return (uint8_t)(kind | device << DEVICE_BIT); }

static ExportedKind kind_of(const Contents *contents)
{
    return (ExportedKind)(contents->kind_and_device & ((1 << DEVICE_BIT) - 1));
}

/* Memory of another process. */
typedef struct Import {
    RtExported handle;
    uint64_t address;
    uint8_t *pages;
    size_t page_bytes;
    unsigned opened;
} Import;
static VEC(Import) imports;

/* -- handles -- */

static uint32_t number_of(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 ? (uint32_t)status.st_ino : 0;
}

static RtError unknown_handle(void)
{
    return rt_fail(RT_INVALID_VALUE,
                   "The handle is none that another process of the run has made, or that process has ended.");
}

static int open_piece(const Contents *contents, unsigned piece)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", contents->process, contents->pieces[piece].file);
    const int file = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    /* The other process may have closed it and opened something else under the same number. */
    if (file >= 0 && piece == 0 && number_of(file) != contents->number) {
        close(file);
        return -1;
    }
    return file;
}

static RtError read_handle(const RtExported *handle, ExportedKind kind, Contents *contents)
{
    memcpy(contents, handle, sizeof *contents);
    if (contents->magic != MAGIC || kind_of(contents) != kind || contents->count < 1 ||
        contents->count > WB_SHARED_PIECES)
        return unknown_handle();
    /* CUDA refuses it: a process has the pointer itself. */
    if (contents->process == getpid())
        return rt_fail(
            RT_DEVICE_UNINITIALIZED,
            "The handle was made by this process; it is for others, and here there is what it stands for.");
    return RT_SUCCESS;
}

/* -- memory -- */

static RtError share(const RtAllocation *allocation, ExportedKind kind, RtExported *handle)
{
    WbSharedPiece pieces[WB_SHARED_PIECES];
    size_t count = 0;
    uint64_t offset = 0;
    RtError error = RT_ON(allocation->device, rt_check(wb_memory_share(rt_gpu(), allocation->base, pieces,
                                                                       &count, &offset)));
    if (error)
        return error;
    Contents contents = {.magic = MAGIC,
                         .process = getpid(),
                         .kind_and_device = join((unsigned)kind, (unsigned)allocation->device),
                         .count = (uint8_t)count,
                         .offset = (uint16_t)offset,
                         .number = number_of(pieces[0].file),
                         .size = allocation->size};
    for (size_t i = 0; i < count; i++) {
        contents.pieces[i].file = pieces[i].file;
        contents.pieces[i].first = (uint32_t)(pieces[i].offset / HOST_PAGE);
        contents.pieces[i].pages = (uint32_t)(pieces[i].size / HOST_PAGE);
    }
    memcpy(handle, &contents, sizeof contents);
    return RT_SUCCESS;
}

RtError rt_ipc_export(uint64_t address, RtExported *handle)
{
    const RtAllocation *allocation = rt_allocation_find(address);
    if (!allocation || allocation->kind != RT_DEVICE_MEMORY)
        return rt_fail(RT_INVALID_VALUE, "0x%llx is not in memory of cudaMalloc, which alone has handles.",
                       (unsigned long long)address);
    RtError error = rt_capture_forbids_unsafe();
    return error ? error : share(allocation, EXPORTED_MEMORY, handle);
}

static bool map_pieces(const Contents *contents, uint8_t *to)
{
    for (unsigned i = 0; i < contents->count; i++) {
        const size_t size = (size_t)contents->pieces[i].pages * HOST_PAGE;
        const int file = open_piece(contents, i);
        if (file < 0)
            return false;
        const void *mapped = mmap(to, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                                  (off_t)contents->pieces[i].first * HOST_PAGE);
        close(file);
        if (mapped == MAP_FAILED)
            return false;
        to += size;
    }
    return true;
}

/* A place of its own for all pieces, side by side. */
static RtError import(const Contents *contents, Import *made)
{
    made->page_bytes = 0;
    for (unsigned i = 0; i < contents->count; i++)
        made->page_bytes += (size_t)contents->pieces[i].pages * HOST_PAGE;
    if (contents->offset >= HOST_PAGE || contents->size == 0 || made->page_bytes < contents->offset ||
        contents->size > made->page_bytes - contents->offset)
        return unknown_handle();
    made->pages = mmap(NULL, made->page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made->pages == MAP_FAILED)
        return rt_fail(RT_MEMORY_ALLOCATION, "The host gives no addresses for the memory: %s.",
                       strerror(errno));
    RtError error = map_pieces(contents, made->pages) ? RT_SUCCESS : unknown_handle();
    made->address = (uint64_t)(uintptr_t)made->pages + contents->offset;
    if (!error)
        error = rt_check(wb_host_register(rt_gpu(), (void *)(uintptr_t)made->address, contents->size));
    if (!error)
        error = rt_check(wb_memory_settle(rt_gpu(), (void *)(uintptr_t)made->address));
    if (error)
        munmap(made->pages, made->page_bytes);
    else
        rt_allocation_add(
            (RtAllocation){.base = made->address, .size = contents->size, .kind = RT_IMPORTED_MEMORY});
    return error;
}

static RtError open_memory(const RtExported *handle, ExportedKind kind, uint64_t *address)
{
    Contents contents;
    Import made = {.handle = *handle, .opened = 1};
    RtError error = read_handle(handle, kind, &contents);
    for (uint32_t i = 0; i < imports.count && !error; i++) {
        if (memcmp(&imports.items[i].handle, handle, sizeof *handle) == 0) {
            imports.items[i].opened++;
            *address = imports.items[i].address;
            return RT_SUCCESS;
        }
    }
    if (error)
        return error;
    /* Processes of one run have the same devices; one that has fewer sees the memory as its own. */
    const int there = contents.kind_and_device >> DEVICE_BIT;
    const int device = there < rt_device_count() ? there : rt_device();
    error = RT_ON(device, import(&contents, &made));
    if (error)
        return error;
    VEC_PUSH(&imports, made);
    *address = made.address;
    return RT_SUCCESS;
}

RtError rt_ipc_open(const RtExported *handle, uint64_t *address)
{
    return open_memory(handle, EXPORTED_MEMORY, address);
}

bool rt_ipc_is_pointer(uint64_t address)
{
    for (uint32_t i = 0; i < imports.count; i++) {
        if (imports.items[i].address == address)
            return kind_of((const Contents *)(const void *)&imports.items[i].handle) == EXPORTED_POINTER;
    }
    return false;
}

RtError rt_ipc_close(uint64_t address)
{
    uint32_t i = 0;
    while (i < imports.count && imports.items[i].address != address)
        i++;
    if (i == imports.count)
        return rt_fail(RT_INVALID_VALUE, "0x%llx is no memory of another process that is open.",
                       (unsigned long long)address);
    /* CUDA counts: as many closes as opens. */
    if (--imports.items[i].opened)
        return RT_SUCCESS;
    const Import gone = imports.items[i];
    imports.items[i] = imports.items[--imports.count];
    const int device = rt_allocation_find(address)->device;
    RtError error = rt_wait_to_free_host();
    rt_allocation_remove(address);
    if (!error)
        error = RT_ON(device, rt_check(wb_host_unregister(rt_gpu(), (void *)(uintptr_t)address)));
    munmap(gone.pages, gone.page_bytes);
    return error;
}

/* -- pools -- */

/* The pool of the other process is not needed for its memory; its descriptor is a mark of it. */
static const char pool_mark[] = "warpbeam pool";

RtError rt_pool_export(RtPool *pool, int handle_type, uint64_t flags, int *file)
{
    if (flags)
        return rt_fail(RT_INVALID_VALUE, "The flags must be 0.");
    if (handle_type != FILE_DESCRIPTOR || !rt_pool_is_shareable(pool))
        return rt_fail(
            RT_INVALID_VALUE,
            "The pool cannot be exported as type %d: it must have been created for file descriptors (1).",
            handle_type);
    *file = memfd_create(pool_mark, 0);
    if (*file < 0 || write(*file, pool_mark, sizeof pool_mark) != sizeof pool_mark)
        return rt_fail(RT_OPERATING_SYSTEM, "The host gives no file descriptor for the pool: %s.",
                       strerror(errno));
    return RT_SUCCESS;
}

RtError rt_pool_import(int file, int handle_type, uint64_t flags, RtPool **pool)
{
    char mark[sizeof pool_mark] = "";
    if (flags)
        return rt_fail(RT_INVALID_VALUE, "The flags must be 0.");
    if (handle_type != FILE_DESCRIPTOR || pread(file, mark, sizeof mark, 0) != sizeof mark ||
        memcmp(mark, pool_mark, sizeof mark) != 0)
        return rt_fail(RT_INVALID_VALUE, "File descriptor %d is not one of an exported pool.", file);
    return rt_pool_create(0, pool);
}

RtError rt_pool_export_pointer(uint64_t address, RtExported *handle)
{
    const RtAllocation *allocation = rt_allocation_find(address);
    if (!allocation || allocation->kind != RT_POOL_MEMORY || !rt_pool_is_shareable(allocation->pool))
        return rt_fail(RT_INVALID_VALUE, "0x%llx is not in memory of a pool that other processes can have.",
                       (unsigned long long)address);
    return share(allocation, EXPORTED_POINTER, handle);
}

RtError rt_pool_import_pointer(const RtExported *handle, uint64_t *address)
{
    return open_memory(handle, EXPORTED_POINTER, address);
}

/* -- events -- */

RtError rt_ipc_export_event(void *event_handle, RtExported *handle)
{
    RtEvent *event = NULL;
    RtError error = rt_event_get(event_handle, &event);
    if (error)
        return error;
    if (!event->shared)
        return rt_fail(RT_INVALID_RESOURCE_HANDLE,
                       "The event is for this process alone: create it with cudaEventInterprocess and "
                       "cudaEventDisableTiming.");
    const int file = rt_shared_event_file(event->shared);
    const Contents contents = {.magic = MAGIC,
                               .process = getpid(),
                               .kind_and_device = EXPORTED_EVENT,
                               .count = 1,
                               .pieces = {{.file = file}},
                               .number = number_of(file)};
    memcpy(handle, &contents, sizeof contents);
    return RT_SUCCESS;
}

RtError rt_ipc_open_event(const RtExported *handle, RtEvent **event)
{
    Contents contents;
    RtSharedEvent *shared = NULL;
    RtError error = read_handle(handle, EXPORTED_EVENT, &contents);
    if (error)
        return error;
    const int file = open_piece(&contents, 0);
    error = file < 0 ? unknown_handle() : rt_shared_event_open(file, &shared);
    if (!error)
        error = rt_event_create(RT_EVENT_DISABLE_TIMING | RT_EVENT_INTERPROCESS, event);
    if (error) {
        rt_shared_event_destroy(shared);
        return error;
    }
    rt_shared_event_destroy((*event)->shared);
    (*event)->shared = shared;
    return RT_SUCCESS;
}

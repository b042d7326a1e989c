/* Memory and events of one process in another: IPC handles, and pools that several processes have.
 *
 * Each process simulates a GPU of its own. Device memory that is exported becomes that of files in memory
 * (wb_memory_share()), which the other process opens by way of the first one's /proc entry and registers with
 * its GPU. So a process sees what another's kernels have written when that one has waited for them; times are
 * each process's own. An event for several processes counts its records in a page that they share; recording
 * one runs its stream up to there at once, since a process simulates only inside its own calls. */
#ifndef RT_IPC_H
#define RT_IPC_H

#include "rt/pool.h"

/* What programs hand to each other: cudaIpcMemHandle_t, cudaIpcEventHandle_t, cudaMemPoolPtrExportData. */
typedef struct RtExported { char bytes[64]; } RtExported;

/* cudaMalloc's memory only, by any address in it. */
RtError rt_ipc_export(uint64_t address, RtExported *handle);
/* Of an address that is open already: the same one again, to be closed as often. */
RtError rt_ipc_open(const RtExported *handle, uint64_t *address);
RtError rt_ipc_close(uint64_t address);
/* Whether the address is that of an imported pointer, which is freed as if it were of this process. */
bool rt_ipc_is_pointer(uint64_t address);

/* Pools: `file` is a descriptor that the other process gets. */
RtError rt_pool_export(RtPool *pool, int handle_type, uint64_t flags, int *file);
RtError rt_pool_import(int file, int handle_type, uint64_t flags, RtPool **pool);
RtError rt_pool_export_pointer(uint64_t address, RtExported *handle);
RtError rt_pool_import_pointer(const RtExported *handle, uint64_t *address);

RtError rt_ipc_export_event(void *event, RtExported *handle);
RtError rt_ipc_open_event(const RtExported *handle, RtEvent **event);

/* -- events for several processes (shared_event.c) -- */

typedef struct RtSharedEvent RtSharedEvent;
RtSharedEvent *rt_shared_event_create(void);
RtError rt_shared_event_open(int file, RtSharedEvent **event);
void rt_shared_event_destroy(RtSharedEvent *event);
int rt_shared_event_file(const RtSharedEvent *event);
/* Around what it takes to come to a record. */
void rt_shared_event_begin(RtSharedEvent *event);
void rt_shared_event_end(RtSharedEvent *event);
bool rt_shared_event_has_come(const RtSharedEvent *event);
void rt_shared_event_wait(const RtSharedEvent *event);

#endif

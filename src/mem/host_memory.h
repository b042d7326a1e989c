/* The host's memory as GPUs of a system see it: the last node of the fabric (mem/link.h), a shard in the
 * world's own cycles. It serves requests in the order in which they have come in, at host_memory_rate for all
 * GPUs together, and answers each host_memory_latency_ns after its turn. Data takes effect at the turn; so
 * atomics of all GPUs meet there. */
#ifndef MEM_HOST_MEMORY_H
#define MEM_HOST_MEMORY_H

#include "mem/homes.h"
#include "mem/link.h"
#include "mem/request.h"

typedef struct HostMemory HostMemory;

/* The fabric and homes must outlive it; it enters itself there. */
HostMemory *host_memory_create(Fabric *fabric, const Homes *homes, AtomicPerform *atomic);
void host_memory_free(HostMemory *memory);
Shard *host_memory_shard(HostMemory *memory);

#endif

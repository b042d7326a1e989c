/* Copies between GPUs and between GPUs and the host, in a system of several GPUs.
 *
 * A copy that leaves its GPU takes the port of its source and the port of its destination (mem/link.h): by
 * links if both GPUs are connected so, else by PCIe; to and from the host by PCIe. Copies that use a port at
 * the same time share its rate equally, and each is as fast as the slower of its shares. So when one begins
 * or ends, the others' ends move.
 *
 * Without peer access the host is in between: pieces of peer_stage_bytes go to host memory and on from there,
 * each a copy of its own, while the next is under way.
 *
 * Copies do not compete with kernels that use the links, as they do not for L2 and DRAM. What they move is
 * counted apart from kernels' packets, by where it comes from and where it goes, and over time in the samples
 * of links (api/link_series.h). A GPU alone copies as api/copy.c says. */
#ifndef API_LINK_COPY_H
#define API_LINK_COPY_H

#include <stdbool.h>

#include "base/vec.h"
#include "sim/clock.h"
#include "warpbeam.h"

struct Operation;
typedef struct System System;

/* A GPU's port one way; no two are equal. */
typedef struct LinkCopyPort {
    uint32_t number;
    uint64_t rate; /* of data, MB/s */
} LinkCopyPort;

/* A copy under way. Invariant: `left` is what was to be moved at cycle `at` of the system, in bytes times the
 * system's kHz; `speed` is what it moves of that in a cycle from then on. */
typedef struct LinkCopy {
    struct Operation *operation;
    WbGpu *gpu;        /* in whose timeline it is */
    uint32_t from, to; /* nodes: GPUs, or behind them the host */
    bool is_staged;    /* in the host's memory */
    LinkCopyPort out, in;
    uint64_t most; /* MB/s, whatever the ports have; UINT64_MAX: no limit */
    uint64_t left, speed;
    Cycle started, at; /* not before its latency has passed */
    Cycle begun;       /* `started` in cycles of the system */
} LinkCopy;

typedef VEC(LinkCopy) LinkCopyList;

/* What copies from one node to another have moved so far. Those under way count when they end. */
typedef struct LinkCopied {
    uint64_t copies, bytes;
    uint64_t cycles; /* of the system, from starts to ends */
} LinkCopied;

/* The copy begins now, if it is one that leaves its GPU in a system of several; sets its end. False: it is
 * none of these. */
bool link_copy_begin(WbGpu *gpu, struct Operation *operation);
/* A prefetch with something to move begins now; sets its end. */
void link_move_begin(WbGpu *gpu, struct Operation *operation);
/* The copy, or the prefetch, ends now, whichever it is. */
void link_copy_end(WbGpu *gpu, const struct Operation *operation);
/* No copy of the GPU's timeline is under way any more. */
void link_copies_forget(const WbGpu *gpu);

/* Of copies from one node to another; the host is node gpus.count. */
LinkCopied link_copied(const System *system, uint32_t from, uint32_t to);
/* Nothing has been copied yet. */
void link_copied_reset(System *system);

#endif

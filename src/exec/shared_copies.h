/* The part of a block's shared memory that repeats global memory, as it is filled [sync thesis §4.4.2]. When
 * the block leaves its SM, these bytes need not be saved; when it comes back, they are read from global
 * memory again.
 *
 * Two things tell of such bytes. The analysis of the kernel has marked the loads and stores that copy
 * (ptx/flow_copies.h): a load notes where each lane's value comes from, and a store, where it went. And the
 * kernel may say it itself, by wb_read_only(). What is known is kept as runs of bytes, and of runs that
 * overlap the last one counts.
 *
 * Nothing of this changes what a kernel computes: the block keeps its shared memory while it is away. But the
 * bytes that are read again are compared, so that a wrong hint is told and not passed over. */
#ifndef EXEC_SHARED_COPIES_H
#define EXEC_SHARED_COPIES_H

#include "exec/access.h"
#include "ptx/flow_copies.h"

/* A pointer that marked code reads or any code writes. */
typedef struct CopyPointer {
    bool is_parameter;
    uint64_t place;      /* offset in the kernel's parameters where the pointer is; else the pointer */
} CopyPointer;

/* What the analysis found in a program. Insn.detail of a marked load is a pointer to its number (uint32_t),
 * of a marked store to its elements (CopyElement). */
typedef struct ProgramCopies {
    uint32_t load_count;
    const CopyPointer *sources, *written;
    uint32_t source_count, written_count;
} ProgramCopies;

/* Bytes of shared memory that are those at `global`. */
typedef struct CopyRun {
    uint64_t global;
    uint32_t shared, bytes;
    bool is_hint;        /* the kernel said so itself */
} CopyRun;

/* Of a block. Invariant: once it is settled, no two runs overlap in shared memory, each lies in one line of
 * global memory, and they are sorted by that. */
typedef struct SharedCopies {
    VEC(CopyRun) runs;
    bool is_settled;
    uint64_t *origins;   /* [warp][load][lane] where the value comes from; 0: nowhere; null: no load so far */
} SharedCopies;

/* Whether what the launch's marked loads read is written by none of its stores: the pointers that it was
 * given are of different allocations. */
bool shared_copies_are_apart(const Launch *launch);

/* An access of the block's launch that tracks copies has been prepared. */
void shared_copies_note(const Step *step, const Access *access);
/* The kernel says that these bytes of shared memory, which are there, are those at `global`. */
void shared_copies_hint(Block *block, uint32_t shared, uint32_t bytes, uint64_t global);

static inline uint64_t copy_line_address(CopyLine line) { return line & ~(uint64_t)(LINE_BYTES - 1); }
static inline uint8_t copy_line_sectors(CopyLine line) { return (uint8_t)(line & ((1 << LINE_SECTORS) - 1)); }

/* The lines that are worth reading again: those that save more bytes than they bring. Returns the bytes of
 * shared memory that are in them. */
uint32_t shared_copies_settle(Block *block, CopyLines *lines);
/* Compares the bytes of a line that has been read again with what they are to be. Null: they are; else a run
 * that is not what it was said to be. */
const CopyRun *shared_copies_differ(const Block *block, CopyLine line, const uint8_t *data);

void shared_copies_free(SharedCopies *copies);

#endif

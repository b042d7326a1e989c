/* The host's memory behind device memory: one stretch of it for each stretch of device addresses, so that
 * what lies beside an allocation is there, too, as it is on a GPU inside of a page.
 *
 * Stretches are reserved without memory; pages of PAGE_BYTES are opened when an allocation comes to lie in
 * them, are zero then, and cost what is touched of them. */
#ifndef MEM_BACKING_H
#define MEM_BACKING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum { PAGE_BYTES = 2 << 20 };
/* Device addresses of one stretch; an allocation that does not fit into what is left of one begins the
 * next. */
#define STRETCH_BYTES (1ull << 38)

/* Addresses first .. first + size are at host; those before `open` can be touched. Invariant: all of them are
 * multiples of PAGE_BYTES. */
typedef struct Stretch {
    uint64_t first, size, open;
    uint8_t *host;
} Stretch;

/* Pages of the host, by device addresses, that are those of a file. */
typedef struct SharedRun {
    uint64_t first, size;
    int file;
} SharedRun;

typedef struct Backing {
    VEC(Stretch) stretches; /* in the order of addresses, none empty */
    VEC(SharedRun) shared;  /* none overlaps another */
} Backing;

/* Where an allocation of the size goes that could begin at `address`: there, or at the next stretch. */
uint64_t backing_place(uint64_t address, uint64_t size);
/* The host's bytes of a range from backing_place(), which can be touched from now on; null: the host has no
 * memory. Ranges come in the order of addresses. */
uint8_t *backing_open(Backing *backing, uint64_t address, uint64_t size);
/* The host's byte of an address that has been opened. */
uint8_t *backing_find(const Backing *backing, uint64_t address);
/* Whole pages that nobody needs any more are given back to the host; they are zero from now on. */
void backing_release(const Backing *backing, uint64_t address, uint64_t size);
void backing_free(Backing *backing);

/* A part of an allocation as another process finds it. */
typedef struct SharedPiece {
    int file;
    uint64_t offset, size; /* in the file; multiples of the host's pages */
} SharedPiece;
/* The first page of an allocation, the last, and those between, may be in files of their own. */
enum { SHARED_PIECES = 3 };
/* Makes whole pages of the host that hold the range those of files (backing_share.c); nothing may be using it
 * meanwhile. Returns the number of pieces, 0 where the host has no memory for it. */
uint32_t backing_share(Backing *backing, uint64_t address, uint64_t size, SharedPiece pieces[SHARED_PIECES]);

#endif

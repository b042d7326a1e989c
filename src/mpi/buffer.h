/* A program's buffers as bytes in a row, whatever their datatypes and wherever they lie: in host memory,
 * or in device memory, which is copied as it is at that moment. */
#ifndef MPI_BUFFER_H
#define MPI_BUFFER_H

#include "mpi/rank.h"

/* `count` elements of `type` at `address`. */
typedef struct Buffer {
    const void *address;
    int count;
    MPI_Datatype type;
} Buffer;

uint64_t buffer_bytes(const Buffer *buffer);
/* A copy in a row, to be given to xfree(); the host spends what device memory takes. Null: a failure has
 * been told. */
uint8_t *buffer_pack(const Buffer *buffer);
/* The reverse, of at most as many bytes as it has. */
bool buffer_unpack(const Buffer *buffer, const uint8_t *bytes, uint64_t size);
/* The buffer from element `first` on. */
Buffer buffer_from(const Buffer *buffer, int64_t first, int count);

/* Elements as an operator of MPI takes them, in host memory: `at` is their address, of the bytes at
 * `block`. */
typedef struct Elements {
    void *at;
    uint8_t *block;
} Elements;

Elements elements_of(const uint8_t *bytes, int count, MPI_Datatype type);
uint8_t *elements_pack(const Elements *elements, int count, MPI_Datatype type);
void elements_free(Elements *elements);

#endif

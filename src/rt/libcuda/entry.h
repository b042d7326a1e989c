/* The functions of this library by name. */
#ifndef LIBCUDA_ENTRY_H
#define LIBCUDA_ENTRY_H

#include <stddef.h>

typedef void Function(void);
typedef struct Entry { const char *name; int since; Function *function; } Entry;

extern const Entry libcuda_entries[];
extern const size_t libcuda_entry_count;

#endif

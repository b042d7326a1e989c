/* The few functions of the CUDA driver that the recorder calls, found at run time: no CUDA header and no
 * CUDA library is needed to build it. */
#ifndef TESTS_ISA_RECORD_DRIVER_H
#define TESTS_ISA_RECORD_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long long DevicePointer;

/* Every function returns 0 or the driver's error number. */
typedef struct Driver {
    int (*init)(unsigned flags);
    int (*device)(int *device, int ordinal);
    int (*retain)(void **context, int device);
    int (*use)(void *context);
    int (*allocate)(DevicePointer *pointer, size_t size);
    int (*copy_in)(DevicePointer destination, const void *source, size_t size);
    int (*copy_out)(void *destination, DevicePointer source, size_t size);
    int (*set)(DevicePointer destination, unsigned char byte, size_t size);
    int (*load)(void **module, const void *image, unsigned count, const int *options, void **values);
    int (*unload)(void *module);
    int (*find)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **arguments,
                  void **extra);
    int (*wait)(void);
    int (*error_name)(int status, const char **name);
} Driver;

/* Opens the first GPU; on failure false and the reason. */
bool driver_open(Driver *driver, char *why, size_t size);
/* Assembles and loads PTX text; `log` receives what the assembler says. */
int driver_load(Driver *driver, void **module, const char *text, char *log, size_t size);
const char *driver_error(Driver *driver, int status);

#endif

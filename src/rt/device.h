/* The devices of a process: what each can do, as its configuration says, and the settings that a program may
 * change. Where no device is named, it is the one that the call works on. */
#ifndef RT_DEVICE_H
#define RT_DEVICE_H

#include "rt/rt.h"

enum { RT_DRIVER_VERSION = 13000 };

/* Whether there is a device of that number. */
RtError rt_device_check(int device);
/* The value of an expression, an RtError, on a device whose number a program has given; or what is wrong with
 * the number. */
#define RT_ON_CHECKED(number, expression)                               \
    __extension__({                                                     \
        const int number_ = (number);                                   \
        RtError checked_ = rt_device_check(number_);                    \
        checked_ ? checked_ : RT_ON(number_, expression);               \
    })
/* cudaDeviceGetAttribute and cuDeviceGetAttribute: the numbers of both agree (attribute.def). Values too
 * large for an int are cut off at its maximum. */
RtError rt_device_attribute(int attribute, int *value);
/* The same without a word; false: there is no such attribute. */
bool rt_device_has_attribute(int attribute, int *value);
/* The same for a caller that knows the attribute to exist. */
int rt_device_value(int attribute);
/* "Warpbeam h200" */
void rt_device_name(char *name, size_t size);
void rt_device_uuid(uint8_t uuid[16]);
RtError rt_device_bytes(size_t *bytes);

/* "0000:01:00.0" of the first device, and back to a device's number. */
RtError rt_device_pci_name(char *name, int size);
RtError rt_device_by_pci_name(const char *name, int *device);

/* Limits by CUDA's numbers: 0 stack of a thread, 1 printf's buffer, 2 malloc's heap, ... */
RtError rt_limit_get(int limit, size_t *value);
/* The same without a word; false: the GPU has no such limit. */
bool rt_limit_find(int limit, size_t *value);
RtError rt_limit_set(int limit, size_t value);

/* cudaSetDeviceFlags and friends: kept for whoever asks; nothing in the simulator depends on them. */
typedef struct RtDeviceSettings { unsigned flags; int cache_preference, bank_size; } RtDeviceSettings;
RtDeviceSettings *rt_device_settings(void);

/* cudaDeviceReset: waits, forgets a failed kernel, ends the device's streams, events and arrays, frees all of
 * its memory that is not of a pool; variables start over, and its peers' memory is out of reach again. */
RtError rt_device_reset(void);

#endif

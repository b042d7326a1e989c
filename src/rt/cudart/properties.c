/* cudaDeviceProp: its layout differs between CUDA 11, 12 and 13, so it is written field by field as
 * properties.def says. */
#include "rt/cudart/cudart.h"

#include <string.h>

#include "rt/device.h"

/* What all versions begin with. */
typedef struct PropertiesHead {
    char name[256];
    uint8_t uuid[16];
    char luid[8];
    unsigned luid_node_mask;
    size_t total_bytes;
} PropertiesHead;

typedef enum PropertyType { INT, SIZE } PropertyType;

typedef struct Property {
    PropertyType type;
    int attribute, first, last;
} Property;

static const Property properties[] = {
#define PROPERTY(type, field, attribute, first, last) {type, attribute, first, last},
#include "rt/cudart/properties.def"
#undef PROPERTY
};

/* Ints that CUDA reserves at the end. */
static size_t reserved_count(int version) { return version == 13 ? 56 : version == 12 ? 63 : 0; }

/* Writes the structure as that major version lays it out. */
static RtError write_here(uint8_t *place, int version)
{
    PropertiesHead head = {0};
    RtError error = rt_device_bytes(&head.total_bytes);
    if (error != RT_SUCCESS)
        return error;
    rt_device_name(head.name, sizeof head.name);
    rt_device_uuid(head.uuid);
    memcpy(place, &head, sizeof head);
    size_t offset = sizeof head;
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        const Property *property = &properties[i];
        if (version < property->first || version > property->last)
            continue;
        const int value = rt_device_value(property->attribute);
        const size_t wide = (size_t)value, size = property->type == SIZE ? sizeof wide : sizeof value;
        const size_t gap = (size - offset % size) % size;
        memset(place + offset, 0, gap);
        memcpy(place + offset + gap, size == sizeof wide ? (const void *)&wide : &value, size);
        offset += gap + size;
    }
    memset(place + offset, 0, reserved_count(version) * sizeof(int));
    return RT_SUCCESS;
}

static RtError write_properties(uint8_t *place, int device, int version)
{
    NEED(place);
    return RT_ON_CHECKED(device, write_here(place, version));
}

/* CUDA 12 keeps the layout of 11 under the plain name and gives its own under another one. */
EXPORT int cudaGetDeviceProperties(void *place, int device)
{
    return CUDART(write_properties(place, device, CUDART_MAJOR == 12 ? 11 : CUDART_MAJOR));
}

#if CUDART_MAJOR == 12
EXPORT int cudaGetDeviceProperties_v2(void *place, int device)
{
    return CUDART(write_properties(place, device, 12));
}
#endif

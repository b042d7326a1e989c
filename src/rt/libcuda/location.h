/* Where memory is, as several calls say it. */
#ifndef LIBCUDA_LOCATION_H
#define LIBCUDA_LOCATION_H

enum { LOCATION_DEVICE = 1, LOCATION_HOST = 2 };

/* Layout of CUmemLocation. */
typedef struct Location { int type, id; } Location;

#endif

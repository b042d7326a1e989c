/* What launches have of the global sync unit besides its calls. */
#ifndef GRID_UNIT_GLOBAL_SYNC_H
#define GRID_UNIT_GLOBAL_SYNC_H

#include "exec/grid_sync.h"

/* Of a launch whose blocks meet there. */
extern const GridSync global_sync_of_grid;

#endif

/* Waiting inside a warp: bar.warp.sync and the .sync collectives. */
#ifndef EXEC_WARP_SYNC_H
#define EXEC_WARP_SYNC_H

#include "exec/step.h"

/* Runs every collective of the warp whose lanes have all arrived or ended. */
WbStatus warp_sync_release(Warp *warp);

#endif

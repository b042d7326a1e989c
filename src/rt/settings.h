/* Which GPU a CUDA program runs on, as the environment says:
 *
 *   WARPBEAM_GPU          name of a configuration, or the path of a YAML file (default: h200)
 *   WARPBEAM_THREADS      threads of the simulation
 *   WARPBEAM_FUNCTIONAL   1: results only, no timing
 *   WARPBEAM_SET          knobs, KNOB=VALUE, separated by line ends or semicolons
 *   WARPBEAM_STATS        where statistics go at the program's end: FILE.json or FILE.csv
 *   WARPBEAM_TIMELINE     where the timeline goes then (wb_timeline)
 *   WARPBEAM_REPORT       what else goes there: details, blocks, or both (wb_report)
 *   WARPBEAM_GRAPH_PROFILE
 *                         where the dependency graph of the launches goes: DOT in FILE.dot, else edges
 *   WARPBEAM_SUMMARY      1: a summary on stderr at the program's end
 *   WARPBEAM_PROGRESS     auto: progress on stderr where that is a terminal; always: else as lines; never
 *   WARPBEAM_NOTICE       a pipe's path; it learns by one byte that a GPU is being opened
 *
 * `warpbeam run` sets them from its options. */
#ifndef RT_SETTINGS_H
#define RT_SETTINGS_H

#include "warpbeam.h"

/* Opens the GPU; null after a sentence on stderr. */
WbGpu *settings_open(void);

#endif

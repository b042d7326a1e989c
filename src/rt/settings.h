/* Which GPUs a CUDA program runs on, as the environment says:
 *
 *   WARPBEAM_GPU          name of a configuration, or the path of a YAML file (default: h200)
 *   WARPBEAM_GPUS         several: a number of that one, names with commas, or a YAML file (config/gpu_set.h)
 *   WARPBEAM_THREADS      threads of the simulation
 *   WARPBEAM_FUNCTIONAL   1: results only, no timing; as all switches also true, yes, on, and their opposites
 *   WARPBEAM_SET          knobs, KNOB=VALUE, separated by line ends or semicolons
 *   WARPBEAM_POLICY       shared objects with policies (wb_load_policy), separated in the same way
 *   WARPBEAM_STATS        where statistics go at the program's end: FILE.json or FILE.csv
 *   WARPBEAM_TIMELINE     where the timeline goes then (wb_timeline)
 *   WARPBEAM_REPORT       what else goes there: details, blocks, or both (wb_report)
 *   WARPBEAM_GRAPH_PROFILE
 *                         where the dependency graph of the launches goes: DOT in FILE.dot, else edges
 *   WARPBEAM_SUMMARY      1: a summary on stderr at the program's end
 *   WARPBEAM_PATIENCE     milliseconds without a call until what is in streams runs (progress.h); 0: never
 *   WARPBEAM_PROGRESS     auto: progress on stderr where that is a terminal; always: else as lines; never
 *   WARPBEAM_RANK         of an MPI program, for sentences (cli/run_ranks.h)
 * WARPBEAM_NOTICE a pipe's path; it learns by a byte that a GPU is being opened, or why that is of no use
 *
 * `warpbeam run` sets them from its options. */
#ifndef RT_SETTINGS_H
#define RT_SETTINGS_H

#include "warpbeam.h"

/* What `warpbeam run` learns: a GPU is being opened; a static CUDA runtime was refused; a file that was asked
 * for could not be written. */
enum { SETTINGS_NOTICE_OPENED = '!', SETTINGS_NOTICE_STATIC = 'S', SETTINGS_NOTICE_UNWRITTEN = '-' };
void settings_give_notice(char what);
/* Opens the GPUs, at most RT_DEVICES; returns their number, 0 after a sentence on stderr. */
int settings_open(WbGpu **gpus);

#endif

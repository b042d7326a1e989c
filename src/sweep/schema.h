/* Tables and views of a sweep's file. */
#ifndef SWEEP_SCHEMA_H
#define SWEEP_SCHEMA_H

extern const char sweep_schema[];

#endif

/* The links of a system, as reports and timelines name them, and what went over them. */
#ifndef REPORT_REPORT_LINKS_H
#define REPORT_REPORT_LINKS_H

#include "api/gpu.h"
#include "report/json.h"

/* One way of a port that was used, or a path from one node to another, which takes the ports of both. */
typedef struct ReportLink {
    char from[16], to[16]; /* "GPU 0", "switch", "host" */
    const char *kind;      /* of a port: switch, mesh or pcie; null: it is a path */
    uint64_t rate;         /* of a port, MB/s */
    LinkRow row;           /* where the series has it */
    uint32_t pair;
} ReportLink;

/* Ports first, in the order of GPUs; the caller frees them. */
typedef VEC(ReportLink) ReportLinks;
ReportLinks report_links(const System *system);

/* The object `links` of the JSON; nothing where no samples were taken. */
void report_put_links(JsonWriter *json, const System *system);
/* The array `copies` of the JSON: what copies moved, by their ends; nothing where none has ended. */
void report_put_copies(JsonWriter *json, const System *system);
/* A line that says what copies moved; nothing where none did. */
void report_copies(const System *system, FILE *to);
/* A line that says which port was busiest; nothing where none was used. */
void report_busiest_link(const System *system, FILE *to);

#endif

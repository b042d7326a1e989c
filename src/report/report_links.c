/* A GPU's port to a switch, and that to the host, are links of their own, each way. Of a mesh each link has a
 * port at both ends, which are busy alike: the sender's is shown. */
#include "report/report_links.h"

#include <stdio.h>

#include "report/report.h"
#include "report/report_run.h"

static void name_node(const System *system, uint32_t node, char name[16])
{
    if (node == system->gpus.count)
        snprintf(name, 16, "host");
    else
        snprintf(name, 16, "GPU %u", node);
}

static void add_used(const System *system, ReportLink link, ReportLinks *links)
{
    if (link_series_sum(&system->links, link.row, link.pair))
        VEC_PUSH(links, link);
}

/* Port `port` of the GPU, as the fabric numbers them: both ways of a switch and of PCIe. */
static void add_port(const WbGpu *gpu, uint32_t port, ReportLinks *links)
{
    const System *system = gpu->system;
    const uint32_t host = system->gpus.count;
    const bool is_switch = port == gpu->index, is_pcie = port == host;
    ReportLink link = {
        .kind = is_switch ? "switch"
                : is_pcie ? "pcie"
                          : "mesh",
        .rate = is_pcie ? gpu->config.pcie_rate : gpu->config.link_rate,
        .row = LINK_ROW_BUSY_OUT,
        .pair = gpu->index * (host + 1) + port,
    };
    name_node(system, gpu->index, link.from);
    name_node(system, port, link.to);
    if (is_switch)
        snprintf(link.to, sizeof link.to, "switch");
    add_used(system, link, links);
    if (!is_switch && !is_pcie)
        return;
    ReportLink back = link;
    back.row = LINK_ROW_BUSY_IN;
    snprintf(back.from, sizeof back.from, "%s", link.to);
    snprintf(back.to, sizeof back.to, "%s", link.from);
    add_used(system, back, links);
}

ReportLinks report_links(const System *system)
{
    ReportLinks links = {0};
    const uint32_t nodes = system->gpus.count + 1;
    if (!system->links.places.count)
        return links;
    FOR_GPUS(gpu, system)
    for (uint32_t port = 0; port < nodes; port++)
        add_port(gpu, port, &links);
    for (uint32_t pair = 0; pair < nodes * nodes; pair++) {
        ReportLink path = {.row = LINK_ROW_BYTES, .pair = pair};
        name_node(system, pair / nodes, path.from);
        name_node(system, pair % nodes, path.to);
        add_used(system, path, &links);
    }
    return links;
}

/* -- JSON -- */

static void put_link(JsonWriter *json, const LinkSeries *series, const ReportLink *link)
{
    json_open(json, NULL, '{');
    json_put_text(json, "from", link->from);
    json_put_text(json, "to", link->to);
    if (link->kind) {
        json_put_text(json, "kind", link->kind);
        json_put_integer(json, "rate", link->rate);
    }
    json_put_integer(json, link->kind ? "busy_cycles" : "bytes",
                     link_series_sum(series, link->row, link->pair));
    json_open_line(json, link->kind ? "busy_by_sample" : "bytes_by_sample", '[');
    for (uint32_t i = 0; i < series->places.count; i++)
        json_put_integer(json, NULL, link_series_value(series, i, link->row, link->pair));
    json_close(json);
    json_close(json);
}

static void put_some(JsonWriter *json, const char *key, const LinkSeries *series, const ReportLinks *links,
                     bool ports)
{
    json_open(json, key, '[');
    for (uint32_t i = 0; i < links->count; i++)
        if ((links->items[i].kind != NULL) == ports)
            put_link(json, series, &links->items[i]);
    json_close(json);
}

void report_put_links(JsonWriter *json, const System *system)
{
    const LinkSeries *series = &system->links;
    if (!series->places.count)
        return;
    ReportLinks links = report_links(system);
    json_open(json, "links", '{');
    json_put_integer(json, "interval", series->interval);
    json_open_line(json, "begins", '[');
    for (uint32_t i = 0; i < series->places.count; i++)
        json_put_integer(json, NULL, series->places.items[i] * series->interval);
    json_close(json);
    put_some(json, "ports", series, &links, true);
    put_some(json, "paths", series, &links, false);
    json_close(json);
    VEC_FREE(&links);
}

/* -- copies -- */

static bool has_copies(const System *system)
{
    return system->link_copied != NULL; /* made for the first one */
}

void report_put_copies(JsonWriter *json, const System *system)
{
    const uint32_t nodes = system->gpus.count + 1;
    if (!has_copies(system))
        return;
    json_open(json, "copies", '[');
    for (uint32_t pair = 0; pair < nodes * nodes; pair++) {
        const LinkCopied copied = link_copied(system, pair / nodes, pair % nodes);
        char from[16], to[16];
        if (!copied.copies)
            continue;
        name_node(system, pair / nodes, from);
        name_node(system, pair % nodes, to);
        json_open(json, NULL, '{');
        json_put_text(json, "from", from);
        json_put_text(json, "to", to);
        json_put_integer(json, "copies", copied.copies);
        json_put_integer(json, "bytes", copied.bytes);
        json_put_integer(json, "cycles", copied.cycles);
        json_close(json);
    }
    json_close(json);
}

void report_copies(const System *system, FILE *to)
{
    const uint32_t host = system->gpus.count;
    uint64_t peers = 0, hosts = 0;
    for (uint32_t from = 0; from <= host; from++)
        for (uint32_t other = 0; other <= host; other++)
            *(from == host || other == host ? &hosts : &peers) += link_copied(system, from, other).bytes;
    if (!peers && !hosts)
        return;
    char line[256], between[RATIO_TEXT_SIZE], beside[RATIO_TEXT_SIZE];
    ratio_text((Ratio){peers, 1000000}, 1, 2, between);
    ratio_text((Ratio){hosts, 1000000}, 1, 2, beside);
    snprintf(line, sizeof line, "Copies moved %s MB between GPUs, and %s MB between GPUs and the host.",
             between, beside);
    report_wrapped(line, 0, to);
}

/* -- text -- */

/* Copies count, too, and go before kernels and behind them: so all of the time does. */
void report_busiest_link(const System *system, FILE *to)
{
    ReportLinks links = report_links(system);
    const ReportLink *busiest = NULL;
    uint64_t most = 0;
    for (uint32_t i = 0; i < links.count; i++) {
        const uint64_t busy = link_series_sum(&system->links, links.items[i].row, links.items[i].pair);
        if (!links.items[i].kind || busy <= most)
            continue;
        busiest = &links.items[i];
        most = busy;
    }
    if (busiest) {
        char line[256], share[RATIO_TEXT_SIZE];
        ratio_text((Ratio){most, run_times_of_all(system).all}, 100, 1, share);
        snprintf(line, sizeof line,
                 "Of all links, that from %s to %s was busy longest: %s%% of all time, with copies.",
                 busiest->from, busiest->to, share);
        report_wrapped(line, 0, to);
    }
    VEC_FREE(&links);
}

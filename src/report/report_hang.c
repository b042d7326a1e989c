/* How a kernel that did not end is told of: as JSON with all that the record holds, and as a short table for
 * people. Both come from the same HangRecord; nothing is found out here. */
#include "report/report_hang.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/report.h"

static void put_lanes(JsonWriter *json, const HangLanes *lanes)
{
    char mask[24];
    snprintf(mask, sizeof mask, "0x%" PRIx64, lanes->lanes);
    json_open_line(json, NULL, '{');
    json_put_integer(json, "first_warp", lanes->first_warp);
    json_put_integer(json, "last_warp", lanes->last_warp);
    json_put_text(json, "lanes", mask);
    json_put_text(json, "place", lanes->place);
    json_put_text(json, "waits_for", lanes->wait);
    json_close(json);
}

static void put_block(JsonWriter *json, const HangBlock *block)
{
    json_open(json, NULL, '{');
    json_put_text(json, "kernel", block->kernel);
    json_open_line(json, "block", '[');
    for (int i = 0; i < 3; i++)
        json_put_integer(json, NULL, block->index[i]);
    json_close(json);
    json_put_integer(json, "sm", block->sm);
    json_put_text(json, "state", block->state);
    json_open(json, "warps", '[');
    for (uint32_t i = 0; i < block->lanes.count; i++)
        put_lanes(json, &block->lanes.items[i]);
    json_close(json);
    json_close(json);
}

static void put_waits(JsonWriter *json, const HangRecord *hang)
{
    json_open(json, "waits", '[');
    for (uint32_t i = 0; i < WAIT_REASONS; i++) {
        if (!hang->in_place.blocks[i] && !hang->away.blocks[i])
            continue;
        json_open_line(json, NULL, '{');
        json_put_text(json, "reason", wait_texts[i].name);
        json_put_text(json, "text", wait_texts[i].plural);
        json_put_integer(json, "in_place", hang->in_place.blocks[i]);
        json_put_integer(json, "away", hang->away.blocks[i]);
        json_close(json);
    }
    json_close(json);
}

static void put_hang(JsonWriter *json, const HangRecord *hang)
{
    json_open(json, "hang", '{');
    json_put_text(json, "cause", hang->cause);
    json_put_text(json, "undispatched", hang->undispatched);
    json_put_text(json, "graph", hang->graph);
    json_put_text(json, "units", hang->units);
    json_put_integer(json, "blocks_ended", hang->ended);
    json_put_integer(json, "blocks_undispatched", hang->not_dispatched);
    json_put_integer(json, "blocks_on_sms", hang->on_sms);
    json_put_integer(json, "blocks_suspended", hang->suspended);
    put_waits(json, hang);
    json_open(json, "blocks", '[');
    for (uint32_t i = 0; i < hang->blocks.count; i++)
        put_block(json, &hang->blocks.items[i]);
    json_close(json);
    json_put_integer(json, "blocks_left_out", hang->left_out);
    json_close(json);
}

void report_put_status(JsonWriter *json, const KernelRecord *record)
{
    json_put_text(json, "status", record_status_names[record->status]);
    if (record->status == RECORD_ENDED)
        return;
    json_put_boolean(json, "interrupted", true);
    json_put_text(json, "failure", record->failure);
    if (record->hang)
        put_hang(json, record->hang);
}

/* -- for people -- */

static void write_block(const HangBlock *block, FILE *to)
{
    for (uint32_t i = 0; i < block->lanes.count; i++) {
        const HangLanes *lanes = &block->lanes.items[i];
        char index[40] = "", sm[16] = "", warps[32];
        /* Block and SM stand once, in front of the first of its rows. */
        if (i == 0) {
            snprintf(index, sizeof index, "(%u,%u,%u)", block->index[0], block->index[1], block->index[2]);
            snprintf(sm, sizeof sm, "%u", block->sm);
        }
        if (lanes->first_warp == lanes->last_warp)
            snprintf(warps, sizeof warps, "%u", lanes->first_warp);
        else
            snprintf(warps, sizeof warps, "%u-%u", lanes->first_warp, lanes->last_warp);
        fprintf(to, "  %12s %4s %7s  %-24s  %s\n", index, sm, warps, lanes->place, lanes->wait);
    }
}

void report_put_failure(const KernelRecord *record, FILE *to)
{
    enum { SHOWN = 8 };
    const HangRecord *hang = record->hang;
    if (record->status == RECORD_ENDED)
        return;
    if (hang && *hang->cause) {
        char cause[HANG_CAUSE_SIZE + 20];
        snprintf(cause, sizeof cause, "Likely cause: %s", hang->cause);
        report_wrapped(cause, 2, to);
    } else {
        report_wrapped(record->failure, 2, to);
    }
    if (!hang || !hang->blocks.count)
        return;
    fprintf(to, "  %12s %4s %7s  %-24s  %s\n", "block", "SM", "warps", "at", "waits");
    for (uint32_t i = 0; i < hang->blocks.count && i < SHOWN; i++)
        write_block(&hang->blocks.items[i], to);
    const uint32_t shown = hang->blocks.count < SHOWN ? hang->blocks.count : SHOWN;
    const uint32_t more = hang->blocks.count - shown + hang->left_out;
    if (more)
        fprintf(to, "  and %u blocks more\n", more);
}

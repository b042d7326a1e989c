/* Regular expressions: texts and rules to the GPU, and the matches expected. */
#include "dtbl/input.h"

#include <stdlib.h>
#include <string.h>

#include "dtbl/regx_automata.h"
#include "graphs/tables.h"

enum { THREADS = 128, LEAST = 32 };

/* Of each rule and of each text. */
typedef struct Matches {
    uint32_t *of_rule, *of_text;
    uint32_t rules, texts;
} Matches;

static Matches matches_make(const RuleSet *rules, const Texts *texts, InputError *error)
{
    Matches matches = {.texts = texts->count};
    for (uint32_t i = 0; i < rules->literal_count; i++)
        matches.rules += rules->literals[i].count;
    matches.of_rule = input_array(error, matches.rules, sizeof *matches.of_rule);
    matches.of_text = input_array(error, matches.texts, sizeof *matches.of_text);
    return matches;
}

static void matches_free(Matches *matches)
{
    free(matches->of_rule);
    free(matches->of_text);
}

static void try_literal(const Literal *literal, const Automata *automata, const uint8_t *at,
                        const uint8_t *end, uint32_t *of_rule, uint32_t *of_text)
{
    const size_t length = strlen(literal->text);
    if ((size_t)(end - at) < length || memcmp(at, literal->text, length) != 0)
        return;
    for (uint32_t k = 0; k < literal->count; k++)
        if (expression_matches(&automata->expressions[literal->first_rest + k], at + length, end)) {
            of_rule[k]++;
            ++*of_text;
        }
}

/* Without any of the tables. */
static void expect_matches(const RuleSet *rules, const Automata *automata, const Texts *texts,
                           Matches *matches)
{
    for (uint32_t text = 0; text < texts->count; text++) {
        const uint8_t *end = texts->bytes + texts->starts[text + 1];
        for (const uint8_t *at = texts->bytes + texts->starts[text]; at < end; at++)
            for (uint32_t i = 0, rule = 0; i < rules->literal_count; rule += rules->literals[i++].count)
                try_literal(&rules->literals[i], automata, at, end, matches->of_rule + rule,
                            matches->of_text + text);
    }
}

/* As the kernels declare them. */
typedef struct DeviceGroup {
    uint32_t first_rule, first_rest, count;
} DeviceGroup;
typedef struct DeviceRules {
    uint64_t literals, found, groups, rests, rest_starts;
} DeviceRules;
typedef struct DeviceMatches {
    uint64_t of_rule, of_text;
} DeviceMatches;

static DeviceRules rules_copy(Host *host, const RuleSet *rules, const Automata *automata)
{
    DeviceGroup groups[MOST_LITERALS];
    for (uint32_t i = 0, rule = 0; i < rules->literal_count; rule += rules->literals[i++].count)
        groups[i] = (DeviceGroup){rule, rules->literals[i].first_rest, rules->literals[i].count};
    const size_t literal_states = automata->literal_states;
    return (DeviceRules){
        .literals = host_buffer(host, automata->literals, literal_states * sizeof *automata->literals),
        .found = host_buffer(host, automata->found, literal_states * sizeof *automata->found),
        .groups = host_buffer(host, groups, rules->literal_count * sizeof *groups),
        .rests = host_buffer(host, automata->rests, automata->rest_states * sizeof *automata->rests),
        .rest_starts =
            host_buffer(host, automata->rest_starts, rules->rest_count * sizeof *automata->rest_starts)};
}

static void rules_drop(Host *host, const DeviceRules *rules)
{
    host_free(host, rules->literals), host_free(host, rules->found), host_free(host, rules->groups);
    host_free(host, rules->rests), host_free(host, rules->rest_starts);
}

/* `matches` holds zeros before and the device's counts after. */
static void match_on_device(Host *host, const DtblRun *run, const RuleSet *rule_set, const Automata *automata,
                            const Texts *texts, Matches *matches)
{
    const DeviceRules rules = rules_copy(host, rule_set, automata);
    const uint64_t starts =
        host_buffer(host, texts->starts, ((size_t)texts->count + 1) * sizeof *texts->starts);
    const uint64_t bytes = host_buffer(host, texts->bytes, texts->starts[texts->count]);
    const size_t rule_bytes = matches->rules * sizeof(uint32_t),
                 text_bytes = matches->texts * sizeof(uint32_t);
    const DeviceMatches counted = {host_buffer(host, matches->of_rule, rule_bytes),
                                   host_buffer(host, matches->of_text, text_bytes)};
    const uint32_t least = input_least(run, LEAST);
    char kernel[32];
    HOST_LAUNCH(host, dtbl_kernel("regx_scan", run->mode, kernel, sizeof kernel),
                dim((texts->count + THREADS - 1) / THREADS, 1, 1), dim(THREADS, 1, 1), WB_ARG(rules),
                WB_ARG(starts), WB_ARG(bytes), WB_ARG(texts->count), WB_ARG(counted), WB_ARG(least));
    host_read(host, matches->of_rule, counted.of_rule, rule_bytes);
    host_read(host, matches->of_text, counted.of_text, text_bytes);
    rules_drop(host, &rules);
    host_free(host, starts), host_free(host, bytes);
    host_free(host, counted.of_rule), host_free(host, counted.of_text);
}

static void describe(const Texts *texts, DtblShape *shape)
{
    shape->threads = texts->count;
    for (uint32_t text = 0; text < texts->count; text++)
        shape_add(shape, texts->starts[text + 1] - texts->starts[text]);
}

/* Frees the texts. */
static bool regx_run(Host *host, const DtblRun *run, const RuleSet *rules, Texts *texts, InputError *error)
{
    Automata automata;
    automata_make(rules, &automata, error);
    Matches expected = matches_make(rules, texts, error), found = matches_make(rules, texts, error);
    bool right = false;
    if (input_made(host, error) && run->shape) {
        describe(texts, run->shape);
        right = true;
    } else if (host->status == WB_OK) {
        expect_matches(rules, &automata, texts, &expected);
        match_on_device(host, run, rules, &automata, texts, &found);
        right = memcmp(found.of_rule, expected.of_rule, expected.rules * sizeof(uint32_t)) == 0 &&
                memcmp(found.of_text, expected.of_text, expected.texts * sizeof(uint32_t)) == 0;
    }
    matches_free(&expected);
    matches_free(&found);
    automata_free(&automata);
    texts_free(texts);
    return right;
}

bool regx_packets_run(Host *host, const DtblRun *run)
{
    InputError error = {0};
    Texts texts;
    packets_make(&packets_sizes[run->size], input_seed(run), &texts, &error);
    return regx_run(host, run, &packet_rules, &texts, &error);
}

bool regx_string_run(Host *host, const DtblRun *run)
{
    InputError error = {0};
    Texts texts;
    strings_make(&strings_sizes[run->size], input_seed(run), &texts, &error);
    return regx_run(host, run, &string_rules, &texts, &error);
}

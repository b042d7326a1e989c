/* Reads a study's file: libyaml gives the tree with its lines, tables of keys say where each part goes. */
#include "sweep/study.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/file.h"
#include "base/knob.h"
#include "base/nearest.h"

typedef struct Reader {
    yaml_document_t *document;
    SweepStudy *study;
    Error *error;
} Reader;

typedef struct KeyRow {
    const char *name;
    /* `into` is what the mapping is read into. */
    bool (*read)(Reader *reader, yaml_node_t *node, void *into);
} KeyRow;

bool study_wrong(const SweepStudy *study, size_t line, Error *error, const char *format, ...)
{
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    error_set(error, WB_ERROR_ARGUMENT, "%s:%zu: %s", study->path, line, text);
    return false;
}

static size_t line_of(const yaml_node_t *node) { return node->start_mark.line + 1; }

#define WRONG(node, ...) study_wrong(reader->study, line_of(node), reader->error, __VA_ARGS__)

/* -- pieces -- */

static bool read_text(Reader *reader, yaml_node_t *node, void *into)
{
    StudyText *text = into;
    if (node->type != YAML_SCALAR_NODE || strlen((char *)node->data.scalar.value) != node->data.scalar.length)
        return WRONG(node, "a single text or number is needed here.");
    *text = (StudyText){
        arena_strndup(&reader->study->arena, (char *)node->data.scalar.value, node->data.scalar.length),
        line_of(node)};
    return true;
}

static yaml_node_t *node_at(const Reader *reader, int index)
{
    return yaml_document_get_node(reader->document, index);
}

/* One text, or a list of them. */
static bool read_texts(Reader *reader, yaml_node_t *node, void *into)
{
    StudyTexts *texts = into;
    StudyText text = {0};
    if (node->type != YAML_SEQUENCE_NODE) {
        if (!read_text(reader, node, &text))
            return false;
        VEC_PUSH(texts, text);
        return true;
    }
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top;
         item++) {
        if (!read_text(reader, node_at(reader, *item), &text))
            return false;
        VEC_PUSH(texts, text);
    }
    return texts->count || WRONG(node, "this list is empty: then there is no run at all.");
}

/* Calls `visit` for each pair; YAML lets a key come twice, and the later value would silently win. */
static bool read_pairs(Reader *reader, yaml_node_t *node, const char *what,
                       bool (*visit)(Reader *reader, const StudyText *key, yaml_node_t *value, void *into),
                       void *into)
{
    if (node->type != YAML_MAPPING_NODE)
        return WRONG(node, "%s is a list of 'name: value' lines.", what);
    StudyTexts seen = {0};
    bool right = true;
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         right && pair < node->data.mapping.pairs.top; pair++) {
        StudyText key = {0};
        right = read_text(reader, node_at(reader, pair->key), &key);
        for (uint32_t i = 0; right && i < seen.count; i++)
            if (strcmp(seen.items[i].text, key.text) == 0)
                right =
                    study_wrong(reader->study, key.line, reader->error, "'%.80s' is given twice.", key.text);
        VEC_PUSH(&seen, key);
        right = right && visit(reader, &key, node_at(reader, pair->value), into);
    }
    VEC_FREE(&seen);
    return right;
}

/* A mapping whose keys are those of a table. */
typedef struct Keyed {
    const char *what;
    const KeyRow *rows;
    size_t count;
    void *into;
} Keyed;

static bool visit_key(Reader *reader, const StudyText *key, yaml_node_t *value, void *into)
{
    const Keyed *keyed = into;
    char hint[NEAREST_HINT_SIZE];
    Nearest nearest = nearest_to(key->text);
    for (size_t i = 0; i < keyed->count; i++) {
        nearest_offer(&nearest, keyed->rows[i].name);
        if (strcmp(key->text, keyed->rows[i].name) == 0)
            return keyed->rows[i].read(reader, value, keyed->into);
    }
    return study_wrong(reader->study, key->line, reader->error, "%s has no '%.80s'%s", keyed->what, key->text,
                       nearest_hint(&nearest, hint, sizeof hint));
}

#define READ_KEYED(reader, node, title, rows, into)                                                          \
    read_pairs(reader, node, title, visit_key, &(Keyed){title, rows, sizeof rows / sizeof *rows, into})

/* -- ranges -- */

typedef struct Range {
    StudyText from, to, step, times;
} Range;

#define READ_FIELD(function, type, field, reader_of_it)                                                      \
    static bool function(Reader *reader, yaml_node_t *node, void *into)                                      \
    {                                                                                                        \
        return reader_of_it(reader, node, &((type *)into)->field);                                           \
    }
READ_FIELD(range_from, Range, from, read_text)
READ_FIELD(range_to, Range, to, read_text)
READ_FIELD(range_step, Range, step, read_text)
READ_FIELD(range_times, Range, times, read_text)

static const KeyRow range_keys[] = {
    {"from", range_from}, {"to", range_to}, {"step", range_step}, {"times", range_times}};

static bool read_number(Reader *reader, const StudyText *text, uint64_t least, uint64_t *number)
{
    if (knob_parse_bytes(text->text, number) && *number >= least && *number < UINT64_MAX / 2)
        return true;
    return study_wrong(reader->study, text->line, reader->error,
                       "a whole number from %d on is needed here, not '%.80s'.", (int)least, text->text);
}

/* {from: 1, to: 16, times: 2} is [1, 2, 4, 8, 16]; without `step` and `times` the step is 1. */
static bool read_range(Reader *reader, yaml_node_t *node, StudyTexts *texts)
{
    enum { MOST_VALUES = 100000 };
    Range range = {0};
    uint64_t from, to, step = 1, times = 1;
    if (!READ_KEYED(reader, node, "a range", range_keys, &range))
        return false;
    if (!range.from.text || !range.to.text || (range.step.text && range.times.text))
        return WRONG(node, "a range has 'from', 'to', and 'step' or 'times'.");
    if (!read_number(reader, &range.from, range.times.text ? 1 : 0, &from) ||
        !read_number(reader, &range.to, 0, &to) ||
        (range.step.text && !read_number(reader, &range.step, 1, &step)) ||
        (range.times.text && !read_number(reader, &range.times, 2, &times)))
        return false;
    for (uint64_t value = from; value <= to; value = range.times.text ? value * times : value + step) {
        if (texts->count == MOST_VALUES)
            return WRONG(node, "this range has more than %d values.", MOST_VALUES);
        const char *text = arena_printf(&reader->study->arena, "%" PRIu64, value);
        VEC_PUSH(texts, ((StudyText){text, line_of(node)}));
        if (value > UINT64_MAX / 2 / times)
            break;
    }
    return texts->count || WRONG(node, "this range is empty: 'to' is less than 'from'.");
}

static bool read_values(Reader *reader, yaml_node_t *node, void *into)
{
    return node->type == YAML_MAPPING_NODE ? read_range(reader, node, into) : read_texts(reader, node, into);
}

static bool visit_axis(Reader *reader, const StudyText *key, yaml_node_t *value, void *into)
{
    StudyAxes *axes = into;
    VEC_PUSH(axes, ((StudyAxis){.name = *key}));
    return read_values(reader, value, &axes->items[axes->count - 1].values);
}

static bool read_axes(Reader *reader, yaml_node_t *node, void *into)
{
    return read_pairs(reader, node, "this", visit_axis, into);
}

static bool visit_variant(Reader *reader, const StudyText *key, yaml_node_t *value, void *into)
{
    SweepStudy *study = into;
    VEC_PUSH(&study->variants, ((StudyVariant){.name = *key}));
    StudyAxes *knobs = &study->variants.items[study->variants.count - 1].knobs;
    /* `base:` alone changes nothing. */
    const bool is_empty = value->type == YAML_SCALAR_NODE && value->data.scalar.length == 0;
    if (!is_empty && !read_axes(reader, value, knobs))
        return false;
    for (uint32_t i = 0; i < knobs->count; i++)
        if (knobs->items[i].values.count > 1)
            return study_wrong(study, knobs->items[i].name.line, reader->error,
                               "a knob of a variant has one value; several belong under 'knobs'.");
    return true;
}

/* -- what is run -- */

READ_FIELD(work_what, StudyWork, what, read_text)
READ_FIELD(work_modes, StudyWork, modes, read_texts)
READ_FIELD(work_sizes, StudyWork, sizes, read_texts)
READ_FIELD(work_gpu_counts, StudyWork, gpu_counts, read_values)
READ_FIELD(work_arguments, StudyWork, arguments, read_texts)
READ_FIELD(work_inputs, StudyWork, inputs, read_texts)
READ_FIELD(work_parameters, StudyWork, parameters, read_axes)
READ_FIELD(work_knobs, StudyWork, knobs, read_axes)

static const KeyRow workload_keys[] = {
    {"name", work_what},
    {"modes", work_modes},
    {"sizes", work_sizes},
    {"gpu_counts", work_gpu_counts},
    {"knobs", work_knobs}};
static const KeyRow program_keys[] = {{"program", work_what},
                                      {"arguments", work_arguments},
                                      {"parameters", work_parameters},
                                      {"inputs", work_inputs},
                                      {"gpu_counts", work_gpu_counts},
                                      {"knobs", work_knobs}};

static bool read_work(Reader *reader, yaml_node_t *node, bool is_program)
{
    StudyWork work = {.is_program = is_program};
    bool right;
    if (node->type == YAML_SCALAR_NODE)
        right = read_text(reader, node, &work.what);
    else if (is_program)
        right = READ_KEYED(reader, node, "a program", program_keys, &work);
    else
        right = READ_KEYED(reader, node, "a workload", workload_keys, &work);
    if (right && !work.what.text)
        right = WRONG(node, is_program ? "this needs 'program: PATH'." : "this needs 'name: WORKLOAD'.");
    VEC_PUSH(&reader->study->works, work);
    return right;
}

static bool read_works(Reader *reader, yaml_node_t *node, bool is_program)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return read_work(reader, node, is_program);
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top;
         item++)
        if (!read_work(reader, node_at(reader, *item), is_program))
            return false;
    return true;
}

static bool study_workloads(Reader *reader, yaml_node_t *node, void *into)
{
    (void)into;
    return read_works(reader, node, false);
}

static bool study_programs(Reader *reader, yaml_node_t *node, void *into)
{
    (void)into;
    return read_works(reader, node, true);
}

/* -- the whole -- */

static bool study_named(Reader *reader, yaml_node_t *node, void *into)
{
    SweepStudy *study = into;
    StudyText name = {0};
    if (!read_text(reader, node, &name))
        return false;
    study->name = name.text;
    return *name.text || WRONG(node, "a study's name is not empty.");
}

static bool study_functional(Reader *reader, yaml_node_t *node, void *into)
{
    SweepStudy *study = into;
    StudyText text = {0};
    return read_text(reader, node, &text) &&
           (knob_parse_boolean(text.text, &study->is_functional) ||
            WRONG(node, "'functional' is true or false, not '%.80s'.", text.text));
}

static bool study_variants(Reader *reader, yaml_node_t *node, void *into)
{
    return read_pairs(reader, node, "'variants'", visit_variant, into);
}

static bool study_exceptions(Reader *reader, yaml_node_t *node, void *into)
{
    SweepStudy *study = into;
    if (node->type != YAML_SEQUENCE_NODE)
        return WRONG(node, "'except' is a list; each entry has 'name: value' lines.");
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top;
         item++) {
        VEC_PUSH(&study->exceptions, ((StudyAxes){0}));
        if (!read_axes(reader, node_at(reader, *item), &study->exceptions.items[study->exceptions.count - 1]))
            return false;
    }
    return true;
}

READ_FIELD(study_gpus, SweepStudy, gpus, read_texts)
READ_FIELD(study_policies, SweepStudy, policies, read_texts)
READ_FIELD(study_modes, SweepStudy, modes, read_texts)
READ_FIELD(study_sizes, SweepStudy, sizes, read_texts)
READ_FIELD(study_gpu_counts, SweepStudy, gpu_counts, read_values)
READ_FIELD(study_knobs, SweepStudy, knobs, read_axes)

static const KeyRow study_keys[] = {{"name", study_named},          {"gpus", study_gpus},
                                    {"knobs", study_knobs},         {"variants", study_variants},
                                    {"workloads", study_workloads}, {"programs", study_programs},
                                    {"modes", study_modes},         {"sizes", study_sizes},
                                    {"policies", study_policies},   {"functional", study_functional},
                                    {"gpu_counts", study_gpu_counts}, {"except", study_exceptions}};

static void set_path(SweepStudy *study, const char *path)
{
    const char *last = file_last_part(path), *dot = strrchr(last, '.');
    study->path = arena_printf(&study->arena, "%s", path);
    study->folder = last == path ? "." : arena_strndup(&study->arena, path, (size_t)(last - path));
    study->name = arena_strndup(&study->arena, last, dot && dot > last ? (size_t)(dot - last) : strlen(last));
}

static bool read_document(Reader *reader)
{
    SweepStudy *study = reader->study;
    yaml_node_t *root = yaml_document_get_root_node(reader->document);
    if (!root)
        return study_wrong(study, 1, reader->error,
                           "a study names 'workloads' or 'programs'; this is empty.");
    if (!READ_KEYED(reader, root, "a study", study_keys, study))
        return false;
    return study->works.count ||
           study_wrong(study, 1, reader->error, "a study names 'workloads' or 'programs'; this has neither.");
}

static bool parse(SweepStudy *study, size_t length, Error *error)
{
    yaml_parser_t parser;
    yaml_document_t document;
    if (!yaml_parser_initialize(&parser)) {
        error_set(error, WB_ERROR_OUT_OF_MEMORY, "There is no host memory to read %s.", study->path);
        return false;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)study->text, length);
    bool right = yaml_parser_load(&parser, &document);
    if (!right) {
        study_wrong(study, parser.problem_mark.line + 1, error, "this is not YAML: %s.",
                    parser.problem ? parser.problem : "unreadable");
    } else {
        right = read_document(&(Reader){&document, study, error});
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return right;
}

bool study_read(const char *path, SweepStudy *study, Error *error)
{
    enum { MOST_BYTES = 1 << 20 };
    size_t length;
    *study = (SweepStudy){0};
    set_path(study, path);
    char *text = file_read("study", path, &length, error);
    if (!text)
        return false;
    study->text = arena_strndup(&study->arena, text, length);
    xfree(text);
    if (length > MOST_BYTES || strlen(study->text) != length)
        return study_wrong(study, 1, error, "a study is a text of at most 1 MiB.");
    return parse(study, length, error);
}

/* -- its end -- */

static void free_axes(StudyAxes *axes)
{
    for (uint32_t i = 0; i < axes->count; i++)
        VEC_FREE(&axes->items[i].values);
    VEC_FREE(axes);
}

static void free_work(StudyWork *work)
{
    VEC_FREE(&work->modes);
    VEC_FREE(&work->sizes);
    VEC_FREE(&work->gpu_counts);
    VEC_FREE(&work->arguments);
    VEC_FREE(&work->inputs);
    free_axes(&work->parameters);
    free_axes(&work->knobs);
}

void study_free(SweepStudy *study)
{
    for (uint32_t i = 0; i < study->works.count; i++)
        free_work(&study->works.items[i]);
    for (uint32_t i = 0; i < study->variants.count; i++)
        free_axes(&study->variants.items[i].knobs);
    for (uint32_t i = 0; i < study->exceptions.count; i++)
        free_axes(&study->exceptions.items[i]);
    VEC_FREE(&study->works);
    VEC_FREE(&study->variants);
    VEC_FREE(&study->exceptions);
    VEC_FREE(&study->gpus);
    VEC_FREE(&study->policies);
    VEC_FREE(&study->modes);
    VEC_FREE(&study->sizes);
    VEC_FREE(&study->gpu_counts);
    free_axes(&study->knobs);
    arena_free(&study->arena);
}

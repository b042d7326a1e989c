/* Reads what users say of several GPUs. A YAML file is a mapping: the list `gpus`, and knobs for all. */
#include "config/gpu_set.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

#include "base/file.h"

void gpu_set_free(GpuSet *set)
{
    for (uint32_t i = 0; i < set->count; i++) {
        GpuSetItem *item = &set->items[i];
        for (uint32_t s = 0; s < item->settings.count; s++) {
            xfree(item->settings.items[s].knob);
            xfree(item->settings.items[s].value);
            xfree(item->settings.items[s].where);
        }
        VEC_FREE(&item->settings);
        xfree(item->configuration);
    }
    *set = (GpuSet){0};
}

static WbStatus add(GpuSet *set, const char *configuration, const char *where, Error *error)
{
    if (set->count == GPU_SET_MOST)
        return error_set(error, WB_ERROR_ARGUMENT, "%sa host has at most %d GPUs.", where, GPU_SET_MOST);
    set->items[set->count++].configuration = xcopy_text(configuration);
    return WB_OK;
}

static void add_setting(GpuSetItem *item, const char *knob, const char *value, const char *where)
{
    VEC_PUSH(&item->settings, ((GpuSetting){xcopy_text(knob), xcopy_text(value), xcopy_text(where)}));
}

/* -- a number, names -- */

static WbStatus read_count(const char *text, const char *what, const char *where, long *count, Error *error)
{
    char *end;
    *count = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;
    if (isdigit((unsigned char)*text) && !*end && *count >= 1 && *count <= GPU_SET_MOST)
        return WB_OK;
    return error_set(error, WB_ERROR_ARGUMENT, "%s%s is 1 to %d GPUs, not '%.80s'.", where, what,
                     GPU_SET_MOST, text);
}

static WbStatus read_names(const char *text, GpuSet *set, Error *error)
{
    for (const char *at = text; at; at = *at ? at + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        char *name = xcopy_part(at, length);
        WbStatus status = WB_OK;
        if (length == 0)
            status = error_set(error, WB_ERROR_ARGUMENT,
                               "'%.200s' names no GPU at one of its places: write a number, names with "
                               "commas between them as h200,titanx, or the path of a YAML file.",
                               text);
        else
            status = add(set, name, "", error);
        xfree(name);
        if (status)
            return status;
        at += length;
    }
    return WB_OK;
}

/* -- a file -- */

/* What is being read, for sentences and for paths in it. */
typedef struct Reader {
    yaml_document_t document;
    const char *path;
    GpuSet *set;
    Error *error;
} Reader;

static const yaml_node_t *node_of(Reader *reader, int index)
{
    return yaml_document_get_node(&reader->document, index);
}

/* Null of what is no text. */
static const char *text_of(const yaml_node_t *node)
{
    const char *text = (const char *)node->data.scalar.value;
    return node->type == YAML_SCALAR_NODE && strlen(text) == node->data.scalar.length ? text : NULL;
}

static const char *place(const Reader *reader, const yaml_node_t *node, char where[CONFIG_PATH_SIZE + 32])
{
    snprintf(where, CONFIG_PATH_SIZE + 32, "%.*s:%zu: ", CONFIG_PATH_SIZE, reader->path,
             node->start_mark.line + 1);
    return where;
}

/* A path is one from the folder of the file; a name stays one, but a file of that name beside it wins. */
static WbStatus add_named(Reader *reader, const char *name, const yaml_node_t *node)
{
    char where[CONFIG_PATH_SIZE + 32], path[CONFIG_PATH_SIZE];
    const char *slash = strrchr(reader->path, '/');
    const int folder = slash ? (int)(slash - reader->path) + 1 : 0;
    snprintf(path, sizeof path, "%.*s%s%s", folder, reader->path, name, config_is_path(name) ? "" : ".yaml");
    if (*name != '/' && (config_is_path(name) || access(path, R_OK) == 0))
        name = path;
    /* Tried now, so that the sentence has its line. */
    GpuConfig scratch;
    Error wrong = {0};
    if (config_load(name, &scratch, &wrong))
        return error_set(reader->error, wrong.status, "%s%s", place(reader, node, where), wrong.text);
    return add(reader->set, name, place(reader, node, where), reader->error);
}

/* A pair whose key is a knob: checked now, so that the sentence has its line. */
static WbStatus check_knob(Reader *reader, const yaml_node_t *key, const yaml_node_t *value,
                           const char *also)
{
    char where[CONFIG_PATH_SIZE + 32];
    GpuConfig scratch = {0};
    place(reader, key, where);
    if (!text_of(key) || !text_of(value))
        return error_set(reader->error, WB_ERROR_ARGUMENT,
                         "%sa knob is a word, and its value a single text or number.", where);
    if (!knob_find(&config_knobs, text_of(key)))
        return knob_unknown(&config_knobs, text_of(key), also, where, reader->error);
    return knob_set(&config_knobs, &scratch, text_of(key), text_of(value), where, reader->error);
}

static WbStatus set_knob(Reader *reader, uint32_t first, const yaml_node_t *key, const yaml_node_t *value,
                         const char *also)
{
    char where[CONFIG_PATH_SIZE + 32];
    if (check_knob(reader, key, value, also))
        return reader->error->status;
    for (uint32_t i = first; i < reader->set->count; i++)
        add_setting(&reader->set->items[i], text_of(key), text_of(value), place(reader, key, where));
    return WB_OK;
}

/* The value of a key of a mapping, or null. */
static const yaml_node_t *value_of(Reader *reader, const yaml_node_t *mapping, const char *key)
{
    const yaml_node_pair_t *end = mapping->data.mapping.pairs.top;
    for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < end; pair++) {
        const char *text = text_of(node_of(reader, pair->key));
        if (text && strcmp(text, key) == 0)
            return node_of(reader, pair->value);
    }
    return NULL;
}

/* One of the list with knobs of its own. */
static WbStatus read_mapping(Reader *reader, const yaml_node_t *mapping)
{
    char where[CONFIG_PATH_SIZE + 32];
    const yaml_node_t *gpu = value_of(reader, mapping, "gpu"), *many = value_of(reader, mapping, "count");
    const uint32_t first = reader->set->count;
    long count = 1;
    if (!gpu || !text_of(gpu))
        return error_set(reader->error, WB_ERROR_ARGUMENT,
                         "%sa GPU with knobs of its own needs its configuration: gpu: NAME.",
                         place(reader, mapping, where));
    if (many && read_count(text_of(many) ? text_of(many) : "", "count", place(reader, many, where), &count,
                           reader->error))
        return reader->error->status;
    for (long i = 0; i < count; i++)
        if (add_named(reader, text_of(gpu), gpu))
            return reader->error->status;
    const yaml_node_pair_t *end = mapping->data.mapping.pairs.top;
    for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < end; pair++) {
        const yaml_node_t *value = node_of(reader, pair->value);
        if (value != gpu && value != many &&
            set_knob(reader, first, node_of(reader, pair->key), value, "gpu"))
            return reader->error->status;
    }
    return WB_OK;
}

static WbStatus read_list(Reader *reader, const yaml_node_t *list)
{
    char where[CONFIG_PATH_SIZE + 32];
    if (list->type != YAML_SEQUENCE_NODE || list->data.sequence.items.start == list->data.sequence.items.top)
        return error_set(reader->error, WB_ERROR_ARGUMENT,
                         "%s'gpus' is a list of configurations: a line '- NAME' for each.",
                         place(reader, list, where));
    const yaml_node_item_t *end = list->data.sequence.items.top;
    for (const yaml_node_item_t *item = list->data.sequence.items.start; item < end; item++) {
        const yaml_node_t *node = node_of(reader, *item);
        if (node->type == YAML_MAPPING_NODE ? read_mapping(reader, node)
            : text_of(node)                 ? add_named(reader, text_of(node), node)
                                            : error_set(reader->error, WB_ERROR_ARGUMENT,
                                                        "%sa GPU is the name of a configuration, or "
                                                        "'gpu: NAME' with knobs.",
                                                        place(reader, node, where)))
            return reader->error->status;
    }
    return WB_OK;
}

/* Knobs for all come first: a GPU's own win. */
static void put_first(GpuSetItem *item, uint32_t own)
{
    const uint32_t all = item->settings.count - own;
    GpuSetting *const sorted = xcalloc(item->settings.count + 1, sizeof *sorted);
    memcpy(sorted, item->settings.items + own, all * sizeof *sorted);
    memcpy(sorted + all, item->settings.items, own * sizeof *sorted);
    memcpy(item->settings.items, sorted, item->settings.count * sizeof *sorted);
    xfree(sorted);
}

static WbStatus read_root(Reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *list = value_of(reader, root, "gpus");
    if (!list)
        return add(reader->set, reader->path, "", reader->error);
    if (read_list(reader, list))
        return reader->error->status;
    uint32_t own[GPU_SET_MOST];
    for (uint32_t i = 0; i < reader->set->count; i++)
        own[i] = reader->set->items[i].settings.count;
    const yaml_node_pair_t *end = root->data.mapping.pairs.top;
    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < end; pair++) {
        const yaml_node_t *value = node_of(reader, pair->value);
        if (value != list && set_knob(reader, 0, node_of(reader, pair->key), value, "gpus"))
            return reader->error->status;
    }
    for (uint32_t i = 0; i < reader->set->count; i++)
        put_first(&reader->set->items[i], own[i]);
    return WB_OK;
}

static WbStatus read_document(const char *path, yaml_parser_t *parser, GpuSet *set, Error *error)
{
    Reader reader = {.path = path, .set = set, .error = error};
    if (!yaml_parser_load(parser, &reader.document))
        return error_set(error, WB_ERROR_ARGUMENT, "%s:%zu: this is not YAML: %s.", path,
                         parser->problem_mark.line + 1, parser->problem ? parser->problem : "unreadable");
    const yaml_node_t *root = yaml_document_get_root_node(&reader.document);
    if (!root || root->type != YAML_MAPPING_NODE)
        error_set(error, WB_ERROR_ARGUMENT, "%s:1: a file of GPUs has a list 'gpus:', and knobs for all.",
                  path);
    else
        read_root(&reader, root);
    yaml_document_delete(&reader.document);
    return error->status;
}

static WbStatus read_file(const char *path, GpuSet *set, Error *error)
{
    size_t length = 0;
    yaml_parser_t parser;
    char *text = file_read("file of GPUs", path, &length, error);
    if (!text)
        return error->status;
    if (!yaml_parser_initialize(&parser)) {
        xfree(text);
        return error_set(error, WB_ERROR_OUT_OF_MEMORY, "There is no host memory to read %s.", path);
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    const WbStatus status = read_document(path, &parser, set, error);
    yaml_parser_delete(&parser);
    xfree(text);
    return status;
}

WbStatus gpu_set_read(const char *text, const char *usual, GpuSet *set, Error *error)
{
    long count = 0;
    *set = (GpuSet){0};
    if (isdigit((unsigned char)*text) && text[strspn(text, "0123456789")] == '\0')
        read_count(text, "--gpus", "", &count, error);
    else if (!strchr(text, ',') && config_is_path(text))
        read_file(text, set, error);
    else
        read_names(text, set, error);
    for (long i = 0; i < count && error->status == WB_OK; i++)
        add(set, usual, "", error);
    if (error->status)
        gpu_set_free(set);
    return error->status;
}

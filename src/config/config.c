/* Reads a configuration file: libyaml gives the pairs with their lines, the knob table takes them. */
#include "config/config.h"

#include "base/alloc.h"
#include "base/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

enum { DEEPEST_INHERITANCE = 16 };

static WbStatus load_file(const char *path, GpuConfig *config, unsigned depth, Error *error);

/* -- names that there are -- */

/* A listed name lives only during the visit, so the best one is kept as a copy. */
typedef struct NearestConfig {
    Nearest nearest;
    char name[CONFIG_PATH_SIZE];
} NearestConfig;

static void offer_name(void *context, const char *name, const char *path)
{
    (void)path;
    NearestConfig *found = context;
    nearest_offer(&found->nearest, name);
    /* It was taken as the best just now. */
    if (found->nearest.best == name) {
        snprintf(found->name, sizeof found->name, "%s", name);
        found->nearest.best = found->name;
    }
}

/* "; did you mean gtx480?" */
static const char *hint_at_names(const char *name, const char *beside, char hint[NEAREST_HINT_SIZE])
{
    NearestConfig found = {.nearest = nearest_to(name)};
    config_list(beside, offer_name, &found);
    return nearest_hint(&found.nearest, hint, NEAREST_HINT_SIZE);
}

/* -- the file -- */

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Null of what is no text, or one with zeros in it. */
static const char *scalar(const yaml_node_t *node)
{
    const char *text = (const char *)node->data.scalar.value;
    return node->type == YAML_SCALAR_NODE && strlen(text) == node->data.scalar.length ? text : NULL;
}

/* The pair's key and value as text, or an error that names the line. */
static WbStatus read_pair(yaml_document_t *document, const yaml_node_pair_t *pair, const char *path,
                          const char **key, const char **value, size_t *line, Error *error)
{
    const yaml_node_t *key_node = yaml_document_get_node(document, pair->key);
    const yaml_node_t *value_node = yaml_document_get_node(document, pair->value);
    *line = key_node->start_mark.line + 1;
    *key = scalar(key_node);
    *value = scalar(value_node);
    if (!*key)
        return error_set(error, WB_ERROR_ARGUMENT, "%s:%zu: a key must be a plain word.", path, *line);
    if (!*value)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s:%zu: the value of '%.80s' must be a single text or number.", path, *line, *key);
    return WB_OK;
}

/* A path is one from the folder of the file that says it. */
static bool find_beside(const char *parent, const char *path, char parent_path[CONFIG_PATH_SIZE])
{
    const char *slash = *parent == '/' ? NULL : strrchr(path, '/');
    const int length =
        snprintf(parent_path, CONFIG_PATH_SIZE, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, parent);
    return length < CONFIG_PATH_SIZE && access(parent_path, F_OK) == 0;
}

static WbStatus no_parent(const char *parent, const char *path, size_t line, Error *error)
{
    char hint[NEAREST_HINT_SIZE] = "; a path is looked for from the folder of this file on.";
    if (!config_is_path(parent))
        hint_at_names(parent, path, hint);
    return error_set(error, WB_ERROR_NOT_FOUND, "%s:%zu: there is no configuration '%.80s' to inherit from%s",
                     path, line, parent, hint);
}

static WbStatus inherit(const char *parent, const char *path, size_t line, GpuConfig *config, unsigned depth,
                        Error *error)
{
    char parent_path[CONFIG_PATH_SIZE];
    /* A circle is not looked for; it is simply too deep. */
    if (depth == DEEPEST_INHERITANCE)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s:%zu: 'inherits: %.80s' goes round in a circle or deeper than %d.", path, line,
                         parent, DEEPEST_INHERITANCE);
    if (!(config_is_path(parent) ? find_beside(parent, path, parent_path)
                                 : config_find(parent, path, parent_path)))
        return no_parent(parent, path, line, error);
    if (load_file(parent_path, config, depth + 1, error))
        return error->status;
    /* These two are a file's own. */
    config->name[0] = config->description[0] = '\0';
    return WB_OK;
}

/* The inherited values come first, wherever the file says `inherits`; then the file's own, in order. */
static WbStatus apply_mapping(yaml_document_t *document, const yaml_node_t *root, const char *path,
                              GpuConfig *config, unsigned depth, Error *error)
{
    const char *key, *value;
    size_t line;
    const yaml_node_pair_t *first = root->data.mapping.pairs.start, *end = root->data.mapping.pairs.top;
    for (const yaml_node_pair_t *pair = first; pair < end; pair++) {
        if (read_pair(document, pair, path, &key, &value, &line, error))
            return error->status;
        if (strcmp(key, "inherits") == 0 && inherit(value, path, line, config, depth, error))
            return error->status;
    }
    for (const yaml_node_pair_t *pair = first; pair < end; pair++) {
        if (read_pair(document, pair, path, &key, &value, &line, error))
            return error->status;
        /* YAML lets a key come twice, and the later value would silently win. */
        for (const yaml_node_pair_t *other = first; other < pair; other++) {
            const char *other_key = scalar(yaml_document_get_node(document, other->key));
            if (strcmp(other_key, key) == 0)
                return error_set(error, WB_ERROR_ARGUMENT, "%s:%zu: '%.80s' is given twice.", path, line,
                                 key);
        }
        char where[CONFIG_PATH_SIZE + 32];
        snprintf(where, sizeof where, "%s:%zu: ", path, line);
        if (strcmp(key, "inherits") == 0)
            continue;
        /* Asked first, so that the sentence can also offer `inherits`, which is no knob. */
        if (!knob_find(&config_knobs, key))
            return knob_unknown(&config_knobs, key, "inherits", where, error);
        if (knob_set(&config_knobs, config, key, value, where, error))
            return error->status;
    }
    return WB_OK;
}

static WbStatus apply_document(yaml_parser_t *parser, const char *path, GpuConfig *config, unsigned depth,
                               Error *error)
{
    yaml_document_t document;
    if (!yaml_parser_load(parser, &document))
        return error_set(error, WB_ERROR_ARGUMENT, "%s:%zu: this is not YAML: %s.", path,
                         parser->problem_mark.line + 1, parser->problem ? parser->problem : "unreadable");
    const yaml_node_t *root = yaml_document_get_root_node(&document);
    WbStatus status = WB_OK;
    if (!root)
        status = error_set(error, WB_ERROR_ARGUMENT,
                           "%s holds no 'key: value' line: `inherits: NAME` would be the least.", path);
    else if (root->type != YAML_MAPPING_NODE)
        status = error_set(error, WB_ERROR_ARGUMENT, "%s:1: a configuration is a list of 'key: value' lines.",
                           path);
    else
        status = apply_mapping(&document, root, path, config, depth, error);
    yaml_document_delete(&document);
    return status;
}

/* A file holds one document, whatever else YAML has for files of several. */
static WbStatus check_end(yaml_parser_t *parser, const char *path, Error *error)
{
    yaml_document_t document;
    if (!yaml_parser_load(parser, &document))
        return error_set(error, WB_ERROR_ARGUMENT, "%s:%zu: this is not YAML: %s.", path,
                         parser->problem_mark.line + 1, parser->problem ? parser->problem : "unreadable");
    if (yaml_document_get_root_node(&document))
        error_set(error, WB_ERROR_ARGUMENT,
                  "%s:%zu: a second document begins here, which would not be read: a configuration is one.",
                  path, document.start_mark.line + 1);
    yaml_document_delete(&document);
    return error->status;
}

/* A configuration is called as its file is, unless it says otherwise. */
static void name_by_file(const char *path, GpuConfig *config)
{
    const char *slash = strrchr(path, '/');
    snprintf(config->name, sizeof config->name, "%.*s", KNOB_STRING_SIZE - 1, slash ? slash + 1 : path);
    char *dot = strrchr(config->name, '.');
    if (dot)
        *dot = '\0';
}

/* The whole file, to be given to xfree(); null: an error stands. */
static char *read_config(const char *path, size_t *length, Error *error)
{
    enum { MOST_BYTES = 1 << 20 };
    FILE *file = fopen(path, "rb");
    char *text = file ? xmalloc(MOST_BYTES + 1) : NULL;
    *length = file ? fread(text, 1, MOST_BYTES + 1, file) : 0;
    if (!file || ferror(file))
        error_set(error, WB_ERROR_NOT_FOUND, "The configuration file %s cannot be read: %s.", path,
                  strerror(errno));
    else if (*length > MOST_BYTES)
        error_set(error, WB_ERROR_ARGUMENT, "The configuration file %s is larger than 1 MiB.", path);
    if (file)
        fclose(file);
    if (error->status == WB_OK)
        return text;
    xfree(text);
    return NULL;
}

static bool start_parser(yaml_parser_t *parser, const char *text, size_t length, const char *path,
                         Error *error)
{
    if (!yaml_parser_initialize(parser)) {
        error_set(error, WB_ERROR_OUT_OF_MEMORY, "There is no host memory to read %s.", path);
        return false;
    }
    yaml_parser_set_input_string(parser, (const unsigned char *)text, length);
    return true;
}

/* Lists within lists within lists take the library a time that is quadratic in their number. What is no YAML
 * is told by whoever reads it. */
static WbStatus check_depth(const char *text, size_t length, const char *path, Error *error)
{
    enum { MOST_DEPTH = 8 };
    yaml_parser_t parser;
    yaml_event_t event;
    if (!start_parser(&parser, text, length, path, error))
        return error->status;
    bool is_over = false;
    for (int depth = 0; !is_over && yaml_parser_parse(&parser, &event); yaml_event_delete(&event)) {
        const yaml_event_type_t type = event.type;
        depth += type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
        depth -= type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT;
        is_over = type == YAML_STREAM_END_EVENT || depth > MOST_DEPTH;
        if (depth > MOST_DEPTH)
            error_set(error, WB_ERROR_ARGUMENT, "%s:%zu: a configuration is a list of 'key: value' lines.",
                      path, event.start_mark.line + 1);
    }
    yaml_parser_delete(&parser);
    return error->status;
}

static WbStatus load_file(const char *path, GpuConfig *config, unsigned depth, Error *error)
{
    if (is_folder(path))
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s is a folder; a configuration is the name of a GPU or a YAML file.", path);
    size_t length = 0;
    char *text = read_config(path, &length, error);
    yaml_parser_t parser;
    if (!text || check_depth(text, length, path, error) ||
        !start_parser(&parser, text, length, path, error)) {
        xfree(text);
        return error->status;
    }
    WbStatus status = apply_document(&parser, path, config, depth, error);
    if (status == WB_OK)
        status = check_end(&parser, path, error);
    yaml_parser_delete(&parser);
    xfree(text);
    return status;
}

static WbStatus not_found(const char *name, Error *error)
{
    if (*name && access(name, F_OK) == 0 && !is_folder(name))
        return error_set(
            error, WB_ERROR_NOT_FOUND,
            "There is no GPU configuration '%.200s'; a file of that name is there, and would be read "
            "if it ended with .yaml or were given as ./%.200s.",
            name, name);
    char hint[NEAREST_HINT_SIZE];
    return error_set(error, WB_ERROR_NOT_FOUND,
                     "There is no GPU configuration '%.200s'%s `warpbeam list gpus` shows all.", name,
                     hint_at_names(name, NULL, hint));
}

bool config_is_path(const char *name)
{
    const size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".yaml") == 0);
}

WbStatus config_load(const char *name, GpuConfig *config, Error *error)
{
    char path[CONFIG_PATH_SIZE];
    const size_t length = strlen(name);
    const bool is_path = config_is_path(name);
    if (is_path && length < sizeof path)
        strcpy(path, name);
    else if (is_path || !config_find(name, NULL, path))
        return not_found(name, error);
    memset(config, 0, sizeof *config);
    knob_defaults(&config_knobs, config);
    if (load_file(path, config, 0, error))
        return error->status;
    if (!*config->name)
        name_by_file(path, config);
    /* Only the whole is checked: a file that others inherit from need not be right by itself. */
    if (config_check(config, error) || config_check_machine(config, error))
        return error->status;
    return WB_OK;
}

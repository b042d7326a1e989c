/* A validator of JSON schemas, for what docs/report.schema.json uses of them: type, enum, properties, required,
 * additionalProperties, items, minItems, maxItems, and $ref into $defs. */
#ifndef TESTS_SCHEMA_CHECK_H
#define TESTS_SCHEMA_CHECK_H

#include <jansson.h>
#include <stdbool.h>

/* False with the first place that is wrong and why in `why`. A keyword of the schema that is not known here is
 * wrong, too. */
bool schema_check(const json_t *schema, const json_t *value, char *why, size_t size);

#endif

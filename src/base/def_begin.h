/* Before a .def with rows of several kinds: those that whoever includes it has given no meaning mean nothing.
 * def_end.h takes that back. Neither has an include guard. */
#ifndef KNOB_INTEGER
#define KNOB_INTEGER(field, initial, minimum, maximum, unit, description)
#define KNOB_POWER(field, initial, minimum, maximum, unit, description)
#define KNOB_ENUMERATION(field, initial, choices, description)
#define KNOB_BOOLEAN(field, initial, description)
#define KNOB_STRING(field, initial, description)
#define WITHOUT_KNOBS
#endif
#ifndef COUNT
#define COUNT(field, unit, description)
#define WITHOUT_COUNTERS
#endif
#ifndef INTRINSIC
#define INTRINSIC(function, name, arguments, description, ...)
#define WITHOUT_INTRINSICS
#endif
#ifndef BLOCK_WAIT
#define BLOCK_WAIT(identifier, name, singular, plural)
#define WITHOUT_WAITS
#endif

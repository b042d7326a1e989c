/* What the rows of a .def mean as rows of the table of a GpuConfig's knobs. There is no include guard:
 * whoever makes a table includes it before the rows. */
#define KNOB_ROW(field, kind) #field, KNOB_KIND_##kind, offsetof(GpuConfig, field)
#define KNOB_INTEGER(field, initial, minimum, maximum, unit, description)                                    \
    {KNOB_ROW(field, INTEGER), #initial, minimum##u, maximum##u, false, NULL, unit, description},
#define KNOB_POWER(field, initial, minimum, maximum, unit, description)                                      \
    {KNOB_ROW(field, INTEGER), #initial, minimum##u, maximum##u, true, NULL, unit, description},
#define KNOB_ENUMERATION(field, initial, choices, description)                                               \
    {KNOB_ROW(field, ENUMERATION), initial, 0, 0, false, choices, "", description},
#define KNOB_BOOLEAN(field, initial, description)                                                            \
    {KNOB_ROW(field, BOOLEAN), #initial, 0, 0, false, NULL, "", description},
#define KNOB_STRING(field, initial, description)                                                             \
    {KNOB_ROW(field, STRING), initial, 0, 0, false, NULL, "", description},

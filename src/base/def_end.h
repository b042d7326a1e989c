/* Behind a .def that def_begin.h stands before. */
#ifdef WITHOUT_KNOBS
#undef KNOB_INTEGER
#undef KNOB_POWER
#undef KNOB_ENUMERATION
#undef KNOB_BOOLEAN
#undef KNOB_STRING
#undef WITHOUT_KNOBS
#endif
#ifdef WITHOUT_COUNTERS
#undef COUNT
#undef WITHOUT_COUNTERS
#endif
#ifdef WITHOUT_INTRINSICS
#undef INTRINSIC
#undef WITHOUT_INTRINSICS
#endif
#ifdef WITHOUT_WAITS
#undef BLOCK_WAIT
#undef WITHOUT_WAITS
#endif

# Lists what the build finds by itself: the files of knobs of all components (knob_files.def), the policies
# with their counters (policy_lists.h), and what units beside the SMs declare (unit_files.def).
#
# A policy is a file of its kind's folder that exports a constant named after folder and file:
# src/grid/place/loose_round_robin.c exports place_loose_round_robin. The list of a kind is a macro that
# applies its argument to each file's name: #define PLACE_POLICIES(X) X(loose_round_robin)
#
# A .def of the same name beside it holds the policy's own knobs and counters. The knobs come behind those of
# the components; policies that count are listed by folder and file:
# #define POLICY_COUNTERS(X) X(admit, waves)
#
# Units (grid/unit/) are found in the same way. Their .def files also hold the functions that kernels call and
# what warps wait for.

# In the order of lists and dumps.
set(component_knobs
    sim/sim mem/crossbar mem/dram mem/l2 mem/l1 mem/link core/core sm/sm sm/units grid/grid grid/launch grid/graph
    grid/flow conduct/network)
set(policy_folders sm/sched grid/source grid/admit grid/place grid/order grid/unit)

# Writes the lists into the directory, of the policies in src and in further roots (cmake/Examples.cmake).
function(write_policy_lists directory)
    set(knob_files "/* The knobs of all components, then those of policies. */\n")
    foreach(component ${component_knobs})
        string(APPEND knob_files "#include \"${component}.def\"\n")
    endforeach()
    string(APPEND knob_files "#include \"base/def_begin.h\"\n")
    set(unit_files "/* What units declare. */\n#include \"base/def_begin.h\"\n")
    set(policy_lists "/* The policies that the build found, by folder. */\n")
    set(policy_counters "")
    foreach(folder ${policy_folders})
        set(sources "")
        set(tables "")
        foreach(root src ${ARGN})
            file(GLOB found CONFIGURE_DEPENDS ${root}/${folder}/*.c)
            list(FILTER found EXCLUDE REGEX "/registry\\.c$")
            list(APPEND sources ${found})
            file(GLOB found CONFIGURE_DEPENDS ${root}/${folder}/*.def)
            list(APPEND tables ${found})
        endforeach()
        list(SORT sources)
        get_filename_component(kind ${folder} NAME)
        string(TOUPPER ${kind} list)
        string(APPEND policy_lists "#define ${list}_POLICIES(X)")
        foreach(source ${sources})
            get_filename_component(name ${source} NAME_WE)
            string(APPEND policy_lists " X(${name})")
        endforeach()
        string(APPEND policy_lists "\n")

        list(SORT tables)
        foreach(table ${tables})
            get_filename_component(name ${table} NAME_WE)
            string(REGEX REPLACE "def$" "c" source ${table})
            if(NOT EXISTS ${source})
                message(FATAL_ERROR "${table} belongs to nobody: there is no ${name}.c beside it.")
            endif()
            string(APPEND knob_files
                   "#ifdef POLICY\nPOLICY(${kind}, ${name})\n#endif\n#include \"${folder}/${name}.def\"\n")
            if(kind STREQUAL "unit")
                string(APPEND unit_files "#include \"${folder}/${name}.def\"\n")
            endif()
            set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
            file(STRINGS ${table} counts REGEX "^COUNT\\(")
            if(counts)
                string(APPEND policy_counters " X(${kind}, ${name})")
            endif()
        endforeach()
    endforeach()
    string(APPEND policy_lists "#define POLICY_COUNTERS(X)${policy_counters}\n")
    string(APPEND knob_files "#include \"base/def_end.h\"\n")
    string(APPEND unit_files "#include \"base/def_end.h\"\n")
    file(CONFIGURE OUTPUT ${directory}/policy_lists.h CONTENT "${policy_lists}" @ONLY)
    file(CONFIGURE OUTPUT ${directory}/knob_files.def CONTENT "${knob_files}" @ONLY)
    file(CONFIGURE OUTPUT ${directory}/unit_files.def CONTENT "${unit_files}" @ONLY)
endfunction()

set(GENERATED_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
target_include_directories(warpbeam_flags INTERFACE ${GENERATED_DIRECTORY})
write_policy_lists(${GENERATED_DIRECTORY})

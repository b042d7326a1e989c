# Lists the policies for the files that register them, as policy_lists.h in POLICY_LISTS_DIRECTORY.
#
# A policy is a file of its kind's folder that exports a constant named after folder and file:
# src/grid/place/loose_round_robin.c exports place_loose_round_robin. The list of a kind is a macro that
# applies its argument to each file's name: #define PLACE_POLICIES(X) X(loose_round_robin)
set(POLICY_LISTS_DIRECTORY ${CMAKE_BINARY_DIR}/generated)

set(policy_lists "/* The policies that the build found, by folder. */\n")
foreach(folder src/sm/sched src/grid/source src/grid/admit src/grid/place src/grid/order)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
    list(FILTER sources EXCLUDE REGEX "/registry\\.c$")
    list(SORT sources)
    get_filename_component(kind ${folder} NAME)
    string(TOUPPER ${kind} kind)
    string(APPEND policy_lists "#define ${kind}_POLICIES(X)")
    foreach(source ${sources})
        get_filename_component(name ${source} NAME_WE)
        string(APPEND policy_lists " X(${name})")
    endforeach()
    string(APPEND policy_lists "\n")
endforeach()
file(CONFIGURE OUTPUT ${POLICY_LISTS_DIRECTORY}/policy_lists.h CONTENT "${policy_lists}" @ONLY)

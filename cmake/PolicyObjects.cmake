# The policies of examples/ as shared objects, for tests: as a user makes them outside of the tree. They are
# made anew when the version of the interface changes, not whenever the program does.
set(policy_objects_directory ${CMAKE_BINARY_DIR}/policies)
file(MAKE_DIRECTORY ${policy_objects_directory})
file(GLOB object_sources CONFIGURE_DEPENDS examples/sm/sched/*.c examples/grid/admit/*.c
     examples/grid/place/*.c examples/grid/source/*.c examples/grid/order/*.c)
set(policy_objects "")
foreach(source ${object_sources})
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "c$" "def" table ${source})
    if(NOT EXISTS ${table})
        set(table "")
    endif()
    set(object ${policy_objects_directory}/${name}.so)
    add_custom_command(OUTPUT ${object}
                       COMMAND $<TARGET_FILE:warpbeam> policy build ${source} -o ${object}
                       DEPENDS ${source} ${table} src/grid/outside.h ${GENERATED_DIRECTORY}/policy_version.h
                       COMMENT "Building the policy ${name}")
    list(APPEND policy_objects ${object})
endforeach()
add_custom_target(policy_objects ALL DEPENDS ${policy_objects})

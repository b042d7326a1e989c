# The version of the interface that policies outside of the tree are compiled for (src/grid/policy_object.h).
#
# Included, it has policy_version(DIRECTORY ROOTS...): a rule that makes DIRECTORY/policy_version.h, and
# another whenever a header has changed that policies see. Run as a script, it does that: POLICY_LAYOUT is a
# hash of all that the headers declare once they are preprocessed, so that comments do not count.
if(NOT CMAKE_SCRIPT_MODE_FILE)
    function(policy_version directory)
        set(includes "")
        foreach(root ${directory} ${ARGN} src include)
            get_filename_component(root ${root} ABSOLUTE)
            list(APPEND includes -I${root})
        endforeach()
        set(output ${directory}/policy_version.h)
        add_custom_command(
            OUTPUT ${output}
            COMMAND ${CMAKE_COMMAND} "-DCOMPILER=${CMAKE_C_COMPILER}" "-DINCLUDES=${includes}"
                    -DHEADER=${CMAKE_SOURCE_DIR}/src/grid/policy_object.h -DOUTPUT=${output}
                    -P ${CMAKE_SOURCE_DIR}/cmake/PolicyVersion.cmake
            DEPENDS cmake/PolicyVersion.cmake src/grid/policy_object.h DEPFILE ${output}.d
            VERBATIM COMMENT "Hashing what policies see")
    endfunction()
    return()
endif()

execute_process(
    COMMAND ${COMPILER} -std=c17 -D_GNU_SOURCE ${INCLUDES} -E -P -x c ${HEADER} -MD -MF ${OUTPUT}.d
            -MT ${OUTPUT}
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(SHA256 hash "${text}")
string(SUBSTRING ${hash} 0 16 hash)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define POLICY_LAYOUT \"${hash}\"\n" @ONLY)

# What the libraries are made of, as ${library_objects}: the files of the target `objects`, or in an optimized
# build one file that the compiler made of all of them, so that it could inline from one into the other.
#
# This is link-time optimization, but done once for the library instead of in every program and test that
# links it, and the result is an ordinary object file that any linker takes. Only GCC is asked to, and not
# under sanitizers or fuzzers.
set(library_objects $<TARGET_OBJECTS:objects>)
if(WARPBEAM_WHOLE AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release"
   AND NOT WARPBEAM_SANITIZE AND NOT WARPBEAM_FUZZ)
    set(library_objects ${CMAKE_BINARY_DIR}/warpbeam_whole${CMAKE_C_OUTPUT_EXTENSION})
    target_compile_options(objects PRIVATE -flto)
    separate_arguments(whole_flags NATIVE_COMMAND "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_RELEASE}")
    add_custom_command(
        OUTPUT ${library_objects}
        COMMAND ${CMAKE_C_COMPILER} ${whole_flags} -fPIC -flto=auto -r -flinker-output=nolto-rel
                -o ${library_objects} $<TARGET_OBJECTS:objects>
        DEPENDS objects $<TARGET_OBJECTS:objects>
        COMMAND_EXPAND_LISTS VERBATIM COMMENT "Optimizing the library as a whole")
    set_source_files_properties(${library_objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endif()

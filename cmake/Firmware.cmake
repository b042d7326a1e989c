# Puts the aggregator's policies into the library: firmware_texts.h has the PTX of every
# src/core/firmware/<name>.ptx as an array of characters, and the list of their names.
file(GLOB firmware_files CONFIGURE_DEPENDS src/core/firmware/*.ptx)
list(SORT firmware_files)
set(firmware_texts "/* The policies of the aggregator that the build found. */\n")
set(firmware_names "#define FIRMWARE_POLICIES(X)")
foreach(file ${firmware_files})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND firmware_texts "static const char firmware_${name}[] = {\n${bytes}0};\n")
    string(APPEND firmware_names " X(${name})")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endforeach()
file(CONFIGURE OUTPUT ${GENERATED_DIRECTORY}/firmware_texts.h
     CONTENT "${firmware_texts}${firmware_names}\n" @ONLY)

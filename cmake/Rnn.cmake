# The library of recurrent networks (rnn/). Its host side is plain C and stands alone: it knows nothing of src/.
file(GLOB rnn_sources CONFIGURE_DEPENDS rnn/*.c)
add_library(wbrnn_core STATIC ${rnn_sources})
set_target_properties(wbrnn_core PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(wbrnn_core PUBLIC rnn)
target_link_libraries(wbrnn_core PUBLIC m ${CMAKE_DL_LIBS} PRIVATE warpbeam_flags)

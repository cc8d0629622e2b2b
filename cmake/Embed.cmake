# ktrial_embed(target NAMESPACE ns FILES a b ...): each file becomes `extern const std::string_view
# k<Name>` in the generated header embedded/<target>.h, e.g. page.mustache -> kPageMustache.
function(ktrial_embed target)
  cmake_parse_arguments(ARG "" "NAMESPACE" "FILES" ${ARGN})
  set(out ${CMAKE_BINARY_DIR}/generated/embedded)
  set(inputs "")
  foreach(file ${ARG_FILES})
    list(APPEND inputs ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  add_custom_command(
    OUTPUT ${out}/${target}.h ${out}/${target}.cc
    COMMAND ${CMAKE_COMMAND} -DOUT=${out}/${target} -DNAMESPACE=${ARG_NAMESPACE} "-DINPUTS=${inputs}"
            -DINCLUDE=embedded/${target}.h -P ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    DEPENDS ${inputs} ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out}/${target}.cc)
endfunction()

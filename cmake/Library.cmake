# libcuzk as it is installed: libcuzk.so.0, libcuzk.a, headers, pkg-config and CMake files, examples, documents.
#
# Both libraries are made of one object: everything that src/lib needs, linked together, with all names local but those
# of src/lib/exports.map. So two programs' internals cannot meet, and the static library hides what the shared one does.
include(GNUInstallDirs)
set(_map "${PROJECT_SOURCE_DIR}/src/lib/exports.map")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_map}")
file(STRINGS "${_map}" _names REGEX "^ +cuzk_[a-z0-9_]+;$")
string(REGEX MATCHALL "cuzk_[a-z0-9_]+" _names "${_names}")
list(JOIN _names "\n" _names)
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/exports.txt" CONTENT "${_names}\n" @ONLY)

# Every module below src/lib, by the layer table.
set(_todo lib)
set(_modules "")
while(_todo)
    list(POP_FRONT _todo _m)
    foreach(_d IN LISTS CUZK_LAYER_${_m})
        set(_members "${CUZK_MODULES}")
        list(FILTER _members INCLUDE REGEX "^${_d}/")
        if(_d IN_LIST CUZK_MODULES OR NOT _members)
            set(_members "${_d}")
        endif()
        foreach(_x IN LISTS _members)
            string(REPLACE "/" "_" _t "cuzk_${_x}")
            if(TARGET ${_t} AND NOT _x IN_LIST _modules)
                list(APPEND _modules "${_x}")
                list(APPEND _todo "${_x}")
            endif()
        endforeach()
    endforeach()
endwhile()
set(_files "")
set(_targets cuzk_lib)
foreach(_m IN LISTS _modules)
    string(REPLACE "/" "_" _t "cuzk_${_m}")
    list(APPEND _files "$<TARGET_FILE:${_t}>")
    list(APPEND _targets ${_t})
endforeach()

set(_flags "")
if(CUZK_SANITIZE)
    set(_flags "-fsanitize=${CUZK_SANITIZE}")
endif()
set(_object "${CMAKE_CURRENT_BINARY_DIR}/cuzk_all.o")
add_custom_command(OUTPUT "${_object}"
    COMMAND "${CMAKE_C_COMPILER}" -r -nostdlib ${_flags} -o "${_object}"
            -Wl,--whole-archive "$<TARGET_FILE:cuzk_lib>" "$<TARGET_FILE:cuzk_verify>" "$<TARGET_FILE:cuzk_aggregate>"
            -Wl,--no-whole-archive
            -Wl,--start-group ${_files} -Wl,--end-group
    COMMAND "${CMAKE_OBJCOPY}" "--keep-global-symbols=${CMAKE_CURRENT_BINARY_DIR}/exports.txt" "${_object}"
    DEPENDS ${_targets} ${_files} "$<TARGET_FILE:cuzk_lib>" "$<TARGET_FILE:cuzk_verify>"
            "$<TARGET_FILE:cuzk_aggregate>" "${CMAKE_CURRENT_BINARY_DIR}/exports.txt"
    COMMAND_EXPAND_LISTS VERBATIM)
set_source_files_properties("${_object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)

add_library(cuzk_shared SHARED "${_object}")
add_library(cuzk_static STATIC "${_object}")
foreach(_t IN ITEMS cuzk_shared cuzk_static)
    set_target_properties(${_t} PROPERTIES OUTPUT_NAME cuzk LINKER_LANGUAGE C EXPORT_NAME ${_t}
                          ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
    target_include_directories(${_t} INTERFACE "$<INSTALL_INTERFACE:include>" "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>")
    target_link_libraries(${_t} PRIVATE Threads::Threads)
endforeach()
set_target_properties(cuzk_shared PROPERTIES VERSION "${PROJECT_VERSION}" SOVERSION 0 LINK_DEPENDS "${_map}")
target_link_options(cuzk_shared PRIVATE "-Wl,--version-script=${_map}" "-Wl,-z,defs,-z,relro,-z,now")
set(CUZK_PRIVATE_LIBS "-pthread")
if(CUZK_CUDA)
    target_link_libraries(cuzk_shared PRIVATE CUDA::cudart_static)
    target_link_libraries(cuzk_static INTERFACE "$<INSTALL_INTERFACE:cudart_static;rt;dl>")
    set(CUZK_PRIVATE_LIBS "-lcudart_static -lrt -ldl -pthread")
endif()

# The tree may be moved: its prefix follows from the place of cuzk.pc.
file(RELATIVE_PATH CUZK_PC_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" CUZK_PC_UP "${CUZK_PC_UP}")
configure_file("${PROJECT_SOURCE_DIR}/packaging/cuzk.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/cuzk.pc" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/packaging/libcuzk.cmake.in" "${CMAKE_BINARY_DIR}/CPackLibraryConfig.cmake" @ONLY)
include(CMakePackageConfigHelpers)
configure_package_config_file("${PROJECT_SOURCE_DIR}/packaging/cuzk-config.cmake.in"
    "${CMAKE_CURRENT_BINARY_DIR}/cuzk-config.cmake" INSTALL_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/cuzk")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/cuzk-config-version.cmake" COMPATIBILITY SameMinorVersion)

install(TARGETS cuzk_shared EXPORT cuzk-targets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT lib
        NAMELINK_COMPONENT dev)
install(TARGETS cuzk_static EXPORT cuzk-targets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
install(EXPORT cuzk-targets NAMESPACE cuzk:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/cuzk" COMPONENT dev)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/cuzk-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/cuzk-config-version.cmake"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/cuzk" COMPONENT dev)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/cuzk.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/cuzk" DESTINATION include COMPONENT dev FILES_MATCHING PATTERN "*.h")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/proto/" DESTINATION share/cuzk/proto COMPONENT dev FILES_MATCHING PATTERN "*.proto")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION share/cuzk COMPONENT dev)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/bindings" DESTINATION share/cuzk COMPONENT dev
        PATTERN "__pycache__" EXCLUDE PATTERN "target" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION share/doc/libcuzk-dev COMPONENT dev FILES_MATCHING PATTERN "*.md")

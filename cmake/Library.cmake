# libcuzk as it is installed: libcuzk.so.0, libcuzk.a, headers, pkg-config and CMake files, examples, documents.
include(GNUInstallDirs)
include(OneObject)
set(_map "${PROJECT_SOURCE_DIR}/src/lib/exports.map")
cuzk_one_object(_object MODULE lib WHOLE lib verify aggregate MAP "${_map}")
add_library(cuzk_shared SHARED "${_object}")
add_library(cuzk_static STATIC "${_object}")
cuzk_installed_library(cuzk_shared cuzk "${_map}")
cuzk_installed_library(cuzk_static cuzk "${_map}")
set(CUZK_PRIVATE_LIBS "-pthread")
if(CUZK_CUDA)
    target_link_libraries(cuzk_shared PRIVATE CUDA::cudart_static)
    # The runtime of the toolkit that the library was built with, for those who link the static library.
    target_link_directories(cuzk_static INTERFACE "$<INSTALL_INTERFACE:${CUDAToolkit_LIBRARY_DIR}>")
    target_link_libraries(cuzk_static INTERFACE "$<INSTALL_INTERFACE:cudart_static;rt;dl>")
    set(CUZK_PRIVATE_LIBS "-L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl -pthread")
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
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/cuzk" DESTINATION include COMPONENT dev FILES_MATCHING PATTERN "*.h"
        PATTERN "client.h" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/proto/" DESTINATION share/libcuzk-dev/proto COMPONENT dev FILES_MATCHING PATTERN "*.proto")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION share/cuzk COMPONENT dev)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/bindings" DESTINATION share/cuzk USE_SOURCE_PERMISSIONS COMPONENT dev
        PATTERN "__pycache__" EXCLUDE PATTERN "target" EXCLUDE)
# What bindings/wasm/build.sh compiles.
foreach(_m IN ITEMS base cpu ec ff pairing verify)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/${_m}" DESTINATION share/cuzk/bindings/wasm/src COMPONENT dev
            FILES_MATCHING PATTERN "*.c" PATTERN "*.h" PATTERN "*.inc")
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION share/doc/libcuzk-dev COMPONENT dev FILES_MATCHING PATTERN "*.md")

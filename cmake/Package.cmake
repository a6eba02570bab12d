# What is installed, and the Debian package: cpack --config build/release/CPackConfig.cmake -G DEB
include(GNUInstallDirs)
if(CUZK_CUDA)
    set(_package cuzk)
    set(_other_package cuzk-cpu)
    set(_where "on NVIDIA cards, and on the CPU")
else()
    set(_package cuzk-cpu)
    set(_other_package cuzk)
    set(_where "on the CPU (the package cuzk proves on NVIDIA cards)")
endif()
set(_share "${PROJECT_BINARY_DIR}/packaging")
set(CUZK_BIN "/usr/bin/cuzk")
configure_file(packaging/cuzk.service.in "${_share}/cuzk.service" @ONLY)

# Debian wants them compressed without name and time, so that builds are equal.
set(CUZK_MAINTAINER "the cuzk developers <cuzk@localhost.localdomain>" CACHE STRING
    "Maintainer of the Debian package: whoever distributes it")
find_program(CUZK_GZIP gzip REQUIRED)
string(TIMESTAMP _date "%a, %d %b %Y 00:00:00 +0000" UTC)
string(CONCAT _changelog
    "${_package} (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * Release ${PROJECT_VERSION}.\n\n"
    " -- ${CUZK_MAINTAINER}  ${_date}\n")
file(GENERATE OUTPUT "${_share}/changelog" CONTENT "${_changelog}")
add_custom_command(OUTPUT "${_share}/cuzk.1.gz" "${_share}/cuzk.toml.5.gz" "${_share}/changelog.gz"
    COMMAND "${CUZK_GZIP}" -9nc "${PROJECT_SOURCE_DIR}/packaging/cuzk.1" > "${_share}/cuzk.1.gz"
    COMMAND "${PROJECT_SOURCE_DIR}/packaging/config_man.sh" "$<TARGET_FILE:cuzk>" > "${_share}/cuzk.toml.5"
    COMMAND "${CUZK_GZIP}" -9nkf "${_share}/cuzk.toml.5"
    COMMAND "${CUZK_GZIP}" -9nkf "${_share}/changelog"
    DEPENDS cuzk "${_share}/changelog" "${PROJECT_SOURCE_DIR}/packaging/cuzk.1"
            "${PROJECT_SOURCE_DIR}/packaging/config_man.sh" VERBATIM)
add_custom_command(OUTPUT "${_share}/completion.bash" "${_share}/_cuzk" "${_share}/cuzk.fish"
    COMMAND "$<TARGET_FILE:cuzk>" completion bash > "${_share}/completion.bash"
    COMMAND "$<TARGET_FILE:cuzk>" completion zsh > "${_share}/_cuzk"
    COMMAND "$<TARGET_FILE:cuzk>" completion fish > "${_share}/cuzk.fish"
    DEPENDS cuzk VERBATIM)
# A page for each command, from its own help; which commands there are depends on the build.
add_custom_command(OUTPUT "${_share}/man1.stamp"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${_share}/man1"
    COMMAND "${PROJECT_SOURCE_DIR}/packaging/command_man.sh" "$<TARGET_FILE:cuzk>" "${_share}/man1"
    COMMAND sh -c "\"${CUZK_GZIP}\" -9nf \"$1\"/*.1" sh "${_share}/man1"
    COMMAND "${CMAKE_COMMAND}" -E touch "${_share}/man1.stamp"
    DEPENDS cuzk "${PROJECT_SOURCE_DIR}/packaging/command_man.sh" VERBATIM)
add_custom_target(cuzk_packaging ALL
    DEPENDS "${_share}/man1.stamp" "${_share}/completion.bash" "${_share}/_cuzk" "${_share}/cuzk.fish"
            "${_share}/cuzk.1.gz" "${_share}/cuzk.toml.5.gz" "${_share}/changelog.gz")

install(TARGETS cuzk RUNTIME DESTINATION bin)
install(FILES packaging/cuzk.toml DESTINATION /etc/cuzk)
install(FILES "${_share}/cuzk.service" DESTINATION /lib/systemd/system)
install(FILES "${_share}/cuzk.1.gz" DESTINATION share/man/man1)
install(DIRECTORY "${_share}/man1/" DESTINATION share/man/man1 FILES_MATCHING PATTERN "*.1.gz")
install(FILES "${_share}/cuzk.toml.5.gz" DESTINATION share/man/man5)
install(FILES "${_share}/completion.bash" DESTINATION share/bash-completion/completions RENAME cuzk)
install(FILES "${_share}/_cuzk" DESTINATION share/zsh/vendor-completions)
install(FILES "${_share}/cuzk.fish" DESTINATION share/fish/vendor_completions.d)
install(FILES "${_share}/changelog.gz" packaging/debian/copyright CHANGELOG.md DESTINATION "share/doc/${_package}")
install(DIRECTORY docs DESTINATION "share/doc/${_package}" FILES_MATCHING PATTERN "*.md")
install(DIRECTORY proto/cuzk DESTINATION share/cuzk/proto FILES_MATCHING PATTERN "*.proto")
install(DIRECTORY packaging/prometheus packaging/grafana DESTINATION share/cuzk)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME "${_package}")
# One of the two at a time; either gives what needs "cuzk".
set(CPACK_DEBIAN_PACKAGE_CONFLICTS "${_other_package}")
set(CPACK_DEBIAN_PACKAGE_REPLACES "${_other_package}")
if(NOT CUZK_CUDA)
    set(CPACK_DEBIAN_PACKAGE_PROVIDES "cuzk")
endif()
set(CPACK_PACKAGE_CONTACT "${CUZK_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Groth16 proofs over BLS12-381, for Filecoin and circom")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Proves PoRep, WindowPoSt, WinningPoSt and SnapDeals statements of
Filecoin, and circuits of circom and snarkjs over BLS12-381. Its daemon
takes jobs over gRPC, as Curio sends them. This one proves
${_where}.")
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "adduser")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/packaging/debian/postinst" "${PROJECT_SOURCE_DIR}/packaging/debian/prerm"
    "${PROJECT_SOURCE_DIR}/packaging/debian/postrm" "${PROJECT_SOURCE_DIR}/packaging/debian/conffiles")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The library has packages of its own: cmake/Library.cmake.
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};cuzk;Unspecified;/")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_POST_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/installed_size.cmake")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
include(CPack)

# CUZK_DAEMON is AUTO (on when every library is found), ON (missing ones are an error) or OFF.
# After this file it is ON or OFF, and the libraries are targets: PkgConfig::NGHTTP2,
# PkgConfig::PROTOBUF_C, PkgConfig::OPENSSL, PkgConfig::MICROHTTPD, PkgConfig::SQLITE3.
# toml++ is used as headers only; protoc and its
# plugin for C are CUZK_PROTOC and CUZK_PROTOC_GEN_C.
if(CUZK_DAEMON STREQUAL "AUTO" OR CUZK_DAEMON)
    set(_missing "")
    find_package(PkgConfig QUIET)
    if(NOT PKG_CONFIG_FOUND)
        list(APPEND _missing "pkg-config (pkg-config)")
    else()
        # target, pkg-config name, Debian package
        foreach(_lib IN ITEMS "NGHTTP2 libnghttp2 libnghttp2-dev" "PROTOBUF_C libprotobuf-c libprotobuf-c-dev"
                "OPENSSL openssl>=3 libssl-dev" "MICROHTTPD libmicrohttpd libmicrohttpd-dev"
                "SQLITE3 sqlite3 libsqlite3-dev" "TOMLPP tomlplusplus>=3 libtomlplusplus-dev")
            separate_arguments(_lib)
            list(GET _lib 0 _target)
            list(GET _lib 1 _module)
            list(GET _lib 2 _package)
            pkg_check_modules(${_target} QUIET IMPORTED_TARGET ${_module})
            if(NOT ${_target}_FOUND)
                list(APPEND _missing "${_module} (${_package})")
            endif()
        endforeach()
    endif()
    find_program(CUZK_PROTOC protoc)
    if(NOT CUZK_PROTOC)
        list(APPEND _missing "protoc (protobuf-compiler)")
    endif()
    find_program(CUZK_PROTOC_GEN_C protoc-gen-c)
    if(NOT CUZK_PROTOC_GEN_C)
        list(APPEND _missing "protoc-gen-c (protobuf-c-compiler)")
    endif()
    list(JOIN _missing ", " _missing_text)
    if(NOT _missing)
        set(CUZK_DAEMON ON)
    elseif(CUZK_DAEMON STREQUAL "AUTO")
        message(WARNING "Building without the daemon (cuzk serve): not found, with their Debian packages: "
            "${_missing_text}. tools/deps.sh build installs them; -DCUZK_DAEMON=OFF silences this.")
        set(CUZK_DAEMON OFF)
    else()
        message(FATAL_ERROR "CUZK_DAEMON=ON, but these were not found, with their Debian packages: "
            "${_missing_text}. tools/deps.sh build installs them; -DCUZK_DAEMON=OFF builds without the daemon.")
    endif()
endif()
message(STATUS "Daemon (cuzk serve): ${CUZK_DAEMON}")
cuzk_static_archive(NGHTTP2 nghttp2)

# CUZK_FLEET, likewise: the job store on PostgreSQL (store.url). Its libraries are PkgConfig::LIBPQ and PkgConfig::ZSTD.
if(NOT CUZK_DAEMON)
    set(CUZK_FLEET OFF)
elseif(CUZK_FLEET STREQUAL "AUTO" OR CUZK_FLEET)
    pkg_check_modules(LIBPQ QUIET IMPORTED_TARGET libpq>=15)
    pkg_check_modules(ZSTD QUIET IMPORTED_TARGET libzstd)
    if(LIBPQ_FOUND AND ZSTD_FOUND)
        set(CUZK_FLEET ON)
    elseif(CUZK_FLEET STREQUAL "AUTO")
        message(WARNING "Building without the shared queue of several daemons (store.url): libpq (libpq-dev) or libzstd (libzstd-dev) was not found. "
            "tools/deps.sh build installs it; -DCUZK_FLEET=OFF silences this.")
        set(CUZK_FLEET OFF)
    else()
        message(FATAL_ERROR "CUZK_FLEET=ON, but libpq (libpq-dev) or libzstd (libzstd-dev) was not found. tools/deps.sh build installs it.")
    endif()
endif()
cuzk_static_archive(ZSTD zstd)
message(STATUS "Shared queue on PostgreSQL (store.url): ${CUZK_FLEET}")

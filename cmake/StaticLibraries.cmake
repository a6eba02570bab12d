# CUZK_STATIC_LIBS: the program has its own copy of the libraries whose versions differ most between distributions (nghttp2, zstd, the C++
# runtime), so that a package made on Debian 12 can be installed on Ubuntu 22.04 and 24.04 too. The shared libraries of the
# project (libcuzk, libcuzk-client) use the system's. tools/package.sh sets the option.
option(CUZK_STATIC_LIBS "Link nghttp2, zstd and the C++ runtime into the program" OFF)

# cuzk_static_archive(NGHTTP2 nghttp2): with the option, programs that have the property CUZK_STATIC link libnghttp2.a for PkgConfig::NGHTTP2.
function(cuzk_static_archive module name)
    if(NOT CUZK_STATIC_LIBS OR NOT TARGET PkgConfig::${module})
        return()
    endif()
    find_library(CUZK_ARCHIVE_${module} NAMES lib${name}.a HINTS ${${module}_STATIC_LIBRARY_DIRS} ${${module}_LIBDIR})
    if(NOT CUZK_ARCHIVE_${module})
        message(FATAL_ERROR "CUZK_STATIC_LIBS is on, but lib${name}.a was not found.")
    endif()
    get_target_property(shared PkgConfig::${module} INTERFACE_LINK_LIBRARIES)
    if(shared MATCHES "CUZK_STATIC")
        return()
    endif()
    set_property(TARGET PkgConfig::${module} PROPERTY INTERFACE_LINK_LIBRARIES
        "$<IF:$<BOOL:$<TARGET_PROPERTY:CUZK_STATIC>>,${CUZK_ARCHIVE_${module}},${shared}>")
endfunction()

# The program's side. Hidden, since shared libraries that the program loads (libcurl) have their own nghttp2 and zstd.
function(cuzk_link_statically target)
    if(CUZK_STATIC_LIBS)
        set_target_properties(${target} PROPERTIES CUZK_STATIC ON)
        target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,--as-needed -Wl,--exclude-libs,ALL)
    endif()
endfunction()

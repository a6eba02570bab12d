# Libraries that are installed: libcuzk and libcuzk-client.
#
# The shared and the static library are made of one object: everything that a module needs, linked together, with all
# names local but those of a version script. So internals of two libraries cannot meet in a program, and the static
# library hides what the shared one hides.

# cuzk_one_object(out MODULE lib WHOLE lib verify MAP exports.map): the path of the object. WHOLE: modules of which
# every file is taken; of the others below MODULE, by the layer table, only what is used.
function(cuzk_one_object out)
    cmake_parse_arguments(O "" "MODULE;MAP" "WHOLE" ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${O_MAP}")
    file(STRINGS "${O_MAP}" names REGEX "^ +cuzk_[a-z0-9_]+;$")
    string(REGEX MATCHALL "cuzk_[a-z0-9_]+" names "${names}")
    list(JOIN names "\n" names)
    file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/exports.txt" CONTENT "${names}\n" @ONLY)

    # Every module below O_MODULE.
    set(todo "${O_MODULE}")
    set(modules "")
    while(todo)
        list(POP_FRONT todo m)
        foreach(d IN LISTS CUZK_LAYER_${m})
            set(members "${CUZK_MODULES}")
            list(FILTER members INCLUDE REGEX "^${d}/")
            if(d IN_LIST CUZK_MODULES OR NOT members)
                set(members "${d}")
            endif()
            foreach(x IN LISTS members)
                string(REPLACE "/" "_" t "cuzk_${x}")
                if(TARGET ${t} AND NOT x IN_LIST modules)
                    list(APPEND modules "${x}")
                    list(APPEND todo "${x}")
                endif()
            endforeach()
        endforeach()
    endwhile()
    set(files "")
    set(targets "")
    foreach(m IN LISTS modules)
        string(REPLACE "/" "_" t "cuzk_${m}")
        list(APPEND files "$<TARGET_FILE:${t}>")
        list(APPEND targets ${t})
    endforeach()
    set(whole "")
    foreach(m IN LISTS O_WHOLE)
        string(REPLACE "/" "_" t "cuzk_${m}")
        list(APPEND whole "$<TARGET_FILE:${t}>")
        list(APPEND targets ${t})
    endforeach()

    set(flags "")
    if(CUZK_SANITIZE)
        set(flags "-fsanitize=${CUZK_SANITIZE}")
    endif()
    set(object "${CMAKE_CURRENT_BINARY_DIR}/cuzk_all.o")
    add_custom_command(OUTPUT "${object}"
        COMMAND "${CMAKE_C_COMPILER}" -r -nostdlib ${flags} -o "${object}"
                -Wl,--whole-archive ${whole} -Wl,--no-whole-archive
                -Wl,--start-group ${files} -Wl,--end-group
        COMMAND "${CMAKE_OBJCOPY}" "--keep-global-symbols=${CMAKE_CURRENT_BINARY_DIR}/exports.txt" "${object}"
        DEPENDS ${targets} ${files} ${whole} "${CMAKE_CURRENT_BINARY_DIR}/exports.txt"
        COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    set(${out} "${object}" PARENT_SCOPE)
endfunction()

# Name, place, soname 0 and version script of a library of such an object.
function(cuzk_installed_library target name map)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C EXPORT_NAME ${target}
                          ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
    target_include_directories(${target} INTERFACE "$<INSTALL_INTERFACE:include>"
                               "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>")
    target_link_libraries(${target} PRIVATE Threads::Threads)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL SHARED_LIBRARY)
        set_target_properties(${target} PROPERTIES VERSION "${PROJECT_VERSION}" SOVERSION 0 LINK_DEPENDS "${map}")
        target_link_options(${target} PRIVATE "-Wl,--version-script=${map}" "-Wl,-z,defs,-z,relro,-z,now")
    endif()
endfunction()

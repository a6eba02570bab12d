# Interface target with the project's warnings; every target links it PRIVATE.
add_library(cuzk_warnings INTERFACE)
set(_cuzk_w
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes
    -Wmissing-prototypes -Wold-style-definition -Wundef -Wvla -Walloca -Wcast-align -Wcast-qual
    -Wpointer-arith -Wwrite-strings -Wformat=2 -Wredundant-decls -Wnested-externs -Wswitch-enum
    -Wimplicit-fallthrough -Wnull-dereference -Wdouble-promotion -Wframe-larger-than=16384)
set(_cuzk_w_gcc -Wlogical-op -Wduplicated-cond -Wduplicated-branches -Wjump-misses-init
    -Warith-conversion -Wcast-align=strict)
set(_cuzk_w_clang -Wthread-safety -Wconditional-uninitialized -Wcomma -Wreserved-identifier
    -Wunreachable-code-aggressive -Wassign-enum -Wmissing-variable-declarations)
option(CUZK_WERROR "Warnings are errors" ON)
target_compile_options(cuzk_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:C>:${_cuzk_w}>"
    "$<$<AND:$<COMPILE_LANGUAGE:C>,$<C_COMPILER_ID:GNU>>:${_cuzk_w_gcc}>"
    "$<$<AND:$<COMPILE_LANGUAGE:C>,$<C_COMPILER_ID:Clang>>:${_cuzk_w_clang}>"
    "$<$<AND:$<COMPILE_LANGUAGE:C>,$<BOOL:${CUZK_WERROR}>>:-Werror>")
# Sanitizers grow frames, and their presets optimise less: the analysis of flow then complains of what it does not understand. Warnings are
# errors in the other builds of the same sources.
if(CUZK_SANITIZE)
    target_compile_options(cuzk_warnings INTERFACE
        "$<$<COMPILE_LANGUAGE:C>:-Wno-frame-larger-than>" "$<$<COMPILE_LANGUAGE:C>:-Wno-null-dereference>"
        "$<$<COMPILE_LANGUAGE:C>:-Wno-maybe-uninitialized>" "$<$<COMPILE_LANGUAGE:C>:-Wno-error>")
endif()

# The layer table of tools/layers.txt as variables: CUZK_LAYER_<module> holds the modules that <module> may use.
# "groth16" stands for all modules below groth16.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/layers.txt")
file(STRINGS "${PROJECT_SOURCE_DIR}/tools/layers.txt" _layers REGEX "^[^#]")
set(CUZK_MODULES "")
foreach(row IN LISTS _layers)
    string(REGEX MATCH "^([^:]+):(.*)$" _ "${row}")
    set(_module "${CMAKE_MATCH_1}")
    separate_arguments(CUZK_LAYER_${_module} UNIX_COMMAND "${CMAKE_MATCH_2}")
    list(APPEND CUZK_MODULES "${_module}")
endforeach()

# cuzk_libraries(out module...): the library of each module; of a group, the libraries of all its modules.
function(cuzk_libraries out)
    set(libs "")
    foreach(m IN LISTS ARGN)
        set(members "${CUZK_MODULES}")
        list(FILTER members INCLUDE REGEX "^${m}/")
        if(m IN_LIST CUZK_MODULES OR NOT members)
            set(members "${m}")
        endif()
        foreach(d IN LISTS members)
            string(REPLACE "/" "_" t "cuzk_${d}")
            list(APPEND libs "$<TARGET_NAME_IF_EXISTS:${t}>")
        endforeach()
    endforeach()
    set(${out} "${libs}" PARENT_SCOPE)
endfunction()

# cuzk_module(ff SOURCES a.c b.c): one static library per folder. It links what tools/layers.txt lets it include.
function(cuzk_module name)
    cmake_parse_arguments(M "" "" "SOURCES" ${ARGN})
    string(REPLACE "/" "_" t "${name}")
    list(TRANSFORM M_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/src/${name}/")
    add_library(cuzk_${t} STATIC ${M_SOURCES})
    target_include_directories(cuzk_${t} PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(cuzk_${t} PRIVATE cuzk_warnings)
    cuzk_libraries(libs ${CUZK_LAYER_${name}})
    target_link_libraries(cuzk_${t} PUBLIC ${libs})
endfunction()

# cuzk_compiled_once(sources executable "libraries" source...): each helper source of the tests is compiled once, into an object library, and every
# test program links that object. A helper is a source file without the prefix test_; a file with it may have other definitions in each
# program, so it stays a source. The helper is compiled with the include folders and definitions of the first program that names it, and
# with its libraries, whose headers are then headers of the system to it too (-isystem: no warnings from inside them).
function(cuzk_compiled_once out executable libraries)
    set(sources "")
    foreach(s IN LISTS ARGN)
        get_filename_component(path "${s}" ABSOLUTE)
        file(RELATIVE_PATH place "${PROJECT_SOURCE_DIR}/test" "${path}")
        get_filename_component(file "${path}" NAME)
        if(place MATCHES "^\\.\\./" OR file MATCHES "^test_")
            list(APPEND sources "${s}")
            continue()
        endif()
        string(MAKE_C_IDENTIFIER "object_${place}" object)
        if(NOT TARGET ${object})
            add_library(${object} OBJECT "${path}")
            target_include_directories(${object} PRIVATE "$<TARGET_PROPERTY:${executable},INCLUDE_DIRECTORIES>")
            target_compile_definitions(${object} PRIVATE "$<TARGET_PROPERTY:${executable},COMPILE_DEFINITIONS>")
            target_link_libraries(${object} PRIVATE cuzk_warnings cuzk_test_harness ${libraries})
        endif()
        list(APPEND sources "$<TARGET_OBJECTS:${object}>")
    endforeach()
    set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# Test programs are linked by lld where it is installed (tools/deps.sh test), in half the time of GNU ld. What is shipped is linked by the
# compiler's own choice.
find_program(CUZK_LLD ld.lld)
function(cuzk_link_quickly target)
    if(CUZK_LLD AND NOT CUZK_CUDA) # nvcc links a build with CUDA
        target_link_options(${target} PRIVATE -fuse-ld=lld)
    endif()
endfunction()

# cuzk_test(unit/ff_fr SOURCES test_ff_fr.c DEPS ff [LABELS slow] [TIMEOUT 300] [ARGS ...]):
# one executable on the project's runner (test/harness), one CTest entry that runs all its cases.
function(cuzk_test name)
    cmake_parse_arguments(T "" "TIMEOUT" "SOURCES;DEPS;LABELS;ARGS" ${ARGN})
    string(REPLACE "/" "_" t "test_${name}")
    cuzk_libraries(libs ${T_DEPS})
    cuzk_compiled_once(T_SOURCES ${t} "${libs}" ${T_SOURCES})
    add_executable(${t} ${T_SOURCES})
    target_link_libraries(${t} PRIVATE cuzk_warnings cuzk_test_harness)
    target_link_libraries(${t} PRIVATE ${libs})
    cuzk_link_quickly(${t})
    if(NOT T_TIMEOUT)
        set(T_TIMEOUT 900) # a hang ends the test, a busy machine does not
    endif()
    add_test(NAME ${name} COMMAND ${t} ${T_ARGS} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(${name} PROPERTIES TIMEOUT ${T_TIMEOUT} SKIP_RETURN_CODE 77)
    if(T_LABELS)
        set_tests_properties(${name} PROPERTIES LABELS "${T_LABELS}")
    endif()
    if(T_SOURCES MATCHES "store_pg_server_c") # where test/store/pg_server.c leaves an empty data folder for the next test
        set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "CUZK_TEST_PG=${CMAKE_BINARY_DIR}/test-pg")
    endif()
    if(CUZK_SANITIZE AND T_LABELS MATCHES "slow|nosan") # `make check-sanitizers` does not run it
        set_target_properties(${t} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
endfunction()

# cuzk_uses_params(engine/real winning window): the test needs parameters of 2 KiB sectors. CTest makes them once, before the tests that
# need them (test/params), in the folder ${CUZK_TEST_PARAMS}; the test gets that folder in its environment, and must not change it.
set(CUZK_TEST_PARAMS "${CMAKE_BINARY_DIR}/test-params")
function(cuzk_uses_params test)
    list(TRANSFORM ARGN PREPEND params_)
    set_property(TEST ${test} APPEND PROPERTY FIXTURES_REQUIRED ${ARGN})
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "CUZK_TEST_PARAMS=${CUZK_TEST_PARAMS}")
endfunction()

# cuzk_fuzz(reader SOURCES fuzz_reader.c DEPS base): with CUZK_FUZZ a libFuzzer program
# fuzz_<name>; always a replay program that runs the committed corpus as a test.
function(cuzk_fuzz name)
    cmake_parse_arguments(F "" "" "SOURCES;DEPS" ${ARGN})
    if(CUZK_FUZZ)
        add_executable(fuzz_${name} ${F_SOURCES})
        target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
        target_link_libraries(fuzz_${name} PRIVATE cuzk_warnings)
    endif()
    if(NOT TARGET replay_main)
        add_library(replay_main OBJECT "${PROJECT_SOURCE_DIR}/fuzz/replay_main.c")
        target_include_directories(replay_main PRIVATE "${PROJECT_SOURCE_DIR}/src")
        target_link_libraries(replay_main PRIVATE cuzk_warnings)
    endif()
    add_executable(replay_${name} ${F_SOURCES} "$<TARGET_OBJECTS:replay_main>")
    target_link_libraries(replay_${name} PRIVATE cuzk_warnings)
    cuzk_libraries(libs ${F_DEPS})
    target_link_libraries(replay_${name} PRIVATE ${libs})
    cuzk_link_quickly(replay_${name})
    if(CUZK_FUZZ)
        target_link_libraries(fuzz_${name} PRIVATE ${libs})
    endif()
    add_test(NAME fuzz/${name} COMMAND replay_${name} "${PROJECT_SOURCE_DIR}/fuzz/corpus/${name}")
    set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT 900 LABELS fuzz)
endfunction()

# Every header compiles alone, as C17 and as C++17 (public and HD headers only).
function(cuzk_header_tests)
    foreach(h IN LISTS ARGN)
        string(MAKE_C_IDENTIFIER "hdr_${h}" t)
        file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/hdr/${t}.c" CONTENT "#include \"${h}\"\n#include \"${h}\"\n" @ONLY)
        file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/hdr/${t}.cpp" CONTENT "#include \"${h}\"\n" @ONLY)
        add_library(${t} OBJECT "${CMAKE_BINARY_DIR}/hdr/${t}.c" "${CMAKE_BINARY_DIR}/hdr/${t}.cpp")
        target_include_directories(${t} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
    endforeach()
endfunction()

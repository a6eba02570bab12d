# cmake -DSOURCE=DIR -DOUT=FILE -P commit.cmake: a header with the commit of the tree, "-dirty" when
# it has changes, empty without git. Written only when it changes.
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE rc)
if(NOT rc EQUAL 0)
    set(commit "")
endif()
set(text "#define CUZK_COMMIT_STR \"${commit}\"\n")
set(old "")
if(EXISTS "${OUT}")
    file(READ "${OUT}" old)
endif()
if(NOT old STREQUAL text)
    file(WRITE "${OUT}" "${text}")
endif()

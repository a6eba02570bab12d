# CPack runs this once the packages are made, before it copies them to where they go.
if(CPACK_GENERATOR STREQUAL "DEB")
    execute_process(COMMAND "${CMAKE_CURRENT_LIST_DIR}/../tools/pack/installed_size.sh" ${CPACK_PACKAGE_FILES} COMMAND_ERROR_IS_FATAL ANY)
endif()

# NnrtInstall.cmake: what `cmake --install` puts where - headers, the CMake package, nnrt.pc.
# Flow: included by CMakeLists.txt; tests/consumers/find_package builds against the result.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The package depends on no architecture, so it goes to share/ and not to lib/.
set(nnrt_package_dir ${CMAKE_INSTALL_DATADIR}/cmake/nnrt)
install(TARGETS nnrt EXPORT nnrtTargets ${nnrt_file_set})
if(NOT nnrt_file_set)
  install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
foreach(library IN ITEMS neural_network_runtime dnn)   # where they were built: headers alone are installed without
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  endif()
endforeach()
install(EXPORT nnrtTargets NAMESPACE nnrt:: DESTINATION ${nnrt_package_dir})

configure_package_config_file(cmake/nnrtConfig.cmake.in nnrtConfig.cmake INSTALL_DESTINATION ${nnrt_package_dir}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(nnrtConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/nnrtConfig.cmake ${PROJECT_BINARY_DIR}/nnrtConfigVersion.cmake
        cmake/NnrtEmbed.cmake cmake/NnrtModel.cmake cmake/NnrtOperators.cmake cmake/NnrtPack.cmake
        cmake/NnrtXsimd.cmake cmake/NnrtTflite.cmake cmake/model_writer.cpp
        DESTINATION ${nnrt_package_dir})

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# nnrt.pc finds the headers relative to its own folder, so that an installed tree may be moved; folders that were asked
# for by an absolute path remain there.
set(nnrt_pc_prefix "${CMAKE_INSTALL_PREFIX}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_DATADIR}")
  file(RELATIVE_PATH nnrt_pc_prefix "/prefix/${CMAKE_INSTALL_DATADIR}/pkgconfig" /prefix)
  string(REGEX REPLACE "/$" "" nnrt_pc_prefix "\${pcfiledir}/${nnrt_pc_prefix}")
endif()
string(REPLACE " " "\\ " nnrt_pc_include "${CMAKE_INSTALL_INCLUDEDIR}")
if(NOT IS_ABSOLUTE "${nnrt_pc_include}")
  set(nnrt_pc_include "\${prefix}/${nnrt_pc_include}")
endif()
configure_file(cmake/nnrt.pc.in nnrt.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/nnrt.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)

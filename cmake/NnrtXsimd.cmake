# NnrtXsimd.cmake: makes the xsimd target of Debian 12 linkable.
# Flow: included after find_package(xsimd), in CMakeLists.txt and again in the installed nnrtConfig.cmake.
#
# Some distributions export xsimd 8 with a link to "xtl" but without finding it: the linker then looks for -lxtl.
# nnrt uses no complex numbers, so the link is dropped if that target is not defined.
get_target_property(nnrt_xsimd_links xsimd INTERFACE_LINK_LIBRARIES)
if("xtl" IN_LIST nnrt_xsimd_links AND NOT TARGET xtl)
  list(REMOVE_ITEM nnrt_xsimd_links xtl)
  set_property(TARGET xsimd PROPERTY INTERFACE_LINK_LIBRARIES ${nnrt_xsimd_links})
endif()
unset(nnrt_xsimd_links)

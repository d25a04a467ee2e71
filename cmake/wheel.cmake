# What pip installs of the build, beside the modules of python/pytacit: libraries in lib/, the program in bin/, headers/, licences.
# python/pyproject.toml (scikit-build-core) configures with it, installs the component "wheel", and nothing else.
set(TACIT_WHEEL_NOTES "" CACHE PATH "A folder that python/wheel/build fills: bundled.json, licenses/")

add_custom_target(wheel DEPENDS tacit)
set_target_properties(tacit PROPERTIES INSTALL_RPATH $ORIGIN/../lib)
install(TARGETS tacit RUNTIME DESTINATION bin COMPONENT wheel EXCLUDE_FROM_ALL)
foreach(library ${libraries})
  add_dependencies(wheel ${library}_shared)
  set_target_properties(${library}_shared PROPERTIES VERSION ${tacit_abi}) # a wheel has no symbolic links
  install(TARGETS ${library}_shared LIBRARY DESTINATION lib COMPONENT wheel NAMELINK_SKIP EXCLUDE_FROM_ALL)
endforeach()
install(DIRECTORY include/tacit/ DESTINATION headers COMPONENT wheel EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE NOTICE DESTINATION licenses/tacit COMPONENT wheel EXCLUDE_FROM_ALL)
if(TACIT_WHEEL_NOTES)
  install(DIRECTORY ${TACIT_WHEEL_NOTES}/ DESTINATION . COMPONENT wheel EXCLUDE_FROM_ALL)
endif()

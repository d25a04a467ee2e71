# What `make install` puts where: the program, the libraries, their headers, and how others find them, units of
# systemd, licences.
include(CMakePackageConfigHelpers)

if(TARGET tacit)
  install(TARGETS tacit RUNTIME)
endif()
set(libraries tacit-privacy tacit)
if(TACIT_NETWORK)
  list(APPEND libraries tacit-net)
endif()
foreach(library ${libraries})
  install(TARGETS ${library}_shared ${library}_static EXPORT tacit)
endforeach()
get_property(modules GLOBAL PROPERTY tacit_store_modules)
add_custom_target(product DEPENDS ${modules}) # what is installed, and no more: `make` builds it
if(TARGET tacit)
  add_dependencies(product tacit)
  # What shells complete, written by the program itself: each shell looks here under /usr and under /usr/local.
  set(completions ${PROJECT_BINARY_DIR}/completion)
  add_custom_command(OUTPUT ${completions}/tacit.bash ${completions}/_tacit ${completions}/tacit.fish
    COMMAND ${CMAKE_COMMAND} -E make_directory ${completions}
    COMMAND tacit completion bash > ${completions}/tacit.bash
    COMMAND tacit completion zsh > ${completions}/_tacit
    COMMAND tacit completion fish > ${completions}/tacit.fish
    DEPENDS tacit VERBATIM)
  add_custom_target(completion ALL DEPENDS ${completions}/tacit.bash ${completions}/_tacit ${completions}/tacit.fish)
  add_dependencies(product completion)
  install(FILES ${completions}/tacit.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tacit)
  install(FILES ${completions}/_tacit DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${completions}/tacit.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
foreach(library ${libraries})
  add_dependencies(product ${library}_shared ${library}_static)
endforeach()
if(modules)
  install(TARGETS ${modules} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tacit)
endif()
# Without the network there is no library behind these headers.
set(unwanted "")
if(NOT TACIT_NETWORK)
  set(unwanted REGEX "/tacit/(agent|coordinator|net|trustee)\\.h$" EXCLUDE)
endif()
install(DIRECTORY include/tacit TYPE INCLUDE FILES_MATCHING PATTERN "*.h" ${unwanted})

# A .pc file finds its prefix from where it lies, so an installed tree may be moved.
file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(library ${libraries})
  configure_file(cmake/${library}.pc.in ${library}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tacit)
install(EXPORT tacit NAMESPACE tacit:: FILE tacit-config.cmake DESTINATION ${package})
write_basic_package_version_file(tacit-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tacit-config-version.cmake DESTINATION ${package})

install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES docs/man/tacit.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# systemd looks here under /usr and under /usr/local; docs/operations.md says what to set.
if(TACIT_NETWORK)
  install(FILES contrib/tacit.service contrib/tacit-agent@.service
    DESTINATION lib/systemd/system)
endif()

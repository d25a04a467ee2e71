# The words that the build is written in.
#
#   tacit_require(libraries...)               stops, and says what to do, where one is missing
#   tacit_at_least(module version ...)        the same where pkg-config knows of an older one
#   tacit_module(name DEPS modules LIBS ...   src/<name>: every .c below it, as static library tc_<name>;
#                TESTS modules                x_test.c beside x.c is a unit test of its own, and may use TESTS;
#                ONLY files WITHOUT files)    a part of src/<name>, for the switches of the build
#   tacit_library(name MODULES modules        lib<name>, shared and static, from the modules' objects, linked
#                 NEEDS libraries LIBS ...)   on other libraries of ours; cmake/<name>.map.in says what leaves it
#   tacit_store_module(name module)           tacit-<name>.so, the store of a module, loaded when a URL asks for it
#   tacit_program(name modules...)            programs/<name>, every .c below it, on top of the modules
#   tacit_tests()                             one ctest entry for each x_test.c met so far, label "unit"
#   tacit_test(source libraries label [name])  the same for one file, under its own name or another

include(CheckCCompilerFlag)
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_C_VISIBILITY_PRESET hidden) # but for the modules of a library, see there

# _GNU_SOURCE, not POSIX alone: openat-style calls, getrandom, pipe2, ppoll.
add_library(tacit_flags INTERFACE)
target_compile_features(tacit_flags INTERFACE c_std_17)
target_compile_definitions(tacit_flags INTERFACE _GNU_SOURCE)
target_compile_options(tacit_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
  -Wno-missing-field-initializers # a table's closing { .name = NULL } is intended
  -ffp-contract=off               # the same bits from gcc and clang, with and without FMA
  -fno-math-errno)
target_include_directories(tacit_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
# Nobody replaces single functions of a library: its compiler may look into them.
check_c_compiler_flag(-fno-semantic-interposition TACIT_HAS_NO_INTERPOSITION)
if(TACIT_HAS_NO_INTERPOSITION)
  target_compile_options(tacit_flags INTERFACE -fno-semantic-interposition)
endif()
if(TACIT_WERROR)
  target_compile_options(tacit_flags INTERFACE -Werror)
endif()
if(TACIT_TORTURE)
  target_compile_definitions(tacit_flags INTERFACE TACIT_TORTURE)
endif()
if(TACIT_SANITIZE)
  list(JOIN TACIT_SANITIZE "," sanitizers)
  target_compile_options(tacit_flags INTERFACE
    -fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(tacit_flags INTERFACE -fsanitize=${sanitizers})
  target_compile_definitions(tacit_flags INTERFACE TACIT_SANITIZED) # no function multiversioning
endif()
if(TACIT_FUZZER)
  target_compile_options(tacit_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

include(cmake/hardening.cmake)

function(tacit_require)
  foreach(library ${ARGN})
    find_library(TACIT_HAS_${library} ${library})
    mark_as_advanced(TACIT_HAS_${library})
    if(NOT TACIT_HAS_${library})
      message(FATAL_ERROR "lib${library} is missing. 'tools/setup build test' installs it on Debian.")
    endif()
  endforeach()
endfunction()

# The oldest versions that tacit is built with; what it calls of them is in none before.
function(tacit_at_least)
  find_package(PkgConfig REQUIRED)
  while(ARGN)
    list(POP_FRONT ARGN module least)
    execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --modversion ${module}
      OUTPUT_VARIABLE found ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT found)
      message(FATAL_ERROR "pkg-config knows no ${module}. 'tools/setup build test' installs it on Debian.")
    elseif(found VERSION_LESS least)
      message(FATAL_ERROR "${module} must be version ${least} or newer, found ${found}.")
    endif()
  endwhile()
endfunction()

# Sorts *_test.c out of `sources` into `tests`, both in the caller.
macro(tacit_part_tests sources tests)
  set(${tests} ${${sources}})
  list(FILTER ${tests} INCLUDE REGEX "_test\\.c$")
  list(FILTER ${sources} EXCLUDE REGEX "_test\\.c$")
endmacro()

# libraries: a list; what the tests are linked with.
function(tacit_remember_tests libraries)
  string(REPLACE ";" "," libraries "${libraries}")
  foreach(test ${ARGN})
    set_property(GLOBAL APPEND PROPERTY tacit_unit_tests "${libraries}|${test}")
  endforeach()
endfunction()

function(tacit_module name)
  cmake_parse_arguments(M "" "" "DEPS;LIBS;TESTS;ONLY;WITHOUT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
  list(TRANSFORM M_WITHOUT PREPEND ${PROJECT_SOURCE_DIR}/src/${name}/)
  list(REMOVE_ITEM sources ${M_WITHOUT})
  if(M_ONLY)
    list(TRANSFORM M_ONLY REPLACE "\\.c$" "")
    list(JOIN M_ONLY "|" wanted)
    list(FILTER sources INCLUDE REGEX "/(${wanted})(_test)?\\.c$")
  endif()
  tacit_part_tests(sources tests)
  if(NOT sources) # a module may begin as headers alone
    set(sources ${PROJECT_BINARY_DIR}/${name}_empty.c)
    file(WRITE ${sources} "typedef int tc_${name}_has_no_sources;\n")
  endif()
  add_library(tc_${name} STATIC ${sources})
  set_target_properties(tc_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(tc_${name} PUBLIC tacit_flags)
  list(TRANSFORM M_DEPS PREPEND tc_)
  list(TRANSFORM M_TESTS PREPEND tc_)
  target_link_libraries(tc_${name} PUBLIC ${M_DEPS} ${M_LIBS})
  tacit_remember_tests("tc_${name};${M_TESTS}" ${tests})
endfunction()

# A library has each module once, and no module is in two of them: base keeps state of the process (whether freed
# memory is overwritten, where log lines go). So a library uses the modules of those that it NEEDS through names
# that they export for it alone, under the version node TACIT_PRIVATE_<version>. Such names are visible in
# the objects, and -Bsymbolic-functions binds a library's own calls to its own functions.
function(tacit_library name)
  cmake_parse_arguments(L "" "" "MODULES;NEEDS;LIBS" ${ARGN})
  set(objects "")
  foreach(module ${L_MODULES})
    set_target_properties(tc_${module} PROPERTIES C_VISIBILITY_PRESET default)
    list(APPEND objects $<TARGET_OBJECTS:tc_${module}>)
  endforeach()
  string(REGEX REPLACE "^tacit-?" "" part ${name}) # "", "privacy", "net": tacit::shared, tacit::privacy-shared
  set(dash "")
  if(part)
    set(dash "-")
  endif()
  foreach(kind shared static)
    string(TOUPPER ${kind} type)
    add_library(${name}_${kind} ${type} ${objects})
    set_target_properties(${name}_${kind} PROPERTIES
      OUTPUT_NAME ${name} EXPORT_NAME ${part}${dash}${kind} LINKER_LANGUAGE C)
    target_include_directories(${name}_${kind} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    list(TRANSFORM L_NEEDS APPEND _${kind} OUTPUT_VARIABLE needs)
    target_link_libraries(${name}_${kind} PUBLIC ${needs})
  endforeach()
  set(map ${PROJECT_BINARY_DIR}/${name}.map)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.map.in ${map} @ONLY)
  set_target_properties(${name}_shared PROPERTIES VERSION ${tacit_abi}.${PROJECT_VERSION} SOVERSION ${tacit_abi}
    INSTALL_RPATH $ORIGIN LINK_DEPENDS ${map})
  target_link_options(${name}_shared PRIVATE -Wl,--version-script=${map} -Wl,-Bsymbolic-functions
    $<TARGET_PROPERTY:tacit_flags,INTERFACE_LINK_OPTIONS>
    $<$<STREQUAL:${TACIT_SANITIZE},>:-Wl,--no-undefined>)
  target_link_libraries(${name}_shared PRIVATE ${L_LIBS})
  target_link_libraries(${name}_static INTERFACE ${L_LIBS})
endfunction()

# Objects that the module does not need of the others stay out, and so do the libraries of these. Nothing leaves it
# but tacit_store_module (src/study/store_module.h).
function(tacit_store_module name module)
  set(target tacit-${name})
  set(map ${PROJECT_BINARY_DIR}/store-module.map)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/store-module.map.in ${map} @ONLY)
  add_library(${target} MODULE $<TARGET_OBJECTS:tc_${module}>)
  set_target_properties(${target} PROPERTIES PREFIX "" LINKER_LANGUAGE C LINK_DEPENDS ${map})
  target_link_options(${target} PRIVATE -Wl,--as-needed -Wl,--version-script=${map}
    $<$<STREQUAL:${TACIT_SANITIZE},>:-Wl,--no-undefined>)
  target_link_libraries(${target} PRIVATE tc_${module})
  set_property(GLOBAL APPEND PROPERTY tacit_store_modules ${target})
endfunction()

# Where the program finds modules, from its own folder (src/study/store_module.c).
file(RELATIVE_PATH modules_from_bin /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR}/tacit)
set_source_files_properties(src/study/store_module.c PROPERTIES
  COMPILE_DEFINITIONS TACIT_MODULES_FROM_BIN="/${modules_from_bin}")

# Everything but main.c is a library too, so that a verb's parts can be tested alone.
function(tacit_program name)
  set(folder ${PROJECT_SOURCE_DIR}/programs/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.c)
  tacit_part_tests(sources tests)
  list(REMOVE_ITEM sources ${folder}/main.c)
  if(NOT sources OR NOT EXISTS ${folder}/main.c)
    message(STATUS "programs/${name} has no main.c and parts yet: not built")
    return()
  endif()
  add_library(${name}_program STATIC ${sources})
  target_include_directories(${name}_program PUBLIC ${folder})
  list(TRANSFORM ARGN PREPEND tc_ OUTPUT_VARIABLE modules)
  target_link_libraries(${name}_program PUBLIC ${modules})
  add_executable(${name} ${folder}/main.c)
  target_link_libraries(${name} PRIVATE ${name}_program)
  get_property(modules GLOBAL PROPERTY tacit_store_modules)
  if(modules)
    add_dependencies(${name} ${modules})
  endif()
  tacit_remember_tests(${name}_program ${tests})
endfunction()

function(tacit_tests)
  get_property(modules GLOBAL PROPERTY tacit_store_modules)
  add_custom_target(unit_tests DEPENDS ${modules})
  add_library(test_watchdog OBJECT ${PROJECT_SOURCE_DIR}/tests/watchdog.c)
  target_link_libraries(test_watchdog PRIVATE tacit_flags)
  get_property(entries GLOBAL PROPERTY tacit_unit_tests)
  foreach(entry ${entries})
    string(REPLACE "|" ";" entry "${entry}")
    list(GET entry 0 libraries)
    list(GET entry 1 source)
    string(REPLACE "," ";" libraries "${libraries}")
    tacit_test(${source} "${libraries}" unit)
    get_filename_component(test ${source} NAME_WE)
    add_dependencies(unit_tests ${test})
  endforeach()
endfunction()

function(tacit_test source libraries label)
  get_filename_component(test ${source} NAME_WE)
  if(ARGC GREATER 3)
    set(test ${ARGV3})
  endif()
  add_executable(${test} ${source} $<TARGET_OBJECTS:test_watchdog>)
  target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${test} PRIVATE ${libraries} cmocka)
  set_target_properties(${test} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  set(with "")
  if(test MATCHES "postgres") # a server of its own, or skipped where there is none
    set(with sh ${PROJECT_SOURCE_DIR}/tests/support/postgres)
  endif()
  add_test(NAME ${test} COMMAND ${with} $<TARGET_FILE:${test}>
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  tacit_test_properties(${test} ${label})
endfunction()

function(tacit_test_properties test label)
  set(timeout 600)
  if(DEFINED ENV{TACIT_DEEP}) # long variants of the tests that have one (tools/deep)
    set(timeout 3600)
  endif()
  set_tests_properties(${test} PROPERTIES LABELS ${label} TIMEOUT ${timeout} SKIP_RETURN_CODE 77
    ENVIRONMENT "TACIT_SOURCE=${PROJECT_SOURCE_DIR};TACIT_BIN=${PROJECT_BINARY_DIR}/tacit;TACIT_MODULES=${PROJECT_BINARY_DIR}")
endfunction()

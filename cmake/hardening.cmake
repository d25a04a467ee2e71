# Flags that make a defect in memory harder to use, as far as the compiler has them. They change no number
# that is computed. tools/check-hardening looks for them in what was built.
#
# Not in builds with sanitizers, which watch the same things and better. FORTIFY needs an optimising build.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)

check_pie_supported()
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # programs as PIE

if(TACIT_SANITIZE OR TACIT_FUZZER)
  return()
endif()

function(tacit_flag_if_known flag)
  string(MAKE_C_IDENTIFIER "TACIT_HAS${flag}" has)
  check_c_compiler_flag("-Werror ${flag}" ${has})
  if(${has})
    target_compile_options(tacit_flags INTERFACE ${flag})
  endif()
endfunction()

tacit_flag_if_known(-fstack-protector-strong)
tacit_flag_if_known(-fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|i[3-6]86")
  tacit_flag_if_known(-fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  tacit_flag_if_known(-mbranch-protection=standard)
endif()

set(fortify 2)
set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -Werror")
check_c_source_compiles("#include <string.h>
#if !defined __USE_FORTIFY_LEVEL || __USE_FORTIFY_LEVEL < 3
#error \"not known\"
#endif
int main(void) { return 0; }" TACIT_HAS_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
if(TACIT_HAS_FORTIFY_3)
  set(fortify 3)
endif()
target_compile_options(tacit_flags INTERFACE
  $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=${fortify}>)

foreach(flag -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  string(MAKE_C_IDENTIFIER "TACIT_HAS${flag}" has)
  check_linker_flag(C ${flag} ${has})
  if(${has})
    target_link_options(tacit_flags INTERFACE ${flag})
  endif()
endforeach()

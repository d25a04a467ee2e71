/* fuzz.h - what the fuzz targets share.
 *
 * A target is one file, fuzz_x.c, with one FUZZ_TARGET. clang links it to
 * libFuzzer and searches for new inputs:
 *
 *     clang -DTACIT_FUZZER -fsanitize=fuzzer,address,undefined fuzz_csv.c ... -o fuzz_csv
 *     ./fuzz_csv -max_total_time=120 found/ corpus/csv
 *
 * In every other build replay.c calls all targets over the kept corpus. An
 * input that once broke something goes into corpus/<target>/ and stays. */
#ifndef TACIT_TESTS_FUZZ_FUZZ_H
#define TACIT_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns 0, or does not return. */
typedef int fuzz_target(const uint8_t *data, size_t size);

#ifdef TACIT_FUZZER
#define FUZZ_TARGET(name)                                                                          \
    fuzz_target LLVMFuzzerTestOneInput;                                                            \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
#else
#define FUZZ_TARGET(name) int fuzz_##name(const uint8_t *data, size_t size)
fuzz_target fuzz_answers, fuzz_audit, fuzz_broadcast, fuzz_carried, fuzz_csv, fuzz_dealing,
    fuzz_event_json, fuzz_exported, fuzz_ledger, fuzz_linear, fuzz_released, fuzz_request,
    fuzz_round, fuzz_saved, fuzz_study_doc, fuzz_trust, fuzz_words;
#endif

/* Unlike assert, in every build. */
#define REQUIRE(condition)                                                                         \
    ((condition)                                                                                   \
         ? (void)0                                                                                 \
         : (fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition), abort()))

#endif

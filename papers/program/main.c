/* main.c - the program tacit-papers. It has one verb (papers.c), which stands without its name. */
#include "base/json.h"
#include "frame/frame.h"
#include "papers/program/papers_int.h"

#include <tacit/tacit.h>

#include <string.h>

int main(int argc, char **argv)
{
    tacit_error err = {0};
    tacit_status status = TACIT_OK;
    tc_json_start();
    if (argc == 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0))
        printf("tacit-papers %s\n", TACIT_VERSION);
    else
        status = tc_run_verb(&tc_papers_verb, argc - 1, argv + 1, &err);
    return tc_exit_code(tc_papers_verb.name, status, &err);
}

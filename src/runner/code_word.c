/* code_word.c - see code_word.h. */
#include "runner/code_word.h"

#include <ctype.h>
#include <string.h>

typedef struct interpreter {
    const char *name;
    bool versions;      /* digits and dots may follow the name: python3.11 */
    bool anywhere;      /* options may follow other words: su user -c ... */
    const char *code;   /* options whose word is code */
    const char *option; /* options whose word is something else */
    const char *ends;   /* options after which no other is read */
} interpreter;

#define SHELL(name_)                                                                               \
    {                                                                                              \
        .name = name_, .code = "c", .option = "oO", .ends = ""                                     \
    }

static const interpreter known[] = {
    SHELL("sh"),
    SHELL("bash"),
    SHELL("rbash"),
    SHELL("dash"),
    SHELL("ash"),
    SHELL("zsh"),
    SHELL("ksh"),
    SHELL("mksh"),
    SHELL("yash"),
    SHELL("fish"),
    SHELL("csh"),
    SHELL("tcsh"),
    {.name = "python", .versions = true, .code = "c", .option = "WX", .ends = "m"},
    {.name = "pypy", .versions = true, .code = "c", .option = "WX", .ends = "m"},
    {.name = "perl", .versions = true, .code = "eE", .option = "IMm", .ends = ""},
    {.name = "ruby", .versions = true, .code = "e", .option = "rIC", .ends = ""},
    {.name = "node", .versions = true, .code = "ep", .option = "rC", .ends = ""},
    {.name = "lua", .versions = true, .code = "e", .option = "l", .ends = ""},
    {.name = "php", .versions = true, .code = "r", .option = "dcz", .ends = "f"},
    {.name = "julia", .code = "eE", .option = "JLpt", .ends = ""},
    {.name = "Rscript", .code = "e", .option = "", .ends = ""},
    {.name = "R", .code = "e", .option = "", .ends = "f"},
    {.name = "env", .code = "S", .option = "uC", .ends = ""},
    {.name = "su", .anywhere = true, .code = "c", .option = "gGsw", .ends = ""},
    {.name = "runuser", .anywhere = true, .code = "c", .option = "gGsuw", .ends = ""},
    {.name = "flock", .anywhere = true, .code = "c", .option = "wE", .ends = ""},
};

/* Long options of any of them. */
static const char *const long_code[] = {"--command", "--eval", "--print", "--run",
                                        "--split-string"};
static const char *const long_option[] = {"--rcfile", "--init-file", "--require", "--unset",
                                          "--chdir",  "--shell",     "--user"};

/* What an option says of the words after it. */
typedef enum meaning { FLAG, CODE, WORD, END } meaning;

static const interpreter *find(const char *word)
{
    const char *slash = strrchr(word, '/');
    const char *base = slash ? slash + 1 : word;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i].name);
        bool named = strncmp(base, known[i].name, n) == 0;
        if (named && base[n + (known[i].versions ? strspn(base + n, "0123456789.-") : 0)] == '\0')
            return &known[i];
    }
    return NULL;
}

/* "--eval" and "--eval=..." are the option --eval. */
static bool is_one_of(const char *word, const char *const *list, size_t n)
{
    size_t len = strcspn(word, "=");
    for (size_t i = 0; i < n; i++)
        if (strlen(list[i]) == len && strncmp(word, list[i], len) == 0)
            return true;
    return false;
}

static meaning long_meaning(const char *word)
{
    if (is_one_of(word, long_code, sizeof long_code / sizeof *long_code))
        return CODE;
    bool alone = !strchr(word, '=');
    return alone && is_one_of(word, long_option, sizeof long_option / sizeof *long_option) ? WORD
                                                                                           : FLAG;
}

/* Letters may stand together, as in -ec; what follows a letter with a word of its own is that word. */
static meaning short_meaning(const interpreter *k, const char *word)
{
    for (const char *c = word + 1; isalpha((unsigned char)*c); c++) {
        if (strchr(k->code, *c) && word[0] == '-')
            return CODE;
        if (strchr(k->ends, *c))
            return END;
        if (strchr(k->option, *c))
            return c[1] ? FLAG : WORD;
    }
    return FLAG;
}

static bool is_option(const char *word)
{
    return (word[0] == '-' || word[0] == '+') && word[1] != '\0';
}

/* Does the interpreter whose words begin at argv[from] read argv[at] as code? A shell's code is the first
 * word after -c that is no option; in doubt an option between the two counts as code. */
static bool reads_code(const interpreter *k, char *const *argv, size_t from, size_t at)
{
    bool code = false;
    for (size_t i = from; i <= at; i++) {
        if (strcmp(argv[i], "--") == 0)
            return code && i + 1 == at;
        if (!is_option(argv[i])) {
            if (code)
                return i == at;
            if (!k->anywhere)
                return false;
            continue;
        }
        meaning m = argv[i][1] == '-' ? long_meaning(argv[i]) : short_meaning(k, argv[i]);
        code = code || m == CODE;
        if (i == at)
            return code;
        if (m == END)
            return false;
        if (m == WORD)
            i++;
    }
    return false;
}

bool tc_code_word(char *const *argv, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        const interpreter *k = find(argv[i]);
        if (k && reads_code(k, argv, i + 1, at))
            return true;
    }
    return false;
}

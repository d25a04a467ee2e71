/* code_word.c - see code_word.h.
 *
 * Every word of the command may be the name of a program of the table, so a program behind others is found whatever
 * these are: env, nice, timeout, stdbuf, setsid, xargs, find -exec, busybox. */
#include "runner/code_word.h"

#include <ctype.h>
#include <string.h>

/* Letters are short options. One whose word is code takes the rest of its own word, or else the next word; only a
 * shell's -c is a flag, and the code is the first operand after the options. */
typedef struct interpreter {
    const char *name;
    const char *code;   /* options whose word is code */
    const char *option; /* options whose word is something else */
    const char *file;   /* options whose word is a file with the code: no operand is code then */
    const char *ends;   /* options after which no other is read */
    bool versions;      /* digits and dots may follow the name: python3.11 */
    bool common;   /* a usual word, which may mean something else: only where is_program says so */
    bool anywhere; /* options may follow operands: su user -c ... */
    bool shell;
    bool last;    /* no option is read after one with code */
    bool first;   /* the first operand is code, unless an option gave the code */
    bool goes_on; /* after an option with code all words are code */
    bool joins;   /* all words from the first operand on are code */
} interpreter;

#define SHELL(name_)                                                                               \
    {                                                                                              \
        .name = (name_), .code = "c", .option = "oO", .shell = true                                \
    }
#define AWK(name_)                                                                                 \
    {                                                                                              \
        .name = (name_), .code = "e", .option = "FvilW", .file = "f", .ends = "E", .first = true   \
    }
#define SED(name_)                                                                                 \
    {                                                                                              \
        .name = (name_), .code = "e", .option = "l", .file = "f", .anywhere = true, .first = true  \
    }
#define MAKE(name_)                                                                                \
    {                                                                                              \
        .name = (name_), .code = "E", .option = "CfIoW", .common = true, .anywhere = true          \
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
    {.name = "python", .versions = true, .code = "c", .option = "WX", .ends = "m", .last = true},
    {.name = "ipython", .versions = true, .code = "c", .last = true},
    {.name = "pypy", .versions = true, .code = "c", .option = "WX", .ends = "m", .last = true},
    {.name = "perl", .versions = true, .code = "eE", .option = "IMm"},
    {.name = "ruby", .versions = true, .code = "e", .option = "rIC"},
    {.name = "node", .versions = true, .code = "ep", .option = "rC"},
    {.name = "lua", .versions = true, .code = "e", .option = "l"},
    {.name = "php", .versions = true, .code = "r", .option = "dcz", .ends = "f"},
    {.name = "julia", .code = "eE", .option = "JLpt"},
    {.name = "octave", .option = "p"},
    {.name = "Rscript", .code = "e"},
    {.name = "R", .code = "e", .ends = "f"},
    AWK("awk"),
    AWK("gawk"),
    AWK("mawk"),
    AWK("nawk"),
    SED("sed"),
    SED("gsed"),
    MAKE("make"),
    MAKE("gmake"),
    {.name = "env", .code = "S", .option = "uC", .goes_on = true},
    {.name = "su", .anywhere = true, .code = "c", .option = "gGsw"},
    {.name = "runuser", .anywhere = true, .code = "c", .option = "gGsuw"},
    {.name = "flock", .anywhere = true, .code = "c", .option = "wE"},
    {.name = "script", .common = true, .anywhere = true, .code = "c", .option = "BEIOTmo"},
    {.name = "watch", .common = true, .option = "nq", .ends = "x", .joins = true},
    {.name = "sbatch", .anywhere = true},
};

/* What an option says of the words after it. WORD: the next one is its own. */
typedef enum meaning { FLAG, WORD, CODE, FILE_WORD, END } meaning;

/* Long options of any of them. */
static const struct {
    const char *name;
    meaning meaning;
} long_options[] = {
    {"--command", CODE},
    {"--eval", CODE},
    {"--expression", CODE},
    {"--print", CODE},
    {"--run", CODE},
    {"--source", CODE},
    {"--split-string", CODE},
    {"--wrap", CODE},
    {"--file", FILE_WORD},
    {"--exec", END},
    {"--assign", WORD},
    {"--chdir", WORD},
    {"--field-separator", WORD},
    {"--include", WORD},
    {"--init-file", WORD},
    {"--interval", WORD},
    {"--line-length", WORD},
    {"--load", WORD},
    {"--rcfile", WORD},
    {"--require", WORD},
    {"--shell", WORD},
    {"--unset", WORD},
    {"--user", WORD},
};

/* Programs that run the command among their words. */
static const char *const wrappers[] = {
    "busybox", "chroot",      "chrt",    "conda",  "docker",  "env",     "find",
    "flock",   "ionice",      "ltrace",  "nice",   "nohup",   "numactl", "podman",
    "prlimit", "setarch",     "setpriv", "setsid", "srun",    "stdbuf",  "strace",
    "sudo",    "systemd-run", "taskset", "time",   "timeout", "unshare", "xargs"};

static const char *base_of(const char *word)
{
    const char *slash = strrchr(word, '/');
    return slash ? slash + 1 : word;
}

/* Is it likely that argv[at], a usual word, is the program of that name, and not one of the user's or a word for it? */
static bool is_program(char *const *argv, size_t at)
{
    const char *base = base_of(argv[at]);
    if (base != argv[at] && argv[at][0] != '/')
        return false;
    for (size_t i = 0; at > 0 && i < sizeof wrappers / sizeof *wrappers; i++)
        if (strcmp(base_of(argv[0]), wrappers[i]) == 0)
            return true;
    return at == 0;
}

static const interpreter *find(char *const *argv, size_t at)
{
    const char *base = base_of(argv[at]);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const interpreter *k = &known[i];
        size_t n = strlen(k->name);
        if (strncmp(base, k->name, n) == 0 &&
            base[n + (k->versions ? strspn(base + n, "0123456789.-") : 0)] == '\0')
            return k->common && !is_program(argv, at) ? NULL : k;
    }
    return NULL;
}

static bool has(const char *letters, char c)
{
    return letters && strchr(letters, c);
}

/* An option, and whether its word is in the same one: --eval=..., -e.... */
typedef struct reading {
    meaning meaning;
    bool attached;
} reading;

/* "--eval", "--eval=..." and, since many programs take abbreviations, "--ev=..." are the option --eval. An abbreviation
 * that cannot be an option with code is taken for a flag: the next word may be code, as after sed --in. */
static reading read_long(const char *word)
{
    size_t len = strcspn(word, "=");
    reading r = {FLAG, word[len] == '='};
    for (size_t i = 0; i < sizeof long_options / sizeof *long_options; i++) {
        const char *name = long_options[i].name;
        if (strncmp(name, word, len) != 0)
            continue;
        if (name[len] == '\0')
            return (reading){long_options[i].meaning, r.attached};
        r.meaning = long_options[i].meaning == CODE ? CODE : r.meaning;
    }
    return r;
}

/* Letters may stand together, as in -ec; what follows a letter with a word of its own is that word. Letters with
 * code that stand together (node -pe) have one word between them. */
static reading read_short(const interpreter *k, const char *word)
{
    for (const char *c = word + 1; isalnum((unsigned char)*c); c++) {
        if (has(k->code, *c) && word[0] == '-')
            return (reading){CODE, c[1 + strspn(c + 1, k->code)] != '\0'};
        if (has(k->ends, *c))
            return (reading){END, false};
        if (has(k->file, *c))
            return (reading){FILE_WORD, c[1] != '\0'};
        if (has(k->option, *c))
            return (reading){WORD, c[1] != '\0'};
    }
    return (reading){FLAG, false};
}

static bool is_option(const interpreter *k, const char *word)
{
    return (word[0] == '-' || (k->shell && word[0] == '+')) && word[1] != '\0';
}

static bool ends_options(const interpreter *k, const char *word)
{
    return strcmp(word, "--") == 0 || (k->shell && strcmp(word, "-") == 0);
}

/* Does the interpreter whose words begin at argv[from] read argv[at] as code? In doubt it does: an option
 * between a shell's -c and its code counts as code. */
static bool reads_code(const interpreter *k, char *const *argv, size_t from, size_t at)
{
    bool options = true, first = true, given = false;
    for (size_t i = from; i <= at; i++) {
        if (options && ends_options(k, argv[i])) {
            options = false;
            continue;
        }
        if (!options || !is_option(k, argv[i])) {
            if (k->joins)
                return true;
            if (i == at)
                return first && (k->shell ? given : k->first && !given);
            if (!k->anywhere)
                return false;
            first = false;
            continue;
        }
        reading r = argv[i][1] == '-' ? read_long(argv[i]) : read_short(k, argv[i]);
        bool code = r.meaning == CODE;
        given = given || code || r.meaning == FILE_WORD;
        if (i == at)
            return code || (k->shell && given);
        if (r.meaning == END || (code && r.attached && k->last))
            return false;
        if (code && k->goes_on)
            return true;
        if (r.meaning == FLAG || r.attached || (code && k->shell))
            continue;
        i++; /* the option's own word */
        if (i == at || (code && k->last))
            return code && i == at;
    }
    return false;
}

bool tc_code_word(char *const *argv, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        const interpreter *k = find(argv, i);
        if (k && reads_code(k, argv, i + 1, at))
            return true;
    }
    return false;
}

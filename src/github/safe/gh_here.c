/* See gh_here.h. */
#include "github/safe/gh_here.h"

typedef struct HereRow {
    const char *command;
    const char *reason; // of the table
    const char *reader; // asks GitHub the same and changes nothing here; NULL: the command itself,
    const char *flag;   // without this
} HereRow;

static const HereRow rows[] = {
    { "pr checkout", "changes the working tree", "pr view", NULL },
    { "repo clone", "clones a repository to disk", "repo view", NULL },
    { "run download", "writes files to disk", "run view", NULL },
    { "release download", "writes files to disk", "release view", NULL },
    { "run watch", "streams output until the run ends", "run view", NULL },
    { "pr checks", "streams output until the checks end", NULL, "--watch" },
    { "api", "unbounded output", NULL, "--paginate" },
};

static const HereRow *row_of(const Classified *classified)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows) && classified->node; i++)
        if (strcmp(rows[i].command, command_path(classified->node)) == 0 &&
            g_strcmp0(rows[i].reason, classified->reason) == 0)
            return &rows[i];
    return NULL;
}

/* The reader, about the same repository and thing. Borrowed elements, but for the words; caller
   frees both. */
static char **argv_of_reader(const HereRow *row, const CommandArgs *args)
{
    g_autoptr(GStrvBuilder) argv = g_strv_builder_new();
    g_auto(GStrv) words = g_strsplit(row->reader, " ", -1);
    const char *thing = command_args_positional(args, 0);
    const char *repo = command_args_last(args, "repo");
    g_strv_builder_addv(argv, (const char **)words);
    if (repo)
        g_strv_builder_add_many(argv, "--repo", repo, NULL);
    if (thing)
        g_strv_builder_add_many(argv, "--", thing, NULL);
    return g_strv_builder_end(argv);
}

/* NULL unless it is there once: another one may be the value of a flag. Caller frees. */
static char **argv_without(const char *const *argv, const char *flag)
{
    g_autoptr(GStrvBuilder) rest = g_strv_builder_new();
    size_t count = 0;
    for (; *argv; argv++) {
        bool is_flag = strcmp(*argv, flag) == 0;
        count += is_flag;
        if (!is_flag)
            g_strv_builder_add(rest, *argv);
    }
    g_auto(GStrv) result = g_strv_builder_end(rest);
    return count == 1 ? g_steal_pointer(&result) : NULL;
}

bool gh_here_only(const char *const *argv, const Classified *classified,
                  const ClassifyOptions *options)
{
    const HereRow *row = row_of(classified);
    if (!row || classified->effect != EFFECT_BLOCKED || classified->has_unknown_word)
        return false;
    g_auto(GStrv) reader =
        row->reader ? argv_of_reader(row, classified->args) : argv_without(argv, row->flag);
    g_auto(Classified) as_read = { 0 };
    return reader && classify_argv((const char *const *)reader, options, &as_read, NULL) &&
           as_read.effect == EFFECT_READ && as_read.node &&
           g_str_equal(command_path(as_read.node), row->reader ? row->reader : row->command);
}

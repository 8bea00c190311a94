/*
 * Git graphs (agent-tools-cli §8.7): the statements, and the branches and commits that they make.
 */
#include "agenttools/mermaid/mmd_lines.h"

typedef struct Commit {
    const char *branch;     // borrowed from the graph's table
    const char *parents[2]; // their ids, borrowed; NULL: none
    bool is_merge;
} Commit;

typedef struct Graph {
    MmdParser *p;
    GHashTable *branches; // name → id of its last commit, borrowed from `commits`; NULL: none
    GHashTable *commits;  // id → Commit
    const char *branch;   // the current one
    const char *head;     // id; NULL: none
    unsigned made_count;  // ids that were made up
} Graph;

typedef struct Options { // of one statement
    char *id, *parent;
} Options;

static void options_clear(Options *self)
{
    g_free(self->id);
    g_free(self->parent);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

typedef enum {
    TAKES_ID = 1 << 0,
    TAKES_TAG = 1 << 1,
    TAKES_TYPE = 1 << 2,
    TAKES_MESSAGE = 1 << 3,
    TAKES_PARENT = 1 << 4,
} OptionSet;

// ---- words and options ----

/* A name does not end in '.' or '/', nor does it begin with a whole number. */
#define NAME "(?!0|[1-9]\\d|[1-9](?!\\.))\\w([\\w\\-]|[./]+(?=[\\w\\-]))*"

/* A keyword, which does not go on as a name. */
#define WORD(words) "(" words ")(?![\\w\\-]|[./]+[\\w\\-])"

static bool take_branch_name(Graph *g, char **ret_name)
{
    MmdParser *p = g->p;
    plain_skip(p);
    if (*p->at == '"' || *p->at == '\'')
        return plain_take_string(p, ret_name, "a name");
    const char *start = p->at;
    if (mmd_skip(p,
                 "(?!title|" WORD("cherry-pick|HIGHLIGHT|gitGraph|checkout|NORMAL|REVERSE|commit|"
                                  "branch|switch|merge|LR|TB|BT") ")" NAME)) {
        *ret_name = g_strndup(start, (size_t)(p->at - start));
        return true;
    }
    mmd_unexpected(p, "the name of a branch");
    return !plain_is_word_end(p) &&
           mmd_hint(p, "put a name that is a keyword, begins with a digit or has other characters "
                       "than letters, digits, _ . / - in double quotes");
}

/* The quoted text after `id:` and the like; kept in *ret_text unless that is NULL. */
static bool take_text(MmdParser *p, char **ret_text)
{
    g_autofree char *text = NULL;
    plain_skip(p);
    if (!plain_take_string(p, &text, "a text in double quotes"))
        return false;
    if (ret_text) {
        g_free(*ret_text);
        *ret_text = g_steal_pointer(&text);
    }
    return true;
}

/* Options up to the end of the line. */
static bool take_options(MmdParser *p, OptionSet set, const char *expected, Options *options)
{
    for (bool is_right = true; is_right;) {
        plain_skip(p);
        if ((set & TAKES_ID) && mmd_skip(p, "id:"))
            is_right = take_text(p, &options->id);
        else if ((set & TAKES_PARENT) && mmd_skip(p, "parent:"))
            is_right = take_text(p, &options->parent);
        else if (((set & TAKES_TAG) && mmd_skip(p, "tag:")) ||
                 ((set & TAKES_MESSAGE) && mmd_skip(p, "msg:|(?=[\"'])")))
            is_right = take_text(p, NULL);
        else if ((set & TAKES_TYPE) && mmd_skip(p, "type:"))
            is_right = plain_skip(p) && (mmd_skip(p, WORD("NORMAL|REVERSE|HIGHLIGHT")) ||
                                         mmd_unexpected(p, "NORMAL, REVERSE or HIGHLIGHT"));
        else
            return plain_take_line_end(p, expected);
    }
    return false;
}

// ---- the graph ----

static const char *last_commit(const Graph *g, const char *branch)
{
    return g_hash_table_lookup(g->branches, branch);
}

static bool has_branch(const Graph *g, const char *name)
{
    return g_hash_table_contains(g->branches, name);
}

/* A commit on the current branch; without an id it gets one of its own. */
static void add_commit(Graph *g, const char *id, Commit commit)
{
    bool is_named = id && *id != '\0';
    char *key = is_named ? g_strdup(id) : g_strdup_printf("\n%u", g->made_count++);
    commit.branch = g->branch;
    commit.parents[0] = g->head;
    void *old_key;
    if (g_hash_table_lookup_extended(g->commits, key, &old_key, NULL)) {
        g_free(key);
        key = old_key; // the later one of two with the same id counts
        *(Commit *)g_hash_table_lookup(g->commits, key) = commit;
    } else {
        g_hash_table_insert(g->commits, key, g_memdup2(&commit, sizeof commit));
    }
    g->head = key;
    g_hash_table_insert(g->branches, g_strdup(g->branch), key);
}

static void go_to(Graph *g, const char *name)
{
    void *key = NULL, *head = NULL;
    g_hash_table_lookup_extended(g->branches, name, &key, &head);
    g->branch = key;
    g->head = head;
}

static bool fail_branch(Graph *g, const char *where, const char *name)
{
    mmd_fail(g->p, MMD_SEMANTIC, where, "there is no branch '%s' before this line", name);
    return mmd_hint(g->p, "Add: branch %s", name);
}

static bool take_commit(Graph *g)
{
    g_auto(Options) options = { 0 };
    if (!take_options(g->p, TAKES_ID | TAKES_TAG | TAKES_TYPE | TAKES_MESSAGE,
                      "id:, msg:, tag:, type: or the end of the line", &options))
        return false;
    add_commit(g, options.id, (Commit) { 0 });
    return true;
}

static bool take_order(MmdParser *p)
{
    plain_skip(p);
    return !mmd_skip(p, "order:") || (plain_skip(p) && mmd_skip(p, "0(?!\\d)|[1-9]\\d*(?!\\.)")) ||
           mmd_unexpected(p, "a whole number");
}

static bool take_branch(Graph *g)
{
    MmdParser *p = g->p;
    g_autofree char *name = NULL;
    plain_skip(p);
    const char *where = p->at;
    if (!take_branch_name(g, &name) || !take_order(p) ||
        !plain_take_line_end(p, "order: or the end of the line"))
        return false;
    if (has_branch(g, name)) {
        mmd_fail(p, MMD_SEMANTIC, where, "there is a branch '%s' already", name);
        return mmd_hint(p, "write checkout %s", name);
    }
    g_hash_table_insert(g->branches, g_strdup(name), (void *)g->head);
    go_to(g, name);
    return true;
}

static bool take_checkout(Graph *g)
{
    g_autofree char *name = NULL;
    plain_skip(g->p);
    const char *where = g->p->at;
    if (!take_branch_name(g, &name) || !plain_take_line_end(g->p, "the end of the line"))
        return false;
    if (!has_branch(g, name))
        return fail_branch(g, where, name);
    go_to(g, name);
    return true;
}

static bool check_merge(Graph *g, const char *where, const char *name, const char *id)
{
    MmdParser *p = g->p;
    const char *ours = last_commit(g, g->branch), *theirs = last_commit(g, name);
    if (strcmp(g->branch, name) == 0)
        return mmd_fail(p, MMD_SEMANTIC, where, "branch '%s' cannot be merged into itself", name);
    if (!has_branch(g, name))
        return fail_branch(g, where, name);
    if (!ours || !theirs)
        return mmd_fail(p, MMD_SEMANTIC, where, "branch '%s' has no commits",
                        !ours ? g->branch : name);
    const Commit *our_commit = g_hash_table_lookup(g->commits, ours);
    if (strcmp(ours, theirs) == 0 || strcmp(our_commit->branch, name) == 0) {
        mmd_fail(p, MMD_SEMANTIC, where, "branches '%s' and '%s' end at the same commit", g->branch,
                 name);
        return mmd_hint(p, "add a commit to one of them first");
    }
    if (id && *id != '\0' && g_hash_table_contains(g->commits, id))
        return mmd_fail(p, MMD_SEMANTIC, where, "there is a commit '%s' already", id);
    return true;
}

static bool take_merge(Graph *g)
{
    MmdParser *p = g->p;
    g_autofree char *name = NULL;
    g_auto(Options) options = { 0 };
    plain_skip(p);
    const char *where = p->at;
    if (!take_branch_name(g, &name) ||
        !take_options(p, TAKES_ID | TAKES_TAG | TAKES_TYPE,
                      "id:, tag:, type: or the end of the line", &options))
        return false;
    if (!check_merge(g, where, name, options.id))
        return false;
    add_commit(g, options.id,
               (Commit) { .parents = { NULL, last_commit(g, name) }, .is_merge = true });
    return true;
}

static bool is_parent(const Commit *commit, const char *id)
{
    return g_strcmp0(commit->parents[0], id) == 0 || g_strcmp0(commit->parents[1], id) == 0;
}

static bool check_cherry_pick(Graph *g, const char *where, const Options *options)
{
    MmdParser *p = g->p;
    if (!options->id || *options->id == '\0')
        return mmd_fail(p, MMD_SEMANTIC, where, "cherry-pick needs id: and the id of a commit");
    const Commit *source = g_hash_table_lookup(g->commits, options->id);
    if (!source)
        return mmd_fail(p, MMD_SEMANTIC, where, "there is no commit '%s' before this line",
                        options->id);
    bool has_parent = options->parent && *options->parent != '\0';
    if (has_parent && !is_parent(source, options->parent))
        return mmd_fail(p, MMD_SEMANTIC, where, "commit '%s' is no parent of '%s'", options->parent,
                        options->id);
    if (source->is_merge && !has_parent)
        return mmd_fail(p, MMD_SEMANTIC, where,
                        "commit '%s' is a merge, so it needs parent:", options->id);
    if (strcmp(source->branch, g->branch) == 0)
        return mmd_fail(p, MMD_SEMANTIC, where, "commit '%s' is on branch '%s' already",
                        options->id, g->branch);
    if (!last_commit(g, g->branch))
        return mmd_fail(p, MMD_SEMANTIC, where, "branch '%s' has no commits", g->branch);
    return true;
}

static bool take_cherry_pick(Graph *g, const char *where)
{
    g_auto(Options) options = { 0 };
    if (!take_options(g->p, TAKES_ID | TAKES_TAG | TAKES_PARENT,
                      "id:, tag:, parent: or the end of the line", &options))
        return false;
    if (!check_cherry_pick(g, where, &options))
        return false;
    void *source = NULL;
    g_hash_table_lookup_extended(g->commits, options.id, &source, NULL);
    add_commit(g, NULL, (Commit) { .parents = { NULL, source } });
    return true;
}

static bool take_statement(Graph *g)
{
    MmdParser *p = g->p;
    const char *start = p->at;
    if (mmd_skip(p, WORD("commit")))
        return take_commit(g);
    if (mmd_skip(p, WORD("branch")))
        return take_branch(g);
    if (mmd_skip(p, WORD("checkout|switch")))
        return take_checkout(g);
    if (mmd_skip(p, WORD("merge")))
        return take_merge(g);
    if (mmd_skip(p, WORD("cherry-pick")))
        return take_cherry_pick(g, start);
    return mmd_unexpected(p, "commit, branch, checkout, merge or cherry-pick");
}

/* What may be between `gitGraph` and the first statement. */
static bool take_header(MmdParser *p)
{
    if (mmd_skip(p, ":"))
        return true;
    if (!plain_is_word_end(p))
        return mmd_unexpected(p, "a blank or ':' after 'gitGraph'");
    plain_skip(p);
    if (mmd_skip(p, WORD("LR|TB|BT"))) {
        plain_skip(p);
        if (mmd_skip(p, ":"))
            return true;
        mmd_unexpected(p, "':' after the direction");
        return mmd_hint(p, "write gitGraph LR:");
    }
    mmd_skip(p, ":");
    return true;
}

bool mmd_parse_git(MmdParser *p)
{
    g_autoptr(GHashTable) branches = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) commits = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    Graph graph = { .p = p, .branches = branches, .commits = commits };
    const char *main_branch = p->main_branch ? p->main_branch : "main";
    g_hash_table_insert(branches, g_strdup(main_branch), NULL);
    go_to(&graph, main_branch);

    if (!take_header(p))
        return false;
    plain_skip(p);
    if (*p->at == '\n' && !plain_take_line_end(p, ""))
        return false;
    while (!mmd_at_end(p)) {
        bool is_title;
        if (!plain_take_title(p, &is_title) || (!is_title && !take_statement(&graph)))
            return false;
    }
    return true;
}

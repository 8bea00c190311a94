/* See ast_search.h. */
#include "tools/ast/ast_search.h"

#include "base/git_dir.h"
#include "base/json.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tools/file/line_program.h"

#include <string.h>
#include <unistd.h>

#define TIMEOUT_MS      30000 // of one start of it
#define FILES_PER_START 200
#define BYTES_PER_START (64 * 1024) // of their names

// ---- the program and its languages ----

static const struct {
    const char *language, *extensions; // with a blank before and behind each
} languages[] = {
    { "bash", " sh bash zsh bats ksh " },
    { "c", " c h " },
    { "cpp", " cc cpp cxx c++ hh hpp hxx h++ cu ino " },
    { "csharp", " cs " },
    { "css", " css " },
    { "elixir", " ex exs " },
    { "go", " go " },
    { "haskell", " hs " },
    { "html", " html htm xhtml " },
    { "java", " java " },
    { "javascript", " js jsx mjs cjs " },
    { "json", " json " },
    { "kotlin", " kt kts " },
    { "lua", " lua " },
    { "nix", " nix " },
    { "php", " php " },
    { "python", " py pyi py3 " },
    { "ruby", " rb rbw gemspec " },
    { "rust", " rs " },
    { "scala", " scala sc sbt " },
    { "solidity", " sol " },
    { "swift", " swift " },
    { "tsx", " tsx " },
    { "typescript", " ts mts cts " },
    { "yaml", " yaml yml " },
};

const char *ast_language(const char *path)
{
    for (size_t i = 0; i < G_N_ELEMENTS(languages); i++)
        if (path_has_extension(path, languages[i].extensions))
            return languages[i].language;
    return NULL;
}

/* The directory whose programs are somebody else's: the repository around `cwd`, unless that is the
   home directory itself. NULL: none. */
static char *foreign_dir(const char *cwd, const char *home)
{
    g_autofree char *here = cwd ? g_strdup(cwd) : g_get_current_dir();
    g_autofree char *top = git_dir_work_tree(here);
    char *dir = top ? g_steal_pointer(&top) : path_real(here);
    if (dir && path_is_inside(home, dir))
        g_clear_pointer(&dir, g_free);
    return dir;
}

static bool is_own_program(const char *path, const char *foreign)
{
    if (access(path, X_OK) < 0 || !g_file_test(path, G_FILE_TEST_IS_REGULAR))
        return false;
    g_autofree char *real = path_real(path);
    g_autofree char *dir = g_path_get_dirname(path);
    g_autofree char *real_dir = path_real(dir);
    return real && real_dir &&
           !(foreign && (path_is_inside(real, foreign) || path_is_inside(real_dir, foreign)));
}

char *ast_program(const char *cwd)
{
    static const char *const in_home[] = { "node_modules/.bin", ".npm-global/bin", ".local/bin",
                                           ".cargo/bin" };
    char *real_home = path_real(g_get_home_dir());
    g_autofree char *home = real_home ? real_home : g_strdup(g_get_home_dir());
    g_autofree char *foreign = foreign_dir(cwd, home);
    g_auto(GStrv) dirs = g_strsplit(g_getenv("PATH") ? g_getenv("PATH") : "", ":", -1);
    for (char **dir = dirs; *dir; dir++) {
        g_autofree char *path = g_build_filename(*dir, "ast-grep", NULL);
        if (g_path_is_absolute(path) && is_own_program(path, foreign))
            return g_steal_pointer(&path);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(in_home); i++) {
        g_autofree char *path = g_build_filename(home, in_home[i], "ast-grep", NULL);
        if (is_own_program(path, foreign))
            return g_steal_pointer(&path);
    }
    return NULL;
}

bool ast_is_available(const Settings *settings G_GNUC_UNUSED)
{
    g_autofree char *program = ast_program(NULL);
    return program != NULL;
}

// ---- what it says ----

void ast_match_free(AstMatch *self)
{
    if (!self)
        return;
    g_free(self->file);
    g_free(self->text);
    g_free(self->captures);
    g_free(self->replacement);
    g_free(self);
}

typedef struct Reader {
    GPtrArray *matches; // of AstMatch
    size_t bytes;       // of the lines so far
    bool is_over;       // too many
    bool is_strange;    // a line is not what is expected
} Reader;

static void append_multi(GString *text, const char *name, const json_t *nodes)
{
    g_string_append_printf(text, "%s=[", name);
    json_each ((json_t *)nodes, i, node) {
        const char *part = json_get_text(node, "text");
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", part ? part : "");
    }
    g_string_append_c(text, ']');
}

static void append_single(GString *text, const char *name, const char *part)
{
    g_string_append_printf(text, "%s=%s", name, part ? part : "");
}

/* NULL: none. */
static char *captures_of(const json_t *match)
{
    json_t *variables = json_get_object(match, "metaVariables");
    json_t *sets[] = { json_get_object(variables, "single"), json_get_object(variables, "multi") };
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < G_N_ELEMENTS(sets); i++) {
        json_each_member (sets[i], name, value) {
            g_autoptr(GString) text = g_string_new(NULL);
            if (json_is_array(value))
                append_multi(text, name, value);
            else
                append_single(text, name, json_get_text(value, "text"));
            g_ptr_array_add(words, g_strdup(text->str));
        }
    }
    if (words->len == 0)
        return NULL;
    qsort(words->pdata, words->len, sizeof(*words->pdata), str_compare);
    g_ptr_array_add(words, NULL);
    return g_strjoinv(", ", (char **)words->pdata);
}

static AstMatch *match_from(const json_t *line)
{
    const json_t *offsets = json_get_path(line, "replacementOffsets");
    if (!offsets)
        offsets = json_get_path(line, "range.byteOffset");
    const json_t *at = json_get_path(line, "range.start");
    const char *file = json_get_text(line, "file");
    const char *text = json_get_text(line, "text");
    int64_t start = json_get_int(offsets, "start", -1);
    int64_t end = json_get_int(offsets, "end", -1);
    if (!file || !text || start < 0 || end < start)
        return NULL;
    AstMatch *self = g_new0(AstMatch, 1);
    self->file = g_strdup(file);
    self->text = g_strdup(text);
    self->start = (size_t)start;
    self->end = (size_t)end;
    self->line = json_get_int(at, "line", 0) + 1;
    self->captures = captures_of(line);
    self->replacement = g_strdup(json_get_text(line, "replacement"));
    return self;
}

static bool take_line(const char *line, size_t size, void *user_data)
{
    Reader *self = user_data;
    if (size == 0)
        return true;
    self->bytes += size;
    self->is_over = self->bytes > AST_MAX_MATCH_BYTES;
    g_autoptr(json_t) parsed = NULL;
    AstMatch *match =
        !self->is_over && json_parse(line, size, &parsed, NULL) ? match_from(parsed) : NULL;
    self->is_strange = !self->is_over && !match;
    if (match)
        g_ptr_array_add(self->matches, match);
    return match != NULL;
}

// ---- running it ----

static bool fail_run(const Reader *reader, int status, const char *said, GError **error)
{
    if (reader->is_over)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "the pattern matches more than %d MiB; narrow paths or the pattern",
                         AST_MAX_MATCH_BYTES / (1024 * 1024));
    if (reader->is_strange)
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "ast-grep answered with something else than matches; `ast-grep --version` "
                         "must be 0.20 or later");
    g_autofree char *short_text = utf8_ellipsize(said, 500);
    return fail_with(error, KEDGE_ERROR_FAILED, "ast-grep failed (exit code %d): %s", status,
                     *short_text ? short_text : "it does not say why");
}

/* `what` is "--pattern=…" or "--kind=ERROR"; one start of it, `count` files. */
static bool run_once(const AstSearch *search, const char *what, const char *rewrite, size_t first,
                     size_t count, Cancel *cancel, Reader *reader, GError **error)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_ptr_array_add(argv, (void *)search->program);
    static const char *const options[] = { "run", "--json=stream", "--color=never", "--threads=2" };
    for (size_t i = 0; i < G_N_ELEMENTS(options); i++)
        g_ptr_array_add(argv, (void *)options[i]);
    g_ptr_array_add(argv, (void *)what);
    if (rewrite)
        g_ptr_array_add(argv, (void *)rewrite);
    g_ptr_array_add(argv, (void *)"--");
    for (size_t i = 0; i < count; i++)
        g_ptr_array_add(argv, (void *)search->files[first + i]);
    g_ptr_array_add(argv, NULL);
    const LineProgram program = {
        .name = "ast-grep",
        .argv = (const char *const *)argv->pdata,
        .cwd = "/",
        .timeout_ms = TIMEOUT_MS,
        .func = take_line,
        .user_data = reader,
    };
    int status = 0;
    g_autofree char *said = NULL;
    if (!line_program_run(&program, cancel, &status, &said, error))
        return false;
    // 1: nothing was found, or it could not read a file
    bool is_fine = !reader->is_over && !reader->is_strange && (status == 0 || status == 1);
    return is_fine || fail_run(reader, status, said, error);
}

static size_t count_for_start(const char *const *files)
{
    size_t count = 0, bytes = 0;
    for (; files[count] && count < FILES_PER_START; count++) {
        bytes += strlen(files[count]) + 1;
        if (count > 0 && bytes > BYTES_PER_START)
            break;
    }
    return count;
}

/* By the order of the files, then by place. */
static int compare_matches(const void *a, const void *b, void *order)
{
    const AstMatch *one = *(AstMatch *const *)a, *other = *(AstMatch *const *)b;
    size_t one_at = GPOINTER_TO_SIZE(g_hash_table_lookup(order, one->file));
    size_t other_at = GPOINTER_TO_SIZE(g_hash_table_lookup(order, other->file));
    if (one_at != other_at)
        return one_at < other_at ? -1 : 1;
    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    return one->end < other->end ? 1 : one->end > other->end ? -1 : 0; // the outer one first
}

/* Files that it names but was not asked about are none of ours. */
static void put_in_order(const AstSearch *search, GPtrArray *matches)
{
    g_autoptr(GHashTable) order = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; search->files[i]; i++)
        g_hash_table_insert(order, (void *)search->files[i], GSIZE_TO_POINTER(i + 1));
    for (unsigned i = matches->len; i > 0; i--) {
        const AstMatch *match = matches->pdata[i - 1];
        if (!g_hash_table_contains(order, match->file))
            g_ptr_array_remove_index(matches, i - 1);
    }
    g_ptr_array_sort_with_data(matches, compare_matches, order);
}

static bool run_all(const AstSearch *search, const char *what, const char *rewrite, Cancel *cancel,
                    GPtrArray *matches, GError **error)
{
    Reader reader = { .matches = matches };
    for (size_t first = 0; search->files[first];) {
        size_t count = count_for_start(search->files + first);
        if (!run_once(search, what, rewrite, first, count, cancel, &reader, error))
            return false;
        first += count;
    }
    put_in_order(search, matches);
    return true;
}

static void note_broken(const GPtrArray *errors, GPtrArray *broken)
{
    for (unsigned i = 0; i < errors->len; i++) {
        const AstMatch *match = errors->pdata[i];
        if (broken->len == 0 || strcmp(broken->pdata[broken->len - 1], match->file) != 0)
            g_ptr_array_add(broken, g_strdup(match->file));
    }
}

bool ast_search(const AstSearch *search, Cancel *cancel, GPtrArray *broken, GPtrArray **ret_matches,
                GError **error)
{
    g_autoptr(GPtrArray) matches = g_ptr_array_new_with_free_func((GDestroyNotify)ast_match_free);
    g_autoptr(GPtrArray) errors = g_ptr_array_new_with_free_func((GDestroyNotify)ast_match_free);
    if (strlen(search->pattern) > AST_MAX_PATTERN ||
        (search->rewrite && strlen(search->rewrite) > AST_MAX_PATTERN))
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "a pattern or replacement is longer than %d bytes", AST_MAX_PATTERN);
    g_autofree char *pattern = g_strconcat("--pattern=", search->pattern, NULL);
    g_autofree char *rewrite =
        search->rewrite ? g_strconcat("--rewrite=", search->rewrite, NULL) : NULL;
    if (!run_all(search, pattern, rewrite, cancel, matches, error) ||
        (broken && !run_all(search, "--kind=ERROR", NULL, cancel, errors, error)))
        return false;
    if (broken)
        note_broken(errors, broken);
    *ret_matches = g_steal_pointer(&matches);
    return true;
}

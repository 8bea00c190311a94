/* See gh_shell.h. */
#include "github/safe/gh_shell.h"
#include "base/str.h"
#include "github/github.h"
#include "github/remote_url.h"
#include "github/safe/gh_action.h"
#include "github/safe/gh_shell_place.h"
#include "tool/context.h"

#define MAX_DEPTH    4
#define MAX_COMMANDS 64
#define MAX_BYTES    (64 * 1024)

#define SHELLS "sh bash dash zsh"

static bool is_assignment(const char *word)
{
    size_t name = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    return name > 0 && word[name] == '=';
}

static const char *program_name(const char *word)
{
    const char *slash = strrchr(word, '/');
    return slash != NULL ? slash + 1 : word;
}

static bool is_one_of(const char *word, const char *list)
{
    g_auto(GStrv) names = g_strsplit(list, " ", -1);
    return g_strv_contains((const char *const *)names, word);
}

/* From the program that is run in the end: past what is set for it, and what only starts it, with
   whatever options that has. */
static char **skip_wrappers(char **words)
{
    bool is_wrapped = false;
    for (; *words; words++) {
        const char *name = program_name(*words);
        if (is_one_of(name, "git gh kedge eval " SHELLS))
            return words;
        is_wrapped = is_wrapped || is_one_of(name, "env command builtin exec sudo doas nohup time "
                                                   "timeout nice stdbuf setsid xargs");
        bool is_prefix =
            is_assignment(*words) || is_one_of(name, "! { if then elif else while until do");
        if (!is_wrapped && !is_prefix)
            return words;
    }
    return words;
}

/* A shell that is given no script as an argument: its standard input is one. */
static bool reads_script(const GPtrArray *all)
{
    g_autofree char **list = g_new0(char *, all->len + 1);
    for (guint i = 0; i < all->len; i++)
        list[i] = all->pdata[i];
    char **words = skip_wrappers(list);
    if (!*words || !is_one_of(program_name(*words), SHELLS))
        return false;
    for (words++; *words && strchr("-+", **words); words++) {
        bool is_short = **words != '\0' && (*words)[1] != '-';
        if (is_short && strchr(*words, 'c'))
            return false;
        if (is_short && strchr(*words, 's'))
            return true;
        bool has_value = is_one_of(*words, "-o +o -O +O --rcfile --init-file");
        words += has_value && words[1] != NULL;
    }
    return *words == NULL;
}

typedef struct HereDocument {
    char *end;
    bool strips_tabs;
    guint command; // whose it is
} HereDocument;

typedef struct Reader {
    const char *at;
    GPtrArray *commands; // of GPtrArray of char *: the words of each
    GString *word;
    bool has_word, skips_word;        // the file of a redirection
    bool names_document, strips_tabs; // that word is the end of a here-document
    GArray *documents;                // of HereDocument: those that begin at the next line
} Reader;

static void free_words(gpointer words)
{
    g_ptr_array_unref(words);
}

static void begin_command(Reader *self)
{
    g_ptr_array_add(self->commands, g_ptr_array_new_with_free_func(g_free));
}

static void clear_document(gpointer document)
{
    g_free(((HereDocument *)document)->end);
}

static void add_document(Reader *self)
{
    const HereDocument document = {
        .end = g_strdup(self->word->str),
        .strips_tabs = self->strips_tabs,
        .command = self->commands->len - 1,
    };
    g_array_append_val(self->documents, document);
}

static void end_word(Reader *self)
{
    GPtrArray *words = self->commands->pdata[self->commands->len - 1];
    if (self->has_word && !self->skips_word)
        g_ptr_array_add(words, g_strdup(self->word->str));
    if (self->has_word && self->names_document)
        add_document(self);
    if (self->has_word)
        self->skips_word = self->names_document = false;
    g_string_truncate(self->word, 0);
    self->has_word = false;
}

static void end_command(Reader *self)
{
    end_word(self);
    self->skips_word = self->names_document = false;
    const GPtrArray *words = self->commands->pdata[self->commands->len - 1];
    if (words->len > 0)
        begin_command(self);
}

static void gh_shell_take(Reader *self, char c)
{
    g_string_append_c(self->word, c);
    self->has_word = true;
}

/* `at` is behind the quote, then behind the closing one. */
static void read_quoted(Reader *self, char quote)
{
    self->has_word = true;
    for (; *self->at != '\0' && *self->at != quote; self->at++) {
        bool is_escape = quote == '"' && *self->at == '\\' && strchr("\"\\$`", self->at[1]) &&
                         self->at[1] != '\0';
        self->at += is_escape;
        gh_shell_take(self, *self->at);
    }
    self->at += *self->at != '\0';
}

static void read_redirection(Reader *self)
{
    bool is_number = strspn(self->word->str, "0123456789") == self->word->len;
    if (is_number)
        self->has_word = false;
    end_word(self);
    self->names_document = self->at[-1] == '<' && self->at[0] == '<' && self->at[1] != '<';
    self->at += strspn(self->at, "<>&|");
    self->strips_tabs = self->names_document && *self->at == '-';
    self->at += self->strips_tabs;
    self->skips_word = true;
}

/* Behind the line that ends it; NULL: there is none, so it was no here-document (`1<<2`). */
static const char *behind_document(const char *text, const HereDocument *document)
{
    for (const char *line = text; *line != '\0';) {
        const char *end = strchrnul(line, '\n');
        const char *start = line + (document->strips_tabs ? strspn(line, "\t") : 0);
        size_t size = (size_t)(end - start);
        if (size == strlen(document->end) && strncmp(start, document->end, size) == 0)
            return end + (*end != '\0');
        line = end + (*end != '\0');
    }
    return NULL;
}

/* A shell on its line may get it as its script, through a pipe, too. */
static bool is_script(const Reader *self, const HereDocument *document)
{
    for (guint i = document->command; i < self->commands->len; i++) {
        if (reads_script(self->commands->pdata[i]))
            return true;
    }
    return false;
}

/* `at` is behind the newline. What a file or another program gets is no command. */
static void skip_documents(Reader *self)
{
    for (guint i = 0; i < self->documents->len; i++) {
        const HereDocument *document = &g_array_index(self->documents, HereDocument, i);
        const char *behind = behind_document(self->at, document);
        if (!behind || is_script(self, document))
            break;
        self->at = behind;
    }
    g_array_set_size(self->documents, 0);
}

static void read_character(Reader *self)
{
    char c = *self->at++;
    if (c == '\'' || c == '"') {
        read_quoted(self, c);
    } else if (c == '\\') {
        if (*self->at != '\0' && *self->at != '\n')
            gh_shell_take(self, *self->at);
        self->at += *self->at != '\0';
    } else if (strchr(" \t\r", c)) {
        end_word(self);
    } else if (c == '<' || c == '>') {
        read_redirection(self);
    } else if (strchr(";&|()`\n", c)) {
        end_command(self);
        if (c == '\n')
            skip_documents(self);
    } else if (c == '#' && !self->has_word) {
        self->at += strcspn(self->at, "\n");
    } else {
        gh_shell_take(self, c);
    }
}

GPtrArray *gh_shell_split(const char *text)
{
    Reader self = {
        .at = text,
        .commands = g_ptr_array_new_with_free_func(free_words),
        .word = g_string_new(NULL),
        .documents = g_array_new(FALSE, FALSE, sizeof(HereDocument)),
    };
    g_array_set_clear_func(self.documents, clear_document);
    begin_command(&self);
    while (*self.at != '\0' && self.commands->len <= MAX_COMMANDS)
        read_character(&self);
    end_word(&self);
    g_string_free(self.word, TRUE);
    g_array_unref(self.documents);
    return self.commands;
}

typedef struct Reading { // of all that a command runs
    Judgement *judgement;
    ShellPlace place;
} Reading;

/* Behind the options of git itself. *ret_folder: of -C. */
static char **skip_git_options(char **words, const char **ret_folder)
{
    while (*words && **words == '-') {
        if (strcmp(*words, "-C") == 0)
            *ret_folder = words[1];
        bool has_value = is_one_of(*words, "-C -c --git-dir --work-tree --namespace --exec-path");
        words += has_value && words[1] != NULL ? 2 : 1;
    }
    return words;
}

/* NULL: not known, or the current branch. */
static const char *branch_of(const char *refspec)
{
    const char *colon = strrchr(refspec, ':');
    const char *name = colon != NULL ? colon + 1 : refspec + (*refspec == '+');
    if (str_has_prefix(name, "refs/heads/"))
        name += strlen("refs/heads/");
    bool is_plain = *name != '\0' && strpbrk(name, "$*") == NULL && strcmp(name, "HEAD") != 0;
    return is_plain ? name : NULL;
}

static void add_push(Reading *self, const char *folder, const char *remote, const char *refspec,
                     bool deletes)
{
    g_auto(RemoteUrl) url = { 0 };
    bool is_url = remote != NULL && remote_url_parse(remote, &url);
    g_autofree char *repo = is_url ? g_strconcat(url.owner, "/", url.repo, NULL) : NULL;
    g_autofree char *host = is_url ? g_strdup(url.host) : NULL;
    if (!is_url && (folder || self->place.has_moved))
        shell_place_repo(&self->place, folder, &host, &repo);
    bool is_deleted = deletes || (refspec != NULL && *refspec == ':');
    judgement_add_action(self->judgement, is_deleted ? "branch delete" : GH_ACTION_PUSH,
                         refspec != NULL ? branch_of(refspec) : NULL, host, repo);
}

/* `words` are behind `push`. */
static void read_push(char *const *words, const char *folder, Reading *self)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new(); // the remote, then what is pushed
    bool deletes = false;
    for (; *words; words++) {
        if (is_one_of(*words, "-n --dry-run -h --help"))
            return;
        deletes = deletes || is_one_of(*words, "-d --delete");
        bool has_value = is_one_of(*words, "-o --push-option --repo --receive-pack --exec");
        words += has_value && words[1] != NULL;
        if (!has_value && **words != '-')
            g_ptr_array_add(names, *words);
    }
    const char *remote = names->len > 0 ? names->pdata[0] : NULL;
    if (names->len < 2)
        add_push(self, folder, remote, NULL, deletes);
    for (guint i = 1; i < names->len; i++)
        add_push(self, folder, remote, names->pdata[i], deletes);
}

/* A repository that a command names; members NULL: it names none, or no host. */
typedef struct NamedRepo {
    char *host, *repo;
} NamedRepo;

static void named_repo_clear(NamedRepo *self)
{
    g_free(self->host);
    g_free(self->repo);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NamedRepo, named_repo_clear)

/* "[HOST/]OWNER/REPO", or an address of it. */
static bool named_repo_parse(const char *text, NamedRepo *ret)
{
    const char *scheme = strstr(text, "://");
    g_auto(GStrv) parts = g_strsplit(scheme ? scheme + 3 : text, "/", -1);
    guint count = g_strv_length(parts);
    if (count < 2)
        return false;
    guint owner = count == 2 || scheme ? MIN(count - 2, 1) : count - 2;
    ret->repo = g_strconcat(parts[owner], "/", parts[owner + 1], NULL);
    ret->host = owner > 0 ? g_strdup(parts[owner - 1]) : NULL;
    return true;
}

/* What a variable is set to, by the first such word; NULL: it is not. Borrowed. */
static const char *value_of(const GPtrArray *set, const char *variable)
{
    size_t size = strlen(variable);
    for (guint i = 0; i < set->len; i++) {
        const char *word = set->pdata[i];
        if (strncmp(word, variable, size) == 0 && word[size] == '=')
            return word + size + 1;
    }
    return NULL;
}

/* By --repo, or the path of `gh api`, or by GH_REPO. */
static void find_repo(const Classified *classified, const GPtrArray *set, NamedRepo *ret)
{
    const char *named = command_args_last(classified->args, "repo");
    const char *path = classified->api_path;
    const char *from_set = value_of(set, "GH_REPO");
    const char *host = command_args_last(classified->args, "hostname");
    g_auto(GStrv) steps = g_strsplit(path ? path : "", "/", -1);
    if (named)
        named_repo_parse(named, ret);
    else if (g_strv_length(steps) >= 3 && strcmp(steps[0], "repos") == 0)
        ret->repo = g_strconcat(steps[1], "/", steps[2], NULL);
    else if (from_set)
        named_repo_parse(from_set, ret);
    if (!ret->host)
        ret->host = g_strdup(host ? host : value_of(set, "GH_HOST"));
}

/* What the conversation then has read (tool/repo_flow.h). */
static void add_read(const NamedRepo *repo, Judgement *judgement)
{
    JudgedTarget *target = g_new0(JudgedTarget, 1);
    *target = (JudgedTarget) {
        .effect = EFFECT_READ,
        .host = g_strdup(repo->host),
        .repo = g_strdup(repo->repo),
    };
    if (!judgement->others)
        judgement->others = g_ptr_array_new_with_free_func((GDestroyNotify)judged_target_free);
    g_ptr_array_add(judgement->others, target);
}

/* `words` come after `gh`; `set`: of variables, among others. */
static void read_gh(char *const *words, const GPtrArray *set, Reading *self)
{
    Judgement *judgement = self->judgement;
    g_auto(Classified) classified = { 0 };
    g_auto(NamedRepo) repo = { 0 };
    if (!classify_argv((const char *const *)words, NULL, &classified, NULL))
        return;
    find_repo(&classified, set, &repo);
    bool is_write = classified.effect == EFFECT_WRITE || classified.effect == EFFECT_DESTRUCTIVE;
    if (classified.effect != EFFECT_READ)
        gh_action_add(&classified, repo.host, repo.repo, judgement);
    // what kedge would not run, such as a download, a shell does
    if (!is_write && repo.repo)
        add_read(&repo, judgement);
}

// ---- kedge itself ----

/* "issue://OWNER/REPO/1" somewhere in a word, such as one of JSON. */
static bool find_address(const char *word, NamedRepo *ret)
{
    static const char *const schemes[] = { "issue://", "pr://", "run://", "gh://" };
    for (size_t i = 0; i < G_N_ELEMENTS(schemes); i++) {
        const char *found = strstr(word, schemes[i]);
        if (!found)
            continue;
        const char *rest = found + strlen(schemes[i]);
        g_autofree char *address = g_strndup(rest, strcspn(rest, "\"'?#: "));
        g_auto(GStrv) parts = g_strsplit(address, "/", -1);
        guint count = g_strv_length(parts);
        bool has_host = count > 2 && strchr(parts[0], '.');
        if (count < 2)
            continue;
        ret->host = has_host ? g_strdup(parts[0]) : NULL;
        ret->repo = g_strconcat(parts[has_host], "/", parts[has_host + 1], NULL);
        return true;
    }
    return false;
}

/* Is it a word of a command that reads GitHub, where it names no repository that of the directory?
 */
static bool names_github(const char *word)
{
    return strstr(word, "issue://") || strstr(word, "pr://") || strstr(word, "run://") ||
           strstr(word, "gh://") || str_has_prefix(word, "gh_") ||
           is_one_of(word, "gh github review");
}

/* A kedge of the shell's own asks nobody here: what it reads counts as read, and what it is told to
   write with a flag, or as a typed command, as written. `words` come after `kedge`. */
static void read_kedge(char *const *words, const GPtrArray *set, Reading *self)
{
    const char *owner = NULL, *repo = NULL;
    bool is_of_github = false;
    bool writes = g_strcmp0(words[0], "agent-tools") == 0 && g_strcmp0(words[1], "github-pr") == 0;
    g_auto(NamedRepo) named = { 0 };
    for (; *words; words++) {
        if (strcmp(*words, "--") == 0 && words[1]) {
            read_gh(words + 1, set, self);
            return;
        }
        is_of_github = is_of_github || names_github(*words);
        writes = writes || is_one_of(*words, "--yes --allow-writes");
        writes = writes && !str_has_prefix(*words, "fetch-");
        if (strcmp(*words, "--owner") == 0)
            owner = words[1];
        if (is_one_of(*words, "--repo -R"))
            repo = words[1];
        if (!named.repo)
            find_address(*words, &named);
    }
    g_autofree char *joined = owner && repo ? g_strconcat(owner, "/", repo, NULL) : NULL;
    if (repo && !named.repo)
        named_repo_parse(joined ? joined : repo, &named);
    if (!named.repo && (writes ? self->place.has_moved : is_of_github))
        shell_place_repo(&self->place, NULL, &named.host, &named.repo);
    if (writes)
        judgement_add_action(self->judgement, "kedge", NULL, named.host, named.repo);
    else if (named.repo)
        add_read(&named, self->judgement);
}

/* What `sh -c` runs; NULL: something else. */
static const char *script_of(char *const *words)
{
    for (; *words; words++) {
        bool is_flag = **words == '-' && (*words)[1] != '-';
        if (is_flag && strchr(*words, 'c'))
            return words[1];
    }
    return NULL;
}

static void read_text(const char *text, unsigned depth, const GPtrArray *outer, Reading *self);

/* Only sets variables, for what comes after it. */
static bool is_setting(const GPtrArray *words)
{
    bool is_any = false;
    for (guint i = 0; i < words->len; i++) {
        bool is_one = is_assignment(words->pdata[i]);
        is_any = is_any || is_one;
        if (!is_one && !(i == 0 && is_one_of(words->pdata[i], "export declare typeset readonly")))
            return false;
    }
    return is_any;
}

/* Is it not the first gh on the conversation's PATH that `words` begins with? Before it, in `list`,
   is what starts it. */
static bool is_around(char *const *list, char *const *words)
{
    for (; list < words; list++) {
        bool is_of_env = strcmp(program_name(*list), "env") == 0;
        const char *next = list + 1 < words ? list[1] : "";
        if (str_has_prefix(*list, "PATH=") || is_one_of(program_name(*list), "sudo doas") ||
            (is_of_env && is_one_of(next, "-i - --ignore-environment")) ||
            (strcmp(*list, "command") == 0 && strcmp(next, "-p") == 0))
            return true;
    }
    return strchr(*words, '/');
}

/* `set` begins with the words of the command itself. */
static void read_command(const GPtrArray *all, unsigned depth, const GPtrArray *set, Reading *self)
{
    g_autofree char **list = g_new0(char *, all->len + 1);
    for (guint i = 0; i < all->len; i++)
        list[i] = all->pdata[i];
    char **words = skip_wrappers(list);
    if (!*words)
        return;
    const char *name = program_name(*words);
    if (is_one_of(name, "cd pushd")) {
        shell_place_move(&self->place, words + 1);
    } else if (strcmp(name, "git") == 0) {
        const char *folder = NULL;
        words = skip_git_options(words + 1, &folder);
        if (g_strcmp0(*words, "push") == 0)
            read_push(words + 1, folder, self);
    } else if (strcmp(name, "gh") == 0 && words[1]) {
        self->judgement->is_around = self->judgement->is_around || is_around(list, words);
        read_gh(words + 1, set, self);
    } else if (strcmp(name, "kedge") == 0) {
        read_kedge(words + 1, set, self);
    } else if (is_one_of(name, SHELLS)) {
        const char *script = script_of(words + 1);
        if (script)
            read_text(script, depth + 1, set, self);
    } else if (strcmp(name, "eval") == 0) {
        g_autofree char *script = g_strjoinv(" ", words + 1);
        read_text(script, depth + 1, set, self);
    }
}

static void add_all(GPtrArray *words, const GPtrArray *more)
{
    for (guint i = 0; i < more->len; i++)
        g_ptr_array_add(words, more->pdata[i]);
}

static void read_text(const char *text, unsigned depth, const GPtrArray *outer, Reading *self)
{
    if (depth > MAX_DEPTH || strlen(text) > MAX_BYTES)
        return;
    g_autoptr(GPtrArray) commands = gh_shell_split(text);
    g_autoptr(GPtrArray) before = g_ptr_array_new(); // words that set variables, the latest first
    add_all(before, outer);
    for (guint i = 0; i < commands->len; i++) {
        const GPtrArray *all = commands->pdata[i];
        g_autoptr(GPtrArray) set = g_ptr_array_new();
        add_all(set, all);
        add_all(set, before);
        if (is_setting(all)) {
            g_ptr_array_unref(before);
            before = g_steal_pointer(&set);
        } else {
            read_command(all, depth, set, self);
        }
    }
}

void gh_shell_read(ToolCall *call, const char *cwd, const char *command, Judgement *judgement)
{
    g_autoptr(GPtrArray) none = g_ptr_array_new();
    Reading reading = { .judgement = judgement };
    shell_place_init(&reading.place, call, cwd);
    read_text(command, 0, none, &reading);
    shell_place_clear(&reading.place);
}

static void gh_shell_judged(ToolCall *call, const json_t *arguments, Judgement *judgement,
                            void *user_data G_GNUC_UNUSED)
{
    if (!judgement->command)
        return;
    gh_shell_read(call, json_get_text(arguments, "cwd"), judgement->command, judgement);
    if (!judgement->is_around || !tool_context_command_door(tool_call_context(call)))
        return;
    judgement->effect = EFFECT_BLOCKED;
    g_free(judgement->summary);
    judgement->summary = g_strdup("it starts gh where nobody judges it; call it by its name, gh");
}

const ToolHook gh_shell_reader = { .name = "the reader of shell commands",
                                   .judged = gh_shell_judged };

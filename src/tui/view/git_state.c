/*
 * What the status line says of git (git_state.h). A look is `git status` on a worker, which also
 * sees to it that the directory of HEAD is watched, before git reads it.
 */
#include "tui/view/git_state.h"

#include "base/fd.h"
#include "base/git.h"
#include "base/git_dir.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "tui/edit/loop_work.h"
#include "tui/text/clean.h"

#include <sys/inotify.h>
#include <unistd.h>

#define STATUS_BYTES     (4 * MIB)
#define STATUS_MS        (10 * 1000)
#define BRANCH_MS        (2 * 1000)
#define SLOW_PAUSE_MS    (10 * STATUS_MS) // no counts after a status that took too long
#define SETTLE_MS        100              // a checkout changes HEAD more than once
#define FIRST_MS         5                // after the start: the first frame comes before git
#define MAX_BRANCH_CELLS 200
#define SHORT_HEAD       7
#define HEAD_EVENTS                                                                                \
    (IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

typedef struct Look { // of the worker while it is at work
    const char *cwd;
    Fd inotify;
    int watch;           // -1: none
    bool is_branch_only; // counts took too long
    bool was_late;
    GitFacts facts;
} Look;

struct GitState {
    Loop *loop;
    char *cwd;
    LoopFunc on_change;
    void *user_data;
    LoopSource *source; // of inotify; NULL: there is none
    LoopSource *settle; // NULL: nothing has happened
    Look look;
    LoopWork *work; // NULL: no look is on
    bool is_wanted; // another one, when this one is over
    gint64 slow_until;
    GitFacts facts;
};

void git_facts_clear(GitFacts *self)
{
    g_free(self->branch);
    g_free(self->head);
    *self = (GitFacts) { .staged = -1, .unstaged = -1, .untracked = -1 };
}

static bool facts_equal(const GitFacts *a, const GitFacts *b)
{
    return g_strcmp0(a->branch, b->branch) == 0 && g_strcmp0(a->head, b->head) == 0 &&
           a->staged == b->staged && a->unstaged == b->unstaged && a->untracked == b->untracked;
}

// ---- what git says ----

static char *detached_name(const char *head)
{
    return head ? g_strdup_printf("(%.*s)", SHORT_HEAD, head) : NULL;
}

static const char *git_state_behind(const char *field, const char *prefix)
{
    return str_has_prefix(field, prefix) ? field + strlen(prefix) : NULL;
}

static bool is_object_id(const char *text)
{
    size_t digits = strspn(text, "0123456789abcdef");
    return (digits == 40 || digits == 64) && text[digits] == '\0';
}

/* "# branch.oid …" and "# branch.head …" */
static void take_header(const char *field, GitFacts *facts)
{
    const char *head = git_state_behind(field, "# branch.oid "),
               *branch = git_state_behind(field, "# branch.head ");
    if (head && is_object_id(head)) {
        g_free(facts->head);
        facts->head = g_strdup(head);
    }
    if (branch) {
        g_free(facts->branch);
        facts->branch = clean_line(branch, MAX_BRANCH_CELLS);
    }
}

/* "1 XY …", "2 XY …", "u XY …", "? …". True: the next field is the name that it had before. */
static bool take_entry(const char *field, GitFacts *facts)
{
    bool is_tracked = field[0] == '1' || field[0] == '2';
    bool is_long_enough = strnlen(field, 4) == 4 && field[1] == ' ';
    if (field[0] == '?' && field[1] == ' ')
        facts->untracked++;
    if (field[0] == 'u' && is_long_enough)
        facts->unstaged++; // a conflict
    if (is_tracked && is_long_enough) {
        facts->staged += field[2] != '.';
        facts->unstaged += field[3] != '.';
    }
    return field[0] == '2' && is_long_enough;
}

void git_facts_parse(const char *output, size_t size, GitFacts *ret_facts)
{
    g_auto(GitFacts) facts = { 0 };
    bool is_old_name = false;
    for (size_t at = 0; at < size;) {
        size_t length = strnlen(output + at, size - at);
        g_autofree char *field = g_strndup(output + at, length);
        at += length + 1;
        if (is_old_name)
            is_old_name = false;
        else if (field[0] == '#')
            take_header(field, &facts);
        else
            is_old_name = take_entry(field, &facts);
    }
    if (g_strcmp0(facts.branch, "(detached)") == 0) {
        g_free(facts.branch);
        facts.branch = detached_name(facts.head);
    }
    *ret_facts = facts;
    facts = (GitFacts) { 0 };
}

/* One line of a command that looks at no file; NULL: it has none. Caller frees. */
static char *git_line(const Look *look, const char *const *args, Cancel *cancel)
{
    const GitSpec spec = {
        .dir = look->cwd, .args = args, .timeout_ms = BRANCH_MS, .max_output_bytes = 4 * KIB
    };
    g_auto(GitResult) result = { 0 };
    if (!git_start(&spec, cancel, &result, NULL) || result.exit_status != 0 || !*result.output)
        return NULL;
    return clean_line(result.output, MAX_BRANCH_CELLS);
}

static void read_branch(Look *look, Cancel *cancel)
{
    static const char *const branch[] = { "symbolic-ref", "--quiet", "--short", "HEAD", NULL };
    static const char *const head[] = { "rev-parse", "--verify", "--quiet", "HEAD", NULL };
    look->facts.branch = git_line(look, branch, cancel);
    look->facts.head = git_line(look, head, cancel);
    if (!look->facts.branch)
        look->facts.branch = detached_name(look->facts.head);
}

/* False: git has too much to say, or takes too long. */
static bool read_status(Look *look, Cancel *cancel)
{
    const GitSpec spec = {
        .dir = look->cwd,
        .args = (const char *const[]) { "status", "--porcelain=v2", "-z", "--branch",
                                        "--no-ahead-behind", NULL },
        .timeout_ms = STATUS_MS,
        .max_output_bytes = STATUS_BYTES,
        .is_bytes = true,
    };
    g_auto(GitResult) result = { 0 };
    g_autoptr(GError) error = NULL;
    if (git_start(&spec, cancel, &result, &error)) {
        if (result.exit_status == 0)
            git_facts_parse(result.output, result.output_size, &look->facts);
        return true; // else it is no repository
    }
    look->was_late = error_is(error, KEDGE_ERROR_TIMEOUT);
    return !look->was_late && !error_is(error, KEDGE_ERROR_LIMIT);
}

// ---- one look ----

/* Asked for each time: another repository may be there now. */
static void watch_head(Look *look)
{
    g_autofree char *work_tree = git_dir_work_tree(look->cwd);
    g_autofree char *dir = work_tree ? git_dir_at(work_tree) : NULL;
    int before = look->watch;
    if (look->inotify < 0)
        return;
    look->watch = dir ? inotify_add_watch(look->inotify, dir, HEAD_EVENTS) : -1;
    if (before >= 0 && before != look->watch)
        inotify_rm_watch(look->inotify, before);
}

static void look_run(void *self_, Cancel *cancel)
{
    Look *look = &((GitState *)self_)->look;
    watch_head(look);
    git_facts_clear(&look->facts);
    look->was_late = false;
    if (look->is_branch_only || !read_status(look, cancel))
        read_branch(look, cancel);
}

static void look_done(void *self_);

static void start_look(GitState *self)
{
    self->is_wanted = false;
    self->look.is_branch_only = time_monotonic_ms() < self->slow_until;
    // without a thread what is known stays
    self->work = loop_work_start(self->loop, "git-status", look_run, look_done, self);
}

static void look_done(void *self_)
{
    GitState *self = self_;
    g_clear_pointer(&self->work, loop_work_free);
    if (self->look.was_late)
        self->slow_until = time_monotonic_ms() + SLOW_PAUSE_MS;
    bool is_same = facts_equal(&self->facts, &self->look.facts);
    git_facts_clear(&self->facts);
    self->facts = self->look.facts;
    self->look.facts = (GitFacts) { 0 };
    if (self->is_wanted)
        start_look(self);
    if (!is_same)
        self->on_change(self->user_data);
}

// ---- when ----

static void on_settled(void *self_)
{
    GitState *self = self_;
    self->settle = NULL;
    git_state_refresh(self);
}

static void on_inotify(int fd, short revents G_GNUC_UNUSED, void *self_)
{
    GitState *self = self_;
    union {
        struct inotify_event first; // aligns
        char bytes[4096];
    } buffer;
    bool is_head = false;
    ssize_t got = read(fd, &buffer, sizeof(buffer));
    for (ssize_t at = 0; at < got;) {
        const struct inotify_event *event = (const void *)(buffer.bytes + at);
        is_head |= (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_Q_OVERFLOW)) != 0 ||
                   (event->len > 0 && strcmp(event->name, "HEAD") == 0);
        at += (ssize_t)(sizeof(*event) + event->len);
    }
    if (is_head && !self->settle)
        self->settle = loop_add_timer(self->loop, SETTLE_MS, on_settled, self);
}

GitState *git_state_new(Loop *loop, const char *cwd, LoopFunc on_change, void *user_data)
{
    GitState *self = g_new0(GitState, 1);
    self->loop = loop;
    self->cwd = g_strdup(cwd);
    self->on_change = on_change;
    self->user_data = user_data;
    git_facts_clear(&self->facts);
    self->look.cwd = self->cwd;
    self->look.watch = -1;
    self->look.inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (self->look.inotify >= 0)
        self->source = loop_add_fd(loop, self->look.inotify, POLLIN, on_inotify, self);
    self->settle = loop_add_timer(loop, FIRST_MS, on_settled, self);
    return self;
}

void git_state_free(GitState *self)
{
    if (!self)
        return;
    loop_work_free(self->work);
    loop_remove(self->loop, self->settle);
    loop_remove(self->loop, self->source);
    fd_close(self->look.inotify);
    git_facts_clear(&self->look.facts);
    git_facts_clear(&self->facts);
    g_free(self->cwd);
    g_free(self);
}

void git_state_refresh(GitState *self)
{
    if (self->work)
        self->is_wanted = true;
    else
        start_look(self);
}

const GitFacts *git_state_facts(const GitState *self)
{
    return &self->facts;
}

/*
 * Commands in shells of their own (bash_once.h).
 *
 * On a terminal no one types, and no one sees the screen: what is printed is kept as lines, each
 * redrawing of one a line of its own; the sink takes the control sequences out.
 */
#include "tools/shell/bash_once.h"

#include "base/env.h"
#include "base/limits.h"
#include "base/proc.h"
#include "base/timefmt.h"
#include "tools/shell/bash_env.h"
#include "tools/shell/bash_guard.h"
#include "tools/shell/bash_message.h"
#include "tools/shell/screen_watch.h"

#define STOP_GRACE_MS    2000 // SIGTERM, then SIGKILL (common §6)
#define EXIT_GRACE_MS    200  // the same for what a shell that has ended leaves behind
#define PROGRESS_MS      50
#define TERMINAL_COLUMNS 120
#define TERMINAL_ROWS    40
#define TERMINAL_TYPE    "xterm-256color"

typedef struct Once {
    const BashRun *run;
    int64_t progress_at;
    bool has_return; // a terminal's carriage return whose line feed may follow
    GString *lines;  // of a terminal; scratch
    ScreenWatch screen;
} Once;

void bash_run_deliver(const BashRun *run, const char *data, size_t size)
{
    if (run->sink)
        output_sink_push(run->sink, data, size);
    if (run->on_output)
        run->on_output(data, size, run->user_data);
}

/* CR LF, and a CR alone, end a line. */
static void deliver_lines(Once *self, const char *data, size_t size)
{
    g_string_truncate(self->lines, 0);
    for (const char *c = data; c < data + size; c++) {
        bool is_return = *c == '\r';
        if (self->has_return && !is_return && *c != '\n')
            g_string_append_c(self->lines, '\n');
        if (!is_return)
            g_string_append_c(self->lines, *c);
        self->has_return = is_return;
    }
    bash_run_deliver(self->run, self->lines->str, self->lines->len);
}

static void take_output(const char *data, size_t size, void *user_data)
{
    Once *self = user_data;
    if (self->run->has_terminal)
        screen_watch_take(&self->screen, data, size);
    if (self->lines)
        deliver_lines(self, data, size);
    else
        bash_run_deliver(self->run, data, size);
    int64_t now = time_monotonic_ms();
    if (!self->run->on_progress || now < self->progress_at)
        return;
    self->progress_at = now + PROGRESS_MS;
    self->run->on_progress(self->run->user_data);
}

/* `env` with what the call adds. */
static char **add_own(char **env, const BashRun *run)
{
    if (run->has_terminal)
        env = g_environ_setenv(env, "TERM", TERMINAL_TYPE, TRUE);
    json_each_member (run->env, name, value) {
        env = g_environ_setenv(env, name, json_string_value(value), TRUE);
    }
    return env;
}

static ProcSpec spec_of(const BashRun *run, const char *const *argv, const char *const *env,
                        Once *once)
{
    ProcSpec spec = {
        .argv = argv,
        .cwd = run->cwd,
        .env = env,
        .profile = PROC_PROFILE_FREE,
        .has_go_between = true,
        .timeout_ms = run->timeout_ms,
        .max_output_bytes = 4 * KIB, // the sink has it
        .is_bytes = true,
        .on_output = take_output,
        .end_at = &once->screen.end_at,
        .user_data = once,
    };
    if (run->has_terminal)
        spec.terminal = (ProcTerminal) { .columns = TERMINAL_COLUMNS, .rows = TERMINAL_ROWS };
    return spec;
}

bool bash_run_once(const BashRun *run, Cancel *cancel, BashOutcome *outcome, GError **error)
{
    g_autofree char *shell = NULL;
    if (!bash_find_shell(run->settings, &shell, error))
        return false;
    BashGuard guard = { 0 };
    g_auto(GStrv) plain_env = bash_environment(run->settings, shell);
    g_auto(GStrv) env = add_own(bash_guard_begin(&guard, plain_env), run);
    g_autofree char *door = bash_message_door(run); // rc files of a login set PATH anew
    g_autofree char *prefixed = bash_message_prefixed(run->command);
    g_autofree char *command = g_strconcat(door, prefixed, NULL);
    const char *const login[] = { shell, "-l", "-c", command, NULL };
    const char *const plain[] = { shell, "-c", command, NULL };
    g_autoptr(GString) lines = run->has_terminal ? g_string_new(NULL) : NULL;
    Once once = { .run = run, .lines = lines, .screen.has_terminal = run->has_terminal };
    const ProcSpec spec =
        spec_of(run, env_flag("BASH_NO_LOGIN") ? plain : login, (const char *const *)env, &once);
    g_auto(ProcResult) result = { 0 };
    g_autoptr(GError) problem = NULL;
    outcome->end = BASH_EXITED;
    bool has_run = proc_run(&spec, cancel, &result, &problem);
    bash_guard_clear(&guard, has_run ? EXIT_GRACE_MS : STOP_GRACE_MS);
    if (once.has_return)
        bash_run_deliver(run, "\n", 1);
    if (has_run) {
        outcome->status = result.exit_status;
        return true;
    }
    int64_t end_at = once.screen.end_at;
    bool has_painted = end_at > 0 && time_monotonic_ms() >= end_at;
    if (has_painted)
        bash_run_deliver(run, screen_watch_words, strlen(screen_watch_words));
    outcome->end = !error_is(problem, KEDGE_ERROR_TIMEOUT) ? BASH_CANCELLED
                   : has_painted                           ? BASH_PAINTED
                                                           : BASH_TIMED_OUT;
    if (error_is(problem, KEDGE_ERROR_TIMEOUT) || error_is(problem, KEDGE_ERROR_CANCELLED))
        return true;
    return pass_error(error, &problem);
}

/*
 * `kedge arcade`: the local page for reviewing the artifacts of runs (agent-tools-cli §5.3). The
 * server is src/arcade; here it is started, shown and ended.
 */
#include "agenttools/emit/emit_place.h"
#include "arcade/control.h"
#include "base/env.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/timefmt.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/interrupt.h"

#include <poll.h>

#define START_MS         30000
#define START_TEXT_BYTES ((size_t)64 * 1024)
#define START_KILL_MS    2000
#define URL_SCHEME       "http://"

typedef struct ArcadeOptions {
    const char *run, *project;
    int64_t port;
    bool has_port, is_closed, is_background, wants_status, wants_stop, wants_restart;
} ArcadeOptions;

static const FieldDef arcade_options[] = {
    { "run", FIELD_STRING, offsetof(ArcadeOptions, run), .value_name = "ID",
      .help = "Open the page of this run" },
    { "project", FIELD_STRING, offsetof(ArcadeOptions, project), .value_name = "PATH",
      .help = "Open the list of this project's runs" },
    { "port", FIELD_INTEGER, offsetof(ArcadeOptions, port), .value_name = "N", .max = G_MAXUINT16,
      .has_offset = offsetof(ArcadeOptions, has_port),
      .help = "Serve on this port; 0 takes a free one (default 7710)" },
    { "noOpen", FIELD_BOOLEAN, offsetof(ArcadeOptions, is_closed), .help = "Start no browser" },
    { "background", FIELD_BOOLEAN, offsetof(ArcadeOptions, is_background),
      .help = "Return when it serves, and let it go on" },
    { "status", FIELD_BOOLEAN, offsetof(ArcadeOptions, wants_status),
      .help = "Say whether a server runs; exit code 1 when none does" },
    { "stop", FIELD_BOOLEAN, offsetof(ArcadeOptions, wants_stop), .help = "End the server" },
    { "restart", FIELD_BOOLEAN, offsetof(ArcadeOptions, wants_restart),
      .help = "End the server, and serve in its place; open pages go on" },
    { 0 },
};

/* As runs name it: of a linked worktree the main repository. Caller frees. */
static char *project_of(const char *given)
{
    g_autofree char *here = g_get_current_dir();
    g_autofree char *path = path_absolute(given, here);
    char *project = NULL;
    return emit_project_filter(path, NULL, &project, NULL) ? project : g_steal_pointer(&path);
}

/* Of the page that the options ask for. The token is in the fragment, which is never sent. */
static char *make_url(const ArcadeOptions *options, unsigned port, const char *token)
{
    GString *url = g_string_new(NULL);
    g_string_printf(url, URL_SCHEME "127.0.0.1:%u/", port);
    if (options->run) {
        g_autofree char *run = g_uri_escape_string(options->run, NULL, FALSE);
        g_string_append_printf(url, "runs/%s", run);
    } else if (options->project) {
        g_autofree char *path = project_of(options->project);
        g_autofree char *project = g_uri_escape_string(path, "/", FALSE);
        g_string_append_printf(url, "?project=%s", project);
    }
    g_string_append_printf(url, "#t=%s", token);
    return g_string_free(url, FALSE);
}

static bool may_open(const ArcadeOptions *options)
{
    bool has_display = env_get_raw("DISPLAY") || env_get_raw("WAYLAND_DISPLAY");
    return !options->is_closed && has_display && isatty(STDOUT_FILENO) != 0;
}

/* A browser outlives us, so no one waits for it, and no one reads what it says. */
static void open_browser(const char *url)
{
    const char *const argv[] = { "sh",  "-c", "exec xdg-open \"$1\" >/dev/null 2>&1",
                                 "xdg", url,  NULL };
    g_autoptr(GError) error = NULL;
    ProcChild child = { 0 };
    if (!proc_start(&(ProcChildSpec) { .argv = argv, .profile = PROC_PROFILE_FREE }, &child,
                    &error)) {
        log_warning("no browser: %s", error->message);
        return;
    }
    fd_close(child.pidfd);
    fd_close(child.output_fd);
}

static void arcade_options_announce(const ArcadeOptions *options, const ControlServer *server)
{
    static const char *const words[] = { "Started", "Reused", "Replaced" };
    g_autofree char *url = make_url(options, server->port, server->token);
    GString *text = g_string_new(NULL);
    g_string_printf(text, "%s Arcade on port %u", words[server->kind], server->port);
    if (server->kind == CONTROL_REPLACED)
        g_string_append_printf(text, " (reason: %s)", server->reason);
    g_string_append_printf(text, "\n%s\n", url);
    cmd_print(text->str);
    g_string_free(text, TRUE);
    if (may_open(options))
        open_browser(url);
}

static int say_failure(const GError *error)
{
    if (!error_is(error, KEDGE_ERROR_DENIED))
        return cmd_fail(error);
    log_text("%s", error->message); // of the port: whole sentences
    return EXIT_FAILED;
}

typedef struct Serving {
    const ArcadeOptions *options;
    Cancel *cancel;
    int exit_code;
} Serving;

/* Until it is to end; a server that runs already is only shown. */
static void arcade_serve(void *serving_)
{
    Serving *serving = serving_;
    const ArcadeOptions *options = serving->options;
    g_autofree char *cwd = g_get_current_dir();
    const ControlWish wish = {
        .cwd = cwd,
        .has_port = options->has_port,
        .port = (unsigned)options->port,
        .is_restart = options->wants_restart,
    };
    g_auto(ControlServer) server = { 0 };
    g_autoptr(GError) error = NULL;
    if (!control_start(&wish, serving->cancel, &server, &error)) {
        serving->exit_code = say_failure(error);
        return;
    }
    arcade_options_announce(options, &server);
    while (server.arcade && !cancel_has_fired(serving->cancel))
        cancel_poll(serving->cancel, NULL, 0, -1);
}

/* Ctrl-C and SIGTERM are the usual end of a server, and no failure. */
static int run_foreground(const ArcadeOptions *options)
{
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    Serving serving = { .options = options, .cancel = cancel };
    interrupt_run(arcade_serve, &serving, cancel);
    return serving.exit_code;
}

static bool has_url(const GString *text)
{
    return g_str_has_suffix(text->str, "\n") && strstr(text->str, "\n" URL_SCHEME);
}

/* What it prints until it serves, or ends, or the time is over. */
static void read_start(int fd, GString *text)
{
    gint64 deadline = time_monotonic_ms() + START_MS;
    while (!has_url(text) && text->len < START_TEXT_BYTES) {
        char buffer[4096];
        struct pollfd output = { .fd = fd, .events = POLLIN };
        gint64 left = deadline - time_monotonic_ms();
        if (left <= 0 || poll(&output, 1, (int)left) == 0)
            return;
        ssize_t got = read(fd, buffer, sizeof(buffer));
        if (got <= 0)
            return;
        g_string_append_len(text, buffer, got);
    }
}

/* The same command in the foreground of a session of its own. NULL-terminated. */
static GPtrArray *background_argv(const ArcadeOptions *options)
{
    GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);
    char *self = g_file_read_link("/proc/self/exe", NULL);
    g_ptr_array_add(argv, self ? self : g_strdup("kedge"));
    g_ptr_array_add(argv, g_strdup("arcade"));
    g_ptr_array_add(argv, g_strdup("--no-open"));
    if (options->has_port)
        g_ptr_array_add(argv, g_strdup_printf("--port=%" G_GINT64_FORMAT, options->port));
    if (options->run)
        g_ptr_array_add(argv, g_strconcat("--run=", options->run, NULL));
    if (options->project)
        g_ptr_array_add(argv, g_strconcat("--project=", options->project, NULL));
    if (options->wants_restart)
        g_ptr_array_add(argv, g_strdup("--restart"));
    g_ptr_array_add(argv, NULL);
    return argv;
}

static int run_background(const ArcadeOptions *options)
{
    g_autoptr(GPtrArray) argv = background_argv(options);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    ProcChild child = { 0 };
    const ProcChildSpec spec = {
        .argv = (const char *const *)argv->pdata,
        .profile = PROC_PROFILE_FREE, // it stays when we have ended
    };
    if (!proc_start(&spec, &child, &error))
        return cmd_fail(error);
    read_start(child.output_fd, text);
    if (!has_url(text)) {
        int status = proc_child_end(&child, START_KILL_MS);
        if (text->len)
            log_text("%s", g_strchomp(text->str));
        else
            log_error("Arcade does not start, and does not say why");
        return status ? status : EXIT_FAILED;
    }
    fd_close(child.pidfd);
    fd_close(child.output_fd);
    bool is_said = cmd_print(text->str);
    if (may_open(options)) {
        g_autofree char *url = g_strchomp(g_strdup(strstr(text->str, URL_SCHEME)));
        open_browser(url);
    }
    return is_said ? EXIT_OK : EXIT_FAILED;
}

static int show_status(const ArcadeOptions *options)
{
    g_auto(ControlStatus) status = { 0 };
    control_status(NULL, &status);
    if (status.state == CONTROL_NONE) {
        cmd_print_line("Arcade is not running");
        return EXIT_FAILED;
    }
    g_autofree char *url = make_url(options, status.port, status.token);
    bool is_well = status.state == CONTROL_RUNS;
    g_autofree char *text = g_strdup_printf(
        "Arcade on port %u %s (pid %" G_GINT64_FORMAT ", version %s)\n%s%s", status.port,
        is_well ? "is running" : "does not answer", status.pid,
        status.version ? status.version : "unknown", is_well ? url : "", is_well ? "\n" : "");
    return cmd_print(text) && is_well ? EXIT_OK : EXIT_FAILED;
}

static int arcade_do_stop(void)
{
    g_auto(ControlStatus) status = { 0 };
    g_autoptr(GError) error = NULL;
    if (!control_stop(NULL, NULL, &status, &error))
        return cmd_fail(error);
    g_autofree char *text = status.state == CONTROL_NONE
                                ? g_strdup("Arcade is not running")
                                : g_strdup_printf("Stopped Arcade on port %u", status.port);
    return cmd_print_line(text) ? EXIT_OK : EXIT_FAILED;
}

static int arcade_run(const CommandEnv *env G_GNUC_UNUSED, int argc, char *const *argv)
{
    ArcadeOptions options = { 0 };
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GError) error = NULL;
    if (!cmd_decode_options(arcade_options, argc, argv, &options, &kept, NULL, &error))
        return cmd_fail(error);
    if (options.wants_status + options.wants_stop + options.wants_restart > 1) {
        log_error("--status, --stop and --restart cannot be used together");
        return EXIT_USAGE;
    }
    if (options.wants_status)
        return show_status(&options);
    if (options.wants_stop)
        return arcade_do_stop();
    return options.is_background ? run_background(&options) : run_foreground(&options);
}

const Command command_arcade = {
    .name = "arcade",
    .summary = "Review the artifacts of agents' runs on a local page",
    .usage = "[--run ID | --project PATH] [--port N] [--no-open] [--background]\n"
             "       kedge arcade --status | --stop | --restart",
    .options = arcade_options,
    .help = "Serves on 127.0.0.1 and ::1 only, one server for each agent-tools database, until "
            "Ctrl-C.\n"
            "The address that is printed holds a token: anyone who has it can read the artifacts, "
            "comment\n"
            "on them and edit them. The browser gets it as an argument, which other users of this\n"
            "machine may see; --no-open avoids that.",
    .run = arcade_run,
};

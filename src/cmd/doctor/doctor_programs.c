/*
 * `kedge doctor`: programs and libraries that kedge uses where they are there (doctor_check.h).
 *
 * The programs are asked for their versions all at the same time, each for at most VERSION_MS.
 */
#include "cmd/doctor/doctor_check.h"

#include "base/db.h"
#include "base/library.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/worker.h"

#define VERSION_MS        1000
#define VERSION_MAX_BYTES 4096

typedef struct ProgramCheck {
    const char *id;
    const char *names[2]; // the first that is there
    const char *flag;     // that prints the version
    const char *mark;     // its output says that it is the right one; NULL: any is
    CheckState without;   // what it is when it is not there
    const char *purpose;
    const char *package; // of Debian's
    const char *command; // that installs it, where that is no package
} ProgramCheck;

static const ProgramCheck programs[] = {
    { "bash", { "bash" }, "--version", NULL, CHECK_BAD, "the tool bash", "bash", NULL },
    { "rg", { "rg" }, "--version", "ripgrep", CHECK_WARNING, "faster grep", "ripgrep", NULL },
    { "ctags",
      { "ctags-universal", "ctags" },
      "--version",
      "Universal Ctags",
      CHECK_WARNING,
      "summaries of long source files",
      "universal-ctags",
      NULL },
    { "ast-grep",
      { "ast-grep" },
      "--version",
      NULL,
      CHECK_WARNING,
      "the tools ast_grep and ast_edit",
      NULL,
      "npm install -g @ast-grep/cli" },
    { "python3",
      { "python3" },
      "--version",
      NULL,
      CHECK_WARNING,
      "cells of Python in eval",
      "python3",
      NULL },
    { "node",
      { "node" },
      "--version",
      NULL,
      CHECK_WARNING,
      "cells of JavaScript in eval, mermaid",
      "nodejs",
      NULL },
};

typedef struct Probe {
    const ProgramCheck *check;
    char *path; // NULL: not there
    char *version;
    char *problem; // NULL: none
} Probe;

static void probe_clear(Probe *self)
{
    g_free(self->path);
    g_free(self->version);
    g_free(self->problem);
}

/* The first line. Caller frees. */
static char *first_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end ? g_strndup(text, (gsize)(end - text)) : g_strdup(text);
}

static void probe_run(void *self_)
{
    Probe *self = self_;
    const ProcSpec spec = {
        .argv = (const char *const[]) { self->path, self->check->flag, NULL },
        .cwd = "/",
        .profile = PROC_PROFILE_READER,
        .timeout_ms = VERSION_MS,
        .max_output_bytes = VERSION_MAX_BYTES,
        .keep = PROC_KEEP_HEAD,
    };
    g_auto(ProcResult) result = { 0 };
    g_autoptr(GError) error = NULL;
    if (!proc_run(&spec, NULL, &result, &error)) {
        self->problem = g_strdup(error->message);
        return;
    }
    self->version = first_line(result.output);
    if (self->check->mark && !strstr(result.output, self->check->mark))
        self->problem = g_strdup_printf("is not %s", self->check->mark);
    else if (result.exit_status != 0)
        self->problem =
            g_strdup_printf("%s ends with exit code %d", self->check->flag, result.exit_status);
}

/* How a package is installed here. Caller frees. */
static char *install_command(const char *package)
{
    g_autofree char *apt = proc_find_program("apt-get");
    return apt ? g_strdup_printf("sudo apt-get install %s", package)
               : g_strdup_printf("install %s with the package manager of this system", package);
}

static void add_absent(Health *self, const ProgramCheck *check, const char *problem)
{
    g_autofree char *recovery =
        check->command ? g_strdup(check->command) : install_command(check->package);
    check_list_add(&self->list, check->id, check->without, recovery, "%s (for %s)",
                   problem ? problem : "not installed", check->purpose);
}

static void add_probe(Health *self, const Probe *probe)
{
    if (!probe->path) {
        add_absent(self, probe->check, NULL);
        return;
    }
    g_autofree char *path = path_shorten_home(probe->path);
    if (probe->problem) {
        g_autofree char *problem = g_strdup_printf("%s: %s", path, probe->problem);
        add_absent(self, probe->check, problem);
    } else {
        check_list_add(&self->list, probe->check->id, CHECK_GOOD, NULL, "%s (%s)", path,
                       probe->version);
    }
}

void health_check_programs(Health *self)
{
    Probe probes[G_N_ELEMENTS(programs)] = { 0 };
    Worker *workers[G_N_ELEMENTS(programs)] = { 0 };
    for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
        Probe *probe = &probes[i];
        probe->check = &programs[i];
        for (size_t n = 0; n < G_N_ELEMENTS(programs[i].names) && !probe->path; n++)
            if (programs[i].names[n])
                probe->path = proc_find_program(programs[i].names[n]);
        if (probe->path)
            workers[i] = worker_start("doctor", probe_run, probe);
        if (probe->path && !workers[i])
            probe_run(probe);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
        worker_join(workers[i]);
        add_probe(self, &probes[i]);
        probe_clear(&probes[i]);
    }
}

typedef struct OneSymbol {
    void (*symbol)(void);
} OneSymbol;

typedef struct LibraryCheck {
    const char *file, *symbol;
    CheckState without;
    const char *purpose, *package;
} LibraryCheck;

static const LibraryCheck libraries[] = {
    { "libcurl.so.4", "curl_easy_init", CHECK_BAD, "every request to a model", "libcurl4" },
    { "libgd.so.3", "gdImageCreateTrueColor", CHECK_WARNING, "resizing images", "libgd3" },
    { "libarchive.so.13", "archive_read_new", CHECK_WARNING, "reading and writing archives",
      "libarchive13" },
};

void health_check_libraries(Health *self)
{
    check_list_add(&self->list, "sqlite", CHECK_GOOD, NULL, "%s", db_library_version());
    for (size_t i = 0; i < G_N_ELEMENTS(libraries); i++) {
        const LibraryCheck *check = &libraries[i];
        const LibrarySymbol symbol = { check->symbol, offsetof(OneSymbol, symbol) };
        OneSymbol found = { 0 };
        if (library_open(check->file, &symbol, 1, &found, sizeof(found))) {
            check_list_add(&self->list, check->file, CHECK_GOOD, NULL, "can be loaded");
        } else {
            g_autofree char *recovery = install_command(check->package);
            check_list_add(&self->list, check->file, check->without, recovery,
                           "cannot be loaded (for %s)", check->purpose);
        }
    }
}

/*
 * `kedge login` and `kedge logout`: a provider's keys in the agent directory (agent-core §2.11).
 * A key comes from the terminal, unseen, or from standard input; never from the argument vector.
 */
#include "base/dirs.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/outline.h"
#include "model/catalogue.h"
#include "model/credential_store.h"
#include "model/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

static const int ending_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };

typedef struct Store {
    ModelRegistry *registry;
    char *path; // of the database
} Store;

static void store_clear(Store *self)
{
    model_registry_free(self->registry);
    g_free(self->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Store, store_clear)

static void store_open(Store *self)
{
    g_autofree char *dir = dirs_agent();
    g_autofree char *models = g_build_filename(dir, "models.yml", NULL);
    g_autofree char *warning = NULL;
    self->path = g_build_filename(dir, CREDENTIAL_STORE_FILE, NULL);
    self->registry = model_registry_new(models, &warning);
    if (warning)
        log_warning("%s", warning);
}

static bool check_provider(const Store *store, const char *name, GError **error)
{
    if (model_registry_knows_provider(store->registry, name))
        return true;
    return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                     "unknown provider \"%s\"; `kedge login` lists those there are", name);
}

/* One line, without its end. */
static bool read_line(int fd, GString *line, GError **error)
{
    char letter;
    ssize_t got;
    while ((got = read(fd, &letter, 1)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_with_errno(error, errno, "cannot read the key");
        if (letter == '\n')
            break;
        if (line->len >= LIMIT_API_KEY_BYTES)
            return fail_with(error, KEDGE_ERROR_LIMIT, "the key is longer than %zu bytes",
                             LIMIT_API_KEY_BYTES);
        g_string_append_c(line, letter);
    }
    return true;
}

/* One line of a terminal that does not show what is typed; stops at one of the blocked `signals`.
 */
static bool read_unseen(int tty, const sigset_t *signals, GString *line, GError **error)
{
    g_auto(Fd) signal_fd = signalfd(-1, signals, SFD_CLOEXEC);
    struct pollfd fds[] = {
        { .fd = tty, .events = POLLIN },
        { .fd = signal_fd, .events = POLLIN },
    };
    while (poll(fds, G_N_ELEMENTS(fds), -1) < 0 && errno == EINTR)
        ;
    if (fds[1].revents != 0)
        return fail_with(error, KEDGE_ERROR_CANCELLED, "interrupted");
    return read_line(tty, line, error);
}

/* From the terminal without showing it. A signal that ends or stops kedge finds the terminal as it
   was before. */
static bool read_hidden(const char *provider, GString *line, GError **error)
{
    g_auto(Fd) tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    struct termios before;
    if (tty < 0 || tcgetattr(tty, &before) < 0)
        return fail_with_errno(error, errno, "cannot ask on the terminal");
    struct termios hidden = before;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    sigset_t signals, mask_before;
    sigemptyset(&signals);
    for (size_t i = 0; i < G_N_ELEMENTS(ending_signals); i++)
        sigaddset(&signals, ending_signals[i]);
    g_autofree char *question = g_strdup_printf("Key for %s (it is not shown): ", provider);
    bool is_ok = fd_write_all(tty, question, strlen(question), "/dev/tty", error);

    sigprocmask(SIG_BLOCK, &signals, &mask_before);
    tcsetattr(tty, TCSAFLUSH, &hidden);
    is_ok = is_ok && read_unseen(tty, &signals, line, error);
    tcsetattr(tty, TCSAFLUSH, &before);
    sigprocmask(SIG_SETMASK, &mask_before, NULL); // the signal that came takes its effect
    return is_ok && fd_write_all(tty, "\n", 1, "/dev/tty", error);
}

/* Wipes what it read, also where it fails. */
static bool read_key(const char *provider, char **ret_key, GError **error)
{
    GString *line = g_string_sized_new(LIMIT_API_KEY_BYTES + 1); // never moved, so wiped as a whole
    bool is_ok = isatty(STDIN_FILENO) ? read_hidden(provider, line, error)
                                      : read_line(STDIN_FILENO, line, error);
    g_strstrip(line->str);
    is_ok = is_ok && credential_key_check(line->str, error);
    if (is_ok)
        *ret_key = g_strdup(line->str);
    explicit_bzero(line->str, line->allocated_len);
    g_string_free(line, TRUE);
    return is_ok;
}

static bool login(const Store *store, const char *provider, GError **error)
{
    char *key = NULL;
    bool is_new = false;
    if (!check_provider(store, provider, error) || !read_key(provider, &key, error))
        return false;
    bool is_ok = credential_store_add(store->path, provider, key, &is_new, error);
    explicit_bzero(key, strlen(key));
    g_free(key);
    if (is_ok)
        log_text(is_new ? "Stored a key for %s." : "This key for %s was stored already.", provider);
    return is_ok;
}

/* "anthropic  stored" and so on: where the key of each provider comes from. */
static int print_providers(const Store *store)
{
    g_auto(GStrv) names = model_registry_providers(store->registry);
    GString *text = g_string_new(NULL);
    for (char **name = names; *name; name++) {
        g_autofree char *source = model_registry_provider_source(store->registry, *name);
        g_string_append_printf(text, "%-12s  %s\n", *name, source ? source : "-");
    }
    bool is_ok = cmd_print(text->str);
    g_string_free(text, TRUE);
    return is_ok ? EXIT_OK : EXIT_FAILED;
}

/* At most one word, the provider; *ret_provider is NULL without. */
static bool read_words(int argc, char *const *argv, const char **ret_provider, GError **error)
{
    static const FieldDef no_options[] = { { 0 } };
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    char nothing = 0;
    if (!cmd_decode_options(no_options, argc, argv, &nothing, &kept, words, error))
        return false;
    if (words->len > 1)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "one provider at most; the key is read from standard input");
    *ret_provider = words->len > 0 ? words->pdata[0] : NULL;
    return true;
}

static int login_run(const CommandEnv *env G_GNUC_UNUSED, int argc, char *const *argv)
{
    g_auto(Store) store = { 0 };
    g_autoptr(GError) error = NULL;
    const char *provider = NULL;
    if (!read_words(argc, argv, &provider, &error))
        return cmd_fail(error);
    store_open(&store);
    if (!provider)
        return print_providers(&store);
    return login(&store, provider, &error) ? EXIT_OK : cmd_fail(error);
}

static int logout_run(const CommandEnv *env G_GNUC_UNUSED, int argc, char *const *argv)
{
    g_auto(Store) store = { 0 };
    g_autoptr(GError) error = NULL;
    int64_t count = 0;
    const char *provider = NULL;
    if (!read_words(argc, argv, &provider, &error))
        return cmd_fail(error);
    if (!provider) {
        log_error("usage: kedge logout PROVIDER");
        return EXIT_USAGE;
    }
    store_open(&store);
    if (!credential_store_remove(store.path, provider, &count, &error))
        return cmd_fail(error);
    if (count == 0) {
        log_error("no key is stored for \"%s\"", provider);
        return EXIT_FAILED;
    }
    log_text("Removed %d stored key%s of %s.", (int)count, count == 1 ? "" : "s", provider);
    return EXIT_OK;
}

static void providers_outline(const CommandEnv *env, Outline *self)
{
    for (size_t i = 0; i < catalogue_provider_count; i++)
        g_ptr_array_add(self->words, (void *)catalogue_providers[i].name);
}

const Command command_login = {
    .name = "login",
    .summary = "Store a provider's API key, or list where keys come from",
    .usage = "[PROVIDER]",
    .help =
        "Without PROVIDER, each provider and where its key comes from (- : there is none).\n"
        "With it, a key is asked for on the terminal, or read from standard input, and stored in\n"
        "agent.db of the agent directory, which nobody else may read. Of several keys one is used\n"
        "until the provider refuses it, or more for a limit; then the next.\n"
        "\n"
        "Examples:\n"
        "  kedge login anthropic\n"
        "  pass show openai | kedge login openai",
    .outline = providers_outline,
    .run = login_run,
};

const Command command_logout = {
    .name = "logout",
    .summary = "Remove the stored keys of a provider",
    .usage = "PROVIDER",
    .help = "What the environment or models.yml says stays as it is.",
    .outline = providers_outline,
    .run = logout_run,
};

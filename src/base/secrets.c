/*
 * The store of secrets (secrets.h): an array of names and values over a few pages of locked memory.
 */
#include "base/secrets.h"

#include "base/env.h"
#include "base/limits.h"
#include "base/lock.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define MIN_KNOWN_BYTES 8  // a shorter value would mask ordinary words
#define MIN_LINE_BYTES  16 // of one line of a value that has several
#define PAGE_BYTES      (16 * KIB)

typedef struct Page { // of locked memory; never unmapped, so that borrowed values stay readable
    char *data;
    size_t size, used;
} Page;

typedef struct Secret {
    char *name;
    const char *value;
    SecretKind kind;
    bool is_given; // with secrets_set(): what the environment has does not replace it
} Secret;

static struct {
    pthread_mutex_t lock;
    GArray *pages;   // of Page
    GArray *secrets; // of Secret
    GPtrArray *known;
    atomic_uint known_count;
} store = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* At exit. Values that are still borrowed become empty. */
static void secrets_wipe(void)
{
    HOLD_LOCK(&store.lock);
    for (unsigned i = 0; store.pages && i < store.pages->len; i++) {
        Page *page = &g_array_index(store.pages, Page, i);
        explicit_bzero(page->data, page->used);
    }
}

void secrets_drop_copy(void)
{
    for (unsigned i = 0; store.pages && i < store.pages->len; i++) {
        const Page *page = &g_array_index(store.pages, Page, i);
        madvise(page->data, page->size, MADV_DONTNEED);
    }
}

static void open_store_locked(void)
{
    if (store.pages)
        return;
    store.pages = g_array_new(FALSE, TRUE, sizeof(Page));
    store.secrets = g_array_new(FALSE, TRUE, sizeof(Secret));
    store.known = g_ptr_array_new();
    atexit(secrets_wipe);
}

static char *allocate_locked(size_t size)
{
    Page *last = store.pages->len ? &g_array_index(store.pages, Page, store.pages->len - 1) : NULL;
    if (!last || last->size - last->used < size) {
        Page page = { .size = MAX(size, PAGE_BYTES) };
        page.data =
            mmap(NULL, page.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        g_assert(page.data != MAP_FAILED);
        // both may be refused; the process cannot be dumped anyway
        mlock(page.data, page.size);
        madvise(page.data, page.size, MADV_DONTDUMP);
        g_array_append_val(store.pages, page);
        last = &g_array_index(store.pages, Page, store.pages->len - 1);
    }
    char *place = last->data + last->used;
    last->used += size;
    return place;
}

static const char *keep_locked(const char *value, size_t size)
{
    char *copy = allocate_locked(size + 1);
    memcpy(copy, value, size);
    copy[size] = '\0';
    return copy;
}

/* What would mask ordinary text (common §10 rule 4). */
static bool is_common(const char *value, size_t size)
{
    static const char *const words[] = { "example", "password", "changeme" };
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (strlen(words[i]) == size && g_ascii_strncasecmp(value, words[i], size) == 0)
            return true;
    size_t same = 1;
    while (same < size && value[same] == value[0])
        same++;
    return same == size;
}

static void add_known_locked(const char *value, size_t size)
{
    if (is_common(value, size) || store.known->len >= LIMIT_SECRETS)
        return;
    for (unsigned i = 0; i < store.known->len; i++) {
        const char *other = store.known->pdata[i];
        if (strlen(other) == size && memcmp(other, value, size) == 0)
            return;
    }
    g_ptr_array_add(store.known, (char *)keep_locked(value, size));
    atomic_store(&store.known_count, store.known->len);
}

static void add_pieces_locked(const char *line, size_t size, size_t least)
{
    while (size >= least) { // the rest of a long value is masked when it is long enough itself
        size_t piece = MIN(size, LIMIT_SECRET_BYTES);
        add_known_locked(line, piece);
        line += piece;
        size -= piece;
    }
}

/* A long value is masked in pieces, one of several lines line by line. */
static void register_locked(const char *value)
{
    g_autofree char *trimmed = g_strstrip(g_strdup(value));
    bool has_lines = strpbrk(trimmed, "\r\n") != NULL;
    g_auto(GStrv) lines = g_strsplit_set(trimmed, "\r\n", -1);
    for (char **line = lines; *line; line++) {
        g_strstrip(*line);
        add_pieces_locked(*line, strlen(*line), has_lines ? MIN_LINE_BYTES : MIN_KNOWN_BYTES);
        explicit_bzero(*line, strlen(*line));
    }
    explicit_bzero(trimmed, strlen(trimmed));
}

/* A later value of the same name is the one that counts, but none of the environment counts over
   one that was given. */
static void set_locked(const char *name, const char *value, SecretKind kind, bool is_given)
{
    open_store_locked();
    Secret *found = NULL;
    for (unsigned i = 0; i < store.secrets->len && !found; i++) {
        Secret *each = &g_array_index(store.secrets, Secret, i);
        found = strcmp(each->name, name) == 0 ? each : NULL;
    }
    if (found && found->is_given && !is_given) {
        register_locked(value);
        return;
    }
    if (found && strcmp(found->value, value) == 0) {
        found->is_given = is_given;
        return;
    }
    const Secret secret = {
        .name = found ? found->name : g_strdup(name),
        .value = keep_locked(value, strlen(value)),
        .kind = kind,
        .is_given = is_given,
    };
    if (found)
        *found = secret;
    else
        g_array_append_val(store.secrets, secret);
    register_locked(secret.value);
}

bool secrets_close_process(void)
{
    if (env_flag("ALLOW_DEBUG"))
        return false;
    prctl(PR_SET_DUMPABLE, 0);
    return true;
}

static void secrets_take(const char *name, const char *value, SecretKind kind, bool is_given)
{
    HOLD_LOCK(&store.lock);
    set_locked(name, value, kind, is_given);
}

/* An entry of the environment without its name in `environ`: what /proc/PID/environ still shows. */
static void take_entry(char *entry, SecretKind kind)
{
    size_t size = strlen(entry);
    char *equals = strchr(entry, '=');
    *equals = '\0';
    secrets_take(entry, equals + 1, kind, false);
    unsetenv(entry);
    explicit_bzero(entry, size);
}

void secrets_take_environment(void)
{
    for (char **entry = environ; entry && *entry;) {
        const char *equals = strchr(*entry, '=');
        g_autofree char *name =
            equals && equals[1] ? g_strndup(*entry, (gsize)(equals - *entry)) : NULL;
        SecretKind kind = name ? secret_kind(name) : SECRET_NONE;
        if (kind == SECRET_NONE)
            entry++;
        else
            take_entry(*entry, kind); // the next one is now here
    }
}

void secrets_take_variable(const char *name)
{
    size_t size = strlen(name);
    for (char **entry = environ; entry && *entry; entry++) {
        if (strncmp(*entry, name, size) == 0 && (*entry)[size] == '=' && (*entry)[size + 1]) {
            take_entry(*entry, SECRET_KEY);
            return;
        }
    }
}

void secrets_learn_environment(void)
{
    for (char **entry = environ; entry && *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        g_autofree char *name =
            equals && equals[1] ? g_strndup(*entry, (gsize)(equals - *entry)) : NULL;
        SecretKind kind = name ? secret_kind(name) : SECRET_NONE;
        if (kind != SECRET_NONE)
            secrets_take(name, equals + 1, kind, false);
    }
}

void secrets_learn_variable(const char *name)
{
    const char *value = env_get_raw(name);
    if (value)
        secrets_take(name, value, SECRET_KEY, false);
}

/* Hands the bytes from `value` on over to the store; returns where they are now. */
static char *take_argument(char *word, char *value)
{
    pthread_mutex_lock(&store.lock);
    open_store_locked();
    char *kept = (char *)keep_locked(word, strlen(word));
    register_locked(kept + (value - word));
    pthread_mutex_unlock(&store.lock);
    explicit_bzero(value, strlen(value));
    return kept;
}

void secrets_take_arguments(int argc, char **argv)
{
    static const char flag[] = "--api-key";
    const size_t size = sizeof(flag) - 1;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], flag, size) != 0)
            continue;
        if (argv[i][size] == '=')
            argv[i] = take_argument(argv[i], argv[i] + size + 1);
        else if (argv[i][size] == '\0' && i + 1 < argc)
            argv[i + 1] = take_argument(argv[i + 1], argv[i + 1]);
    }
}

void secrets_set(const char *name, const char *value)
{
    SecretKind kind = secret_kind(name);
    secrets_take(name, value, kind == SECRET_NONE ? SECRET_KEY : kind, true);
}

void secrets_register(const char *value)
{
    HOLD_LOCK(&store.lock);
    open_store_locked();
    register_locked(value);
}

const char *secrets_get(const char *name)
{
    const char *value = NULL;
    pthread_mutex_lock(&store.lock);
    for (unsigned i = 0; store.secrets && i < store.secrets->len && !value; i++) {
        const Secret *each = &g_array_index(store.secrets, Secret, i);
        if (strcmp(each->name, name) == 0)
            value = each->value;
    }
    pthread_mutex_unlock(&store.lock);
    return value && *value ? value : env_get_raw(name);
}

bool secrets_holds(const char *name)
{
    bool is_held = false;
    HOLD_LOCK(&store.lock);
    for (unsigned i = 0; store.secrets && i < store.secrets->len && !is_held; i++)
        is_held = strcmp(g_array_index(store.secrets, Secret, i).name, name) == 0;
    return is_held;
}

void secrets_add_for_child(GPtrArray *env, const char *const *pass, bool is_safe)
{
    HOLD_LOCK(&store.lock);
    for (unsigned i = 0; store.secrets && i < store.secrets->len; i++) {
        const Secret *each = &g_array_index(store.secrets, Secret, i);
        bool is_named = pass && g_strv_contains(pass, each->name);
        if (each->kind == SECRET_TOKEN ? !is_safe : each->kind == SECRET_KEY && is_named)
            g_ptr_array_add(env, g_strconcat(each->name, "=", each->value, NULL));
    }
}

void secrets_add_for_agent(GPtrArray *env)
{
    HOLD_LOCK(&store.lock);
    for (unsigned i = 0; store.secrets && i < store.secrets->len; i++) {
        const Secret *each = &g_array_index(store.secrets, Secret, i);
        if (each->kind != SECRET_ACTIONS)
            g_ptr_array_add(env, g_strconcat(each->name, "=", each->value, NULL));
    }
}

unsigned secrets_count_known(void)
{
    return atomic_load(&store.known_count);
}

const char *secrets_known(unsigned index)
{
    HOLD_LOCK(&store.lock);
    return index < store.known->len ? store.known->pdata[index] : NULL;
}

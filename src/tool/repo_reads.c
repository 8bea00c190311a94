/* See repo_reads.h. */
#include "tool/repo_reads.h"

#include "base/str.h"

#include <pthread.h>

struct RepoReads {
    RepoReads *parent;
    pthread_mutex_t lock; // guards the rest
    GPtrArray *list;      // of RepoRead *
    unsigned version;
};

static void read_free(void *data)
{
    RepoRead *self = data;
    g_free(self->host);
    g_free(self->repo);
    g_free(self);
}

RepoReads *repo_reads_new(RepoReads *parent)
{
    RepoReads *self = g_new0(RepoReads, 1);
    self->parent = parent;
    pthread_mutex_init(&self->lock, NULL);
    self->list = g_ptr_array_new_with_free_func(read_free);
    return self;
}

void repo_reads_free(RepoReads *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->list);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static RepoRead *find_locked(const RepoReads *self, const char *host, const char *repo)
{
    for (guint i = 0; i < self->list->len; i++) {
        RepoRead *read = self->list->pdata[i];
        bool is_same_repo =
            repo && read->repo ? str_equal_nocase(read->repo, repo) : !repo && !read->repo;
        if (is_same_repo && str_equal_nocase(read->host, host))
            return read;
    }
    return NULL;
}

static void add_own(RepoReads *self, const char *host, const char *repo)
{
    pthread_mutex_lock(&self->lock);
    if (self->list->len >= REPO_READS_MAX)
        repo = NULL;
    if (!find_locked(self, host, repo)) {
        RepoRead *read = g_new0(RepoRead, 1);
        read->host = g_ascii_strdown(host, -1);
        read->repo = g_strdup(repo);
        g_ptr_array_add(self->list, read);
        self->version++;
    }
    pthread_mutex_unlock(&self->lock);
}

void repo_reads_add(RepoReads *self, const char *host, const char *repo)
{
    for (; self; self = self->parent)
        add_own(self, host, repo);
}

void repo_reads_set_visibility(RepoReads *self, const char *host, const char *repo,
                               RepoVisibility visibility)
{
    for (; self; self = self->parent) {
        pthread_mutex_lock(&self->lock);
        RepoRead *read = find_locked(self, host, repo);
        if (read)
            read->visibility = visibility;
        pthread_mutex_unlock(&self->lock);
    }
}

void repo_reads_clear(RepoReads *self)
{
    pthread_mutex_lock(&self->lock);
    g_ptr_array_set_size(self->list, 0);
    pthread_mutex_unlock(&self->lock);
}

GPtrArray *repo_reads_list(RepoReads *self)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(read_free);
    for (; self; self = self->parent) {
        pthread_mutex_lock(&self->lock);
        for (guint i = 0; i < self->list->len; i++) {
            const RepoRead *read = self->list->pdata[i];
            RepoRead *copy = g_memdup2(read, sizeof(*read));
            copy->host = g_strdup(read->host);
            copy->repo = g_strdup(read->repo);
            g_ptr_array_add(all, copy);
        }
        pthread_mutex_unlock(&self->lock);
    }
    return all;
}

char **repo_reads_names(RepoReads *self)
{
    GPtrArray *names = g_ptr_array_new();
    pthread_mutex_lock(&self->lock);
    for (guint i = 0; i < self->list->len; i++) {
        const RepoRead *read = self->list->pdata[i];
        g_ptr_array_add(names, g_strconcat(read->host, read->repo ? "/" : NULL, read->repo, NULL));
    }
    pthread_mutex_unlock(&self->lock);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

unsigned repo_reads_version(RepoReads *self)
{
    pthread_mutex_lock(&self->lock);
    unsigned version = self->version;
    pthread_mutex_unlock(&self->lock);
    return version;
}

void repo_reads_add_name(RepoReads *self, const char *name)
{
    const char *slash = strchr(name, '/');
    g_autofree char *host = slash ? g_strndup(name, (size_t)(slash - name)) : g_strdup(name);
    repo_reads_add(self, host, slash && strchr(slash + 1, '/') ? slash + 1 : NULL);
}

/*
 * The process that libkedge is in (lib_process.h): its log, its secrets.
 */
#include "lib/lib_process.h"

#include "base/log.h"
#include "base/secrets.h"
#include "lib/lib_error.h"

#include <pthread.h>

/* The one state that conversations share besides the secrets (kedge.h). */
static struct {
    pthread_mutex_t lock;
    kedge_log_func func;
    void *user_data;
} sink = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void write_line(const char *line)
{
    pthread_mutex_lock(&sink.lock);
    kedge_log_func func = sink.func;
    void *user_data = sink.user_data;
    pthread_mutex_unlock(&sink.lock);
    if (func)
        func(line, user_data);
}

void lib_process_init(void)
{
    log_set_writer(write_line);
}

void kedge_set_log(kedge_log_func func, void *user_data)
{
    pthread_mutex_lock(&sink.lock);
    sink.func = func;
    sink.user_data = user_data;
    pthread_mutex_unlock(&sink.lock);
    lib_process_init();
}

kedge_code kedge_set_secret(const char *variable, const char *value, kedge_error **ret_error)
{
    GError *error = NULL;
    if (!variable || !*variable || !value)
        fail_with(&error, KEDGE_ERROR_USAGE, "a secret needs the name of a variable and a value");
    else if (!g_utf8_validate(value, -1, NULL))
        fail_with(&error, KEDGE_ERROR_USAGE, "the value of %s is not UTF-8", variable);
    if (error)
        return lib_fail(error, ret_error);
    secrets_set(variable, value);
    return KEDGE_OK;
}

void kedge_protect_process(void)
{
    lib_process_init();
    secrets_close_process();
    secrets_take_environment();
}

const char *kedge_version(void)
{
    return KEDGE_VERSION;
}

/*
 * Errors as values (lib_error.h), and texts that the caller frees.
 */
#include "lib/lib_error.h"

struct kedge_error {
    kedge_code code;
    char *message;
};

static kedge_code code_of(const GError *error)
{
    static const kedge_code codes[] = {
        [KEDGE_ERROR_CANCELLED] = KEDGE_CANCELLED,
        [KEDGE_ERROR_USAGE] = KEDGE_USAGE,
        [KEDGE_ERROR_NOT_FOUND] = KEDGE_NOT_FOUND,
        [KEDGE_ERROR_DENIED] = KEDGE_DENIED,
        [KEDGE_ERROR_NETWORK] = KEDGE_NETWORK,
        [KEDGE_ERROR_TIMEOUT] = KEDGE_TIMEOUT,
        [KEDGE_ERROR_PROTOCOL] = KEDGE_PROTOCOL,
        [KEDGE_ERROR_LIMIT] = KEDGE_LIMIT,
        [KEDGE_ERROR_IO] = KEDGE_IO,
        [KEDGE_ERROR_FAILED] = KEDGE_FAILED,
    };
    bool is_ours = error->domain == KEDGE_ERROR && error->code >= 0 &&
                   (size_t)error->code < G_N_ELEMENTS(codes);
    return is_ours ? codes[error->code] : KEDGE_FAILED;
}

kedge_code lib_fail(GError *error, kedge_error **ret_error)
{
    kedge_code code = code_of(error);
    if (ret_error) {
        *ret_error = g_new0(kedge_error, 1);
        (*ret_error)->code = code;
        (*ret_error)->message = g_strdup(error->message);
    }
    g_error_free(error);
    return code;
}

kedge_code kedge_error_code(const kedge_error *error)
{
    return error ? error->code : KEDGE_OK;
}

const char *kedge_error_message(const kedge_error *error)
{
    return error ? error->message : "";
}

void kedge_error_free(kedge_error *error)
{
    if (!error)
        return;
    g_free(error->message);
    g_free(error);
}

void kedge_free(char *text)
{
    g_free(text);
}

/*
 * The error domain and the two ways to fail.
 */
#include "base/error.h"

// not G_DEFINE_QUARK(): it keeps the number in a variable that threads write without a lock
GQuark kedge_error_quark(void)
{
    return g_quark_from_static_string("kedge-error-quark");
}

bool fail_with(GError **error, KedgeError code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    GError *made = g_error_new_valist(KEDGE_ERROR, (gint)code, format, args);
    va_end(args);
    return pass_error(error, &made);
}

bool fail_with_errno(GError **error, int saved_errno, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *what = g_strdup_vprintf(format, args);
    va_end(args);
    return fail_with(error, KEDGE_ERROR_IO, "%s: %s", what, g_strerror(saved_errno));
}

bool pass_error(GError **error, GError **cause)
{
    g_propagate_error(error, g_steal_pointer(cause));
    return false;
}

bool error_is(const GError *error, KedgeError code)
{
    return g_error_matches(error, KEDGE_ERROR, (gint)code);
}

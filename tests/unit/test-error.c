/* Errors: code, message, and the promise to return false. */
#include "unit.h"

#include "base/error.h"

#include <errno.h>

static void test_fail_with(void **state G_GNUC_UNUSED)
{
    static const KedgeError codes[] = { KEDGE_ERROR_CANCELLED, KEDGE_ERROR_USAGE,
                                        KEDGE_ERROR_FAILED };
    for (size_t i = 0; i < G_N_ELEMENTS(codes); i++) {
        g_autoptr(GError) error = NULL;
        assert_false(fail_with(&error, codes[i], "bad %s %d", "value", 7));
        assert_true(error_is(error, codes[i]));
        assert_false(error_is(error, KEDGE_ERROR_LIMIT));
        assert_string_equal(error->message, "bad value 7");
    }
}

static void test_fail_with_errno(void **state G_GNUC_UNUSED)
{
    g_autoptr(GError) error = NULL;
    assert_false(fail_with_errno(&error, ENOSPC, "cannot write %s", "a%sb"));
    assert_true(error_is(error, KEDGE_ERROR_IO));
    assert_string_equal(error->message, "cannot write a%sb: No space left on device");
}

static void test_pass_error(void **state G_GNUC_UNUSED)
{
    GError *cause = NULL;
    g_autoptr(GError) error = NULL;
    fail_with(&cause, KEDGE_ERROR_LIMIT, "too much");
    assert_false(pass_error(&error, &cause));
    assert_null(cause);
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));
}

static void test_no_error_wanted(void **state G_GNUC_UNUSED)
{
    assert_false(fail_with(NULL, KEDGE_ERROR_IO, "nobody listens"));
    assert_false(error_is(NULL, KEDGE_ERROR_IO));
    g_autoptr(GError) other = g_error_new(G_FILE_ERROR, KEDGE_ERROR_IO, "another domain");
    assert_false(error_is(other, KEDGE_ERROR_IO));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fail_with),
        cmocka_unit_test(test_fail_with_errno),
        cmocka_unit_test(test_pass_error),
        cmocka_unit_test(test_no_error_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * One prompt: cc prompt.c $(pkg-config --cflags --libs kedge)
 */
#include <kedge.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    kedge_options options = { .size = sizeof options, .no_session = 1 };
    kedge_error *error = NULL;
    char *text = NULL;
    kedge_session *session = kedge_session_open(&options, &error);
    kedge_code code = KEDGE_FAILED;
    if (session)
        code = kedge_session_run(session, argc > 1 ? argv[1] : "Hello", &text, &error);
    if (code == KEDGE_OK)
        puts(text);
    else
        fprintf(stderr, "%s\n", kedge_error_message(error));
    kedge_free(text);
    kedge_error_free(error);
    kedge_session_free(session);
    return code == KEDGE_OK ? 0 : 1;
}

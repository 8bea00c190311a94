/*
 * The protocol of docs/rpc.md over a socket, without a process of its own:
 * cc -pthread rpc.c $(pkg-config --cflags --libs kedge)
 */
#include <kedge.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void *serve(void *fd)
{
    kedge_options options = { .size = sizeof options, .no_session = 1 };
    kedge_error *error = NULL;
    if (kedge_rpc_serve(&options, *(int *)fd, *(int *)fd, &error) != KEDGE_OK)
        fprintf(stderr, "%s\n", kedge_error_message(error));
    kedge_error_free(error);
    return NULL;
}

int main(void)
{
    int ends[2];
    pthread_t server;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    if (pthread_create(&server, NULL, serve, &ends[1]) != 0)
        return 1;

    FILE *in = fdopen(ends[0], "r+");
    static char line[1 << 20];
    fputs("{\"id\":\"1\",\"type\":\"prompt\",\"message\":\"Hello\"}\n", in);
    fflush(in);
    while (fgets(line, sizeof line, in)) {
        if (strstr(line, "\"type\":\"ready\""))
            puts("ready");
        if (strstr(line, "\"type\":\"agent_end\""))
            break;
    }
    puts("the run has ended");
    fclose(in); // the server ends with its client
    pthread_join(server, NULL);
    return 0;
}

/*
 * The RPC door over descriptors of the program (kedge.h).
 */
#include "base/fd.h"
#include "base/worker.h"
#include "lib/lib_error.h"
#include "lib/lib_opening.h"
#include "rpc/server.h"

#include <errno.h>
#include <fcntl.h>

typedef struct Serving {
    const kedge_options *options;
    Fd input, output;
    GError *error;
} Serving;

/* On a thread of its own: there a broken socket is an error, and no signal to the process. */
static void serve(void *self_)
{
    Serving *self = self_;
    g_auto(LibOpening) opening = { 0 };
    if (!lib_opening_make(self->options, &opening, &self->error))
        return;
    const AgentSessionOptions conversation = lib_opening_take(&opening);
    const RpcOptions options = {
        .conversation = &conversation,
        .is_guest = true,
        .input = fd_steal(&self->input),
        .output = fd_steal(&self->output),
    };
    int exit_code = 0;
    rpc_serve(&options, &exit_code, &self->error);
}

kedge_code kedge_rpc_serve(const kedge_options *options, int input_fd, int output_fd,
                           kedge_error **ret_error)
{
    g_auto(Fd) input = input_fd;
    g_auto(Fd) output = -1;
    GError *error = NULL;
    if (input_fd == output_fd)
        output = fcntl(input_fd, F_DUPFD_CLOEXEC, 0);
    else
        output = output_fd;
    if (input < 0 || output < 0 || fcntl(input, F_GETFD) < 0 || fcntl(output, F_GETFD) < 0)
        fail_with(&error, KEDGE_ERROR_USAGE, "kedge_rpc_serve: %d and %d are not both open",
                  input_fd, output_fd);
    if (error)
        return lib_fail(error, ret_error);
    Serving self = { options, fd_steal(&input), fd_steal(&output), NULL };
    Worker *worker = worker_start("kedge-rpc", serve, &self);
    if (!worker)
        fail_with_errno(&self.error, errno, "cannot start a thread for the conversation");
    worker_join(worker);
    fd_close(self.input);
    fd_close(self.output);
    return self.error ? lib_fail(self.error, ret_error) : KEDGE_OK;
}

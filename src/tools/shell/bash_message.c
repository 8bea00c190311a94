/* See bash_message.h. */
#include "tools/shell/bash_message.h"

#include "base/path.h"
#include "tool/lent_calls.h"
#include "tools/shell/bash_env.h"

/* `\builtin` and `\command` keep aliases and functions of the user out of our own lines. */
static const char *guard_of(const char *shell)
{
    return bash_shell_is(shell, "zsh") ? "\\builtin" : "\\command";
}

static void append_quoted(GString *out, const char *text)
{
    g_autofree char *quoted = g_shell_quote(text);
    g_string_append(out, quoted);
}

/* What makes the shell report: for bash the end of the message, for others a line of it. */
static void end_message(const char *shell, const char *nonce, GString *message)
{
    if (bash_shell_is(shell, "bash"))
        g_string_append_c(message, '\0');
    else
        g_string_append_printf(
            message, "{ %s printf '%%s %%s %%s %%s\\n' %s \"$?\" \"${!-}\" $$ >&4; } 2>/dev/null\n",
            guard_of(shell), nonce);
}

/*
 * It is on one line, the line that eval counts from. The report is made by the condition of the
 * inner loop, so that a stray `continue` still leads to it, and the outer loop catches a stray
 * `break`. Errors of our own words, and what `set -x` shows of them, go nowhere.
 */
char *bash_message_program(const char *nonce, const char *snapshot_path)
{
    GString *program = g_string_new("exec 5>&1; ");
    if (snapshot_path) {
        g_string_append(program, ". ");
        append_quoted(program, snapshot_path);
        g_string_append(program, " </dev/null >/dev/null 2>&1 3<&- 4>&- 5>&-; ");
    }
    g_string_append_printf(
        program,
        "shopt -s expand_aliases; "
        "while :; do while \\builtin printf '%%s %%s %%s %%s\\n' %s \"$?\" \"${!-}\" $$ >&4; "
        "IFS= \\builtin read -r -d '' -u 3 __kedge_call || \\builtin exit; "
        "do \\builtin eval \"$__kedge_call\"; done; done 2>/dev/null",
        nonce);
    return g_string_free(program, FALSE);
}

GString *bash_message_start(const char *shell, const char *nonce)
{
    GString *message = g_string_new(NULL);
    if (!bash_shell_is(shell, "bash")) {
        g_string_append(message, "exec 3<&- 5>&1\n");
        end_message(shell, nonce, message);
    }
    return message;
}

char *bash_message_door(const BashRun *run)
{
    const CommandDoor *door = run->context ? tool_context_command_door(run->context) : NULL;
    if (!door)
        return g_strdup("");
    g_autofree char *text = door->shell_text(run->context);
    return g_strconcat(text, "; ", NULL);
}

char *bash_message_prefixed(const char *command)
{
    const char *prefix = bash_command_prefix();
    return prefix ? g_strconcat(prefix, " ", command, NULL) : g_strdup(command);
}

static void append_cd(GString *message, const char *shell, const char *cwd)
{
    g_autofree char *real_cwd = path_real(cwd);
    g_string_append_printf(message, "%s cd -- ", guard_of(shell));
    append_quoted(message, real_cwd ? real_cwd : cwd);
    g_string_append(message, " 2>&5 && ");
}

GString *bash_message_call(const char *shell, const char *nonce, const BashRun *run)
{
    g_autofree char *command = bash_message_prefixed(run->command);
    g_autofree char *door = bash_message_door(run);
    GString *message = g_string_new(door);
    if (!run->keeps_cwd)
        append_cd(message, shell, run->cwd);
    g_string_append(message, "{ ");
    // before && a failure does not count for `set -e` and for an ERR trap
    if (run->last_status != 0)
        g_string_append_printf(message, "(\\exit %d) && \\:; ", run->last_status);

    // assignments before eval hold for it alone, and are exported
    json_each_member (run->env, name, value) {
        g_string_append_printf(message, "%s=", name);
        append_quoted(message, json_string_value(value));
        g_string_append_c(message, ' ');
    }
    g_string_append_printf(message, "%s eval ", guard_of(shell));
    append_quoted(message, command);
    g_string_append(message, "\n} </dev/null >&5 2>&5 3<&- 4>&- 5>&-\n");
    end_message(shell, nonce, message);
    return message;
}

/*
 * agent-tools rp1-root-dir (agent-tools-cli §6): tells where the .rp1 directory is.
 */
#include "agenttools/agenttools.h"
#include "agenttools/root_dir.h"

static const char *const source_names[] = {
    [ROOT_ENV] = "env",
    [ROOT_GIT_COMMON_DIR] = "git-common-dir",
    [ROOT_CWD] = "cwd",
    NULL,
};

static const FieldDef no_fields[] = { { 0 } };

static const FieldDef root_dir_output[] = {
    { "root", FIELD_STRING, 0, .is_required = true,
      .help = "Absolute path of the .rp1 directory; it need not exist" },
    { "isWorktree", FIELD_BOOLEAN, 0, .is_required = true, .help = "In a linked git worktree" },
    { "worktreeName", FIELD_STRING, 0, .help = "Branch of the linked worktree, unless detached" },
    { "source", FIELD_ENUM, 0, .is_required = true, .values = source_names,
      .help = "How it was found" },
    { "projectRoot", FIELD_STRING, 0, .is_required = true, .help = "The project's directory" },
    { "codeRoot", FIELD_STRING, 0, .is_required = true, .help = "Where source edits belong" },
    { "kbRoot", FIELD_STRING, 0, .is_required = true, .help = "Knowledge base" },
    { "workRoot", FIELD_STRING, 0, .is_required = true, .help = "Work in progress" },
    { "exists", FIELD_BOOLEAN, 0, .is_required = true, .help = "root is a directory" },
    { 0 },
};

static const OperationExample root_dir_examples[] = {
    { "kedge agent-tools rp1-root-dir", "{}",
      "{\"root\":\"/home/dev/app/.rp1\",\"isWorktree\":true,\"worktreeName\":\"feat/login\","
      "\"source\":\"git-common-dir\",\"projectRoot\":\"/home/dev/app\","
      "\"codeRoot\":\"/home/dev/app-login\",\"kbRoot\":\"/home/dev/app/.rp1/context\","
      "\"workRoot\":\"/home/dev/app/.rp1/work\",\"exists\":true}" },
    { "RP1_ROOT=/srv/app/.rp1 kedge agent-tools rp1-root-dir", "{}",
      "{\"root\":\"/srv/app/.rp1\",\"isWorktree\":false,\"source\":\"env\","
      "\"projectRoot\":\"/srv/app\",\"codeRoot\":\"/srv/app\","
      "\"kbRoot\":\"/srv/app/.rp1/context\",\"workRoot\":\"/srv/app/.rp1/work\",\"exists\":true}" },
    { 0 },
};

static bool root_dir_run(OperationCall *call, const void *args G_GNUC_UNUSED, Answer *answer,
                         GError **error)
{
    g_auto(RootDir) found = { 0 };
    if (!root_dir_find(call->cwd, call->cancel, &found, error))
        return false;
    answer_set_data(answer,
                    json_make("root:%s isWorktree:%i worktreeName:%s source:%s projectRoot:%s "
                              "codeRoot:%s kbRoot:%s workRoot:%s exists:%i",
                              found.root, found.is_worktree, found.worktree_name,
                              source_names[found.source], found.project_root, found.code_root,
                              found.kb_root, found.work_root, found.exists));
    if (found.warning)
        answer_warn(answer, "%s", found.warning);
    return true;
}

const OperationDef operation_rp1_root_dir = {
    .tool = { .name = "rp1_root_dir",
              .label = "Root directory",
              .summary = "Tell where the project's .rp1 directory is",
              .description = "Tells where the project's .rp1 directory, its code and its work "
                             "directory are. In a linked git worktree that is the main "
                             "repository's. Creates nothing.",
              .fields = no_fields,
              .effect = EFFECT_READ,
              .flags = OPERATION_FLAGS,
              OPERATION_HOOKS },
    OPERATION_PARTS(root_dir, "rp1-root-dir", NULL, root_dir_output),
    .environment = "RP1_ROOT, RP1_KB_ROOT, RP1_WORK_ROOT: these directories, when set",
};

/*
 * The table of settings (settings_keys.h). Sorted by part, as in agent-core §5.6.
 */
#include "tool/settings_keys.h"

#include <glib.h>

static const char *const queue_modes[] = { "one-at-a-time", "all", NULL };
static const char *const interrupt_modes[] = { "immediate", "wait", NULL };
static const char *const thinking_levels[] = { "off",  "minimal", "low", "medium",
                                               "high", "xhigh",   NULL };

static const char *const rule_contexts[] = { "discard", "keep", NULL };
static const char *const rule_interrupts[] = { "always", "never", "prose-only", "tool-only", NULL };
static const char *const rule_repeats[] = { "once", "after-gap", NULL };
static const char *const revert_policies[] = { "cooldown-expiry", "never", NULL };
static const char *const service_tiers[] = { "none",  "auto",     "default", "flex",
                                             "scale", "priority", NULL };
static const char *const compaction_strategies[] = { "context-full", "handoff", "off", NULL };

static const char *const poll_waits[] = { "5s", "10s", "30s", "1m", "5m", NULL };
static const char *const edit_modes[] = { "hashline", "replace", "patch", "apply_patch", NULL };
static const char *const discovery_modes[] = { "off", "mcp-only", "all", NULL };
static const char *const kernel_modes[] = { "session", "per-call", NULL };
static const char *const inherit_modes[] = { "all", "safe", NULL };
static const char *const gh_profiles[] = { "full", "general", "read-only", "off", NULL };

static const SettingKey keys[] = {
    { "modelRoles", SETTING_RECORD, "{}", SETTING_WITH_TRUST, NULL,
      "Model for each role, or several, the first usable first; `default` is used when --model is "
      "absent" },
    { "enabledModels", SETTING_ARRAY, "[]", SETTING_WITH_TRUST, NULL,
      "Models to choose among (selectors, or patterns such as anthropic/*); the first is the one "
      "of a new session. {pathPrefix: DIR, models: […]} holds in that folder" },
    { "disabledProviders", SETTING_ARRAY, "[]", SETTING_WITH_TRUST, NULL,
      "Providers whose models are not there. {pathPrefix: DIR, providers: […]} holds in that "
      "folder" },
    { "modelProviderOrder", SETTING_ARRAY, "[]", SETTING_WITH_TRUST, NULL,
      "Providers to take first where several have a model or a key" },
    { "cycleOrder", SETTING_ARRAY, "[\"smol\",\"default\",\"slow\"]", SETTING_WITH_TRUST, NULL,
      "Roles whose models are gone through with the next model, where modelRoles names one of "
      "them" },
    { "modelTags", SETTING_RECORD, "{}", SETTING_WITH_TRUST, NULL,
      "What roles are called where models are listed: {ROLE: {name: TEXT, color: TEXT}}" },
    { "defaultThinkingLevel", SETTING_ENUM, "\"high\"", SETTING_ANYWHERE, thinking_levels,
      "Thinking level of a new session" },
    { "thinkingBudgets", SETTING_RECORD, "{}", SETTING_ANYWHERE, NULL,
      "Token budget for each thinking level" },
    { "retry.enabled", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Retry failed model requests" },
    { "retry.maxRetries", SETTING_NUMBER, "3", SETTING_ANYWHERE, NULL,
      "Maximum retry attempts on API errors" },
    { "retry.baseDelayMs", SETTING_NUMBER, "2000", SETTING_ANYWHERE, NULL,
      "First retry delay; doubles each time" },
    { "retry.maxWait", SETTING_NUMBER, "60", SETTING_ANYWHERE, NULL,
      "Longest delay of a server that is waited for, in seconds" },
    { "retry.fallbackChains", SETTING_RECORD, "{}", SETTING_WITH_TRUST, NULL,
      "Models (provider/id) that take over when one fails, by role: that of the model's "
      "role, else default" },
    { "retry.fallbackRevertPolicy", SETTING_ENUM, "\"cooldown-expiry\"", SETTING_ANYWHERE,
      revert_policies, "When the chosen model comes back: once it has rested, or never" },
    { "serviceTier", SETTING_ENUM, "\"none\"", SETTING_ANYWHERE, service_tiers,
      "Service tier that OpenAI is asked for" },
    { "compaction.enabled", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Compact a conversation before it overflows the model's context" },
    { "compaction.strategy", SETTING_ENUM, "\"context-full\"", SETTING_ANYWHERE,
      compaction_strategies,
      "How: a summary in the same session, a new session that begins with what a model wrote of "
      "it, or off" },
    { "compaction.reserveTokens", SETTING_NUMBER, "16384", SETTING_ANYWHERE, NULL,
      "Tokens of the context that are kept free (at least 15 % of it, at most half)" },
    { "compaction.keepRecentTokens", SETTING_NUMBER, "20000", SETTING_ANYWHERE, NULL,
      "Tokens of recent messages that a compaction keeps (at most a quarter of the context)" },
    { "compaction.thresholdPercent", SETTING_NUMBER, "-1", SETTING_ANYWHERE, NULL,
      "Compact above this share of the context; -1: as compaction.reserveTokens says" },
    { "compaction.thresholdTokens", SETTING_NUMBER, "-1", SETTING_ANYWHERE, NULL,
      "Compact above this many tokens; -1: unset" },
    { "compaction.handoffSaveToDisk", SETTING_BOOLEAN, "false", SETTING_WITH_TRUST, NULL,
      "Keep what a new session begins with as a file beside it, too" },
    { "compaction.idleEnabled", SETTING_BOOLEAN, "false", SETTING_ANYWHERE, NULL,
      "Compact a conversation that nobody uses for a while" },
    { "compaction.idleThresholdTokens", SETTING_NUMBER, "200000", SETTING_ANYWHERE, NULL,
      "Above this many tokens" },
    { "compaction.idleTimeoutSeconds", SETTING_NUMBER, "300", SETTING_ANYWHERE, NULL,
      "After so many seconds" },
    { "compaction.autoContinue", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Go on with an answer that had no room left when the conversation has been compacted" },
    { "contextPromotion.enabled", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Let the model that contextPromotionTarget names in models.yml take over a conversation that "
      "is too long for the chosen one, instead of compacting it" },
    { "titles.enabled", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Let a small model (the role smol) name a session" },
    { "ttsr.enabled", SETTING_BOOLEAN, "true", SETTING_WITH_TRUST, NULL,
      "Let rules with a condition watch answers while they arrive" },
    { "ttsr.contextMode", SETTING_ENUM, "\"discard\"", SETTING_WITH_TRUST, rule_contexts,
      "What becomes of an answer that a rule has stopped" },
    { "ttsr.interruptMode", SETTING_ENUM, "\"always\"", SETTING_WITH_TRUST, rule_interrupts,
      "What a rule stops at once; else the model is told when its answer has ended" },
    { "ttsr.repeatMode", SETTING_ENUM, "\"once\"", SETTING_WITH_TRUST, rule_repeats,
      "Whether a rule that has fired fires again in the same session" },
    { "ttsr.repeatGap", SETTING_NUMBER, "10", SETTING_WITH_TRUST, NULL,
      "Answers until it may, with `after-gap`" },
    { "loop.enabled", SETTING_BOOLEAN, "true", SETTING_WITH_TRUST, NULL,
      "End a run that makes the same calls with the same results again and again" },
    { "ask.timeout", SETTING_NUMBER, "0", SETTING_ANYWHERE, NULL,
      "Seconds until a question that nobody answers means no, or its first choice; 0: no limit" },
    { "images.autoResize", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Make large images smaller before a model gets them; false: only those that servers refuse" },
    { "images.blockImages", SETTING_BOOLEAN, "false", SETTING_MAY_TIGHTEN, NULL,
      "Send no image to any model: a word stands in its place" },
    { "todo.enabled", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL, "Keep a todo list" },
    { "todo.reminders.enabled", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Remind a model that stops with open todo items" },
    { "todo.reminders.max", SETTING_NUMBER, "3", SETTING_ANYWHERE, NULL,
      "Reminders for one prompt" },
    { "tasks.todoClearDelay", SETTING_NUMBER, "60", SETTING_ANYWHERE, NULL,
      "Seconds after which a finished todo list makes room at the next prompt; below 0: never" },
    { "branchSummary.enabled", SETTING_BOOLEAN, "false", SETTING_ANYWHERE, NULL,
      "Summarise the branch that is left when going elsewhere in a session" },
    { "branchSummary.reserveTokens", SETTING_NUMBER, "16384", SETTING_ANYWHERE, NULL,
      "Tokens of the model's window that such a summary's request leaves free" },
    { "steeringMode", SETTING_ENUM, "\"one-at-a-time\"", SETTING_ANYWHERE, queue_modes,
      "How many steering messages one poll takes" },
    { "followUpMode", SETTING_ENUM, "\"one-at-a-time\"", SETTING_ANYWHERE, queue_modes,
      "How many follow-up messages one poll takes" },
    { "interruptMode", SETTING_ENUM, "\"immediate\"", SETTING_ANYWHERE, interrupt_modes,
      "Whether steering interrupts running tools" },

    { "find.enabled", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL, "Offer the find tool" },
    { "grep.enabled", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL, "Offer the grep tool" },
    { "astGrep.enabled", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Offer ast_grep, where ast-grep is installed" },
    { "astEdit.enabled", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Offer ast_edit, where ast-grep is installed" },
    { "github.enabled", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL, "Offer the github tool" },
    { "github.cache.enabled", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Keep what was read of issues, pull requests and diffs" },
    { "github.cache.softTtlSec", SETTING_NUMBER, "300", SETTING_ANYWHERE, NULL,
      "Up to this age, in seconds, it is shown without asking GitHub" },
    { "github.cache.hardTtlSec", SETTING_NUMBER, "604800", SETTING_ANYWHERE, NULL,
      "Up to this age it is shown when GitHub cannot be asked; then it goes" },
    { "github.backgroundAfterSec", SETTING_NUMBER, "60", SETTING_ANYWHERE, NULL,
      "Seconds after which a call goes on in the background, with async.enabled (0: never)" },
    { "github.watch.noRunsAfter", SETTING_NUMBER, "90", SETTING_ANYWHERE, NULL,
      "Seconds after which run_watch of a commit without runs ends (0: never)" },
    { "grep.contextBefore", SETTING_NUMBER, "1", SETTING_ANYWHERE, NULL,
      "Lines shown before a match" },
    { "grep.contextAfter", SETTING_NUMBER, "3", SETTING_ANYWHERE, NULL,
      "Lines shown after a match" },
    { "tools.intentTracing", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Ask the model for a short phrase of intent with each call" },
    { "tools.maxTimeout", SETTING_NUMBER, "0", SETTING_ANYWHERE, NULL,
      "Lowers the maximum timeout of every tool (seconds; 0: off)" },
    { "tools.discoveryMode", SETTING_ENUM, "\"off\"", SETTING_ANYWHERE, discovery_modes,
      "Tools that wait until search_tool_bm25 finds them: none, those of MCP servers and of "
      "hosts, or built-in ones that a task rarely needs, too. Those that --tools names never do" },
    { "tools.essentialOverride", SETTING_ARRAY, "[\"read\",\"bash\",\"edit\"]", SETTING_ANYWHERE,
      NULL, "Built-in tools that do not wait" },
    { "mcp.discoveryMode", SETTING_BOOLEAN, "false", SETTING_ANYWHERE, NULL,
      "The same as tools.discoveryMode: mcp-only" },
    { "tools.artifactSpillThreshold", SETTING_NUMBER, "50", SETTING_ANYWHERE, NULL,
      "Results over this many KiB go to an artifact" },
    { "tools.artifactTailBytes", SETTING_NUMBER, "20", SETTING_ANYWHERE, NULL,
      "KiB shown of a result that went to an artifact" },
    { "tools.artifactTailLines", SETTING_NUMBER, "500", SETTING_ANYWHERE, NULL,
      "Lines shown of a result that went to an artifact" },
    { "edit.mode", SETTING_ENUM, "\"hashline\"", SETTING_ANYWHERE, edit_modes,
      "How files are edited: lines by anchors that read and grep show, texts by others, patches" },
    { "edit.modelVariants", SETTING_RECORD, "{}", SETTING_ANYWHERE, NULL,
      "Mode of edit for models whose id holds a text; the longest text counts" },
    { "edit.fuzzyMatch", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Accept a place that differs only in white space, quotes, dashes and Unicode forms" },
    { "edit.fuzzyThreshold", SETTING_NUMBER, "0.95", SETTING_ANYWHERE, NULL,
      "No longer used: how far a match may differ is fixed" },
    { "edit.atomic", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "A patch for several files changes all of them or none" },
    { "edit.blockAutoGenerated", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Refuse to change generated files" },
    { "edit.hashlineAutoDropPureInsertDuplicates", SETTING_BOOLEAN, "false", SETTING_ANYWHERE, NULL,
      "Leave out lines of an insertion that repeat those around it" },
    { "readHashLines", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Show the anchors of lines that edit takes" },
    { "readLineNumbers", SETTING_BOOLEAN, "false", SETTING_ANYWHERE, NULL,
      "Number the lines that read shows" },
    { "read.defaultLimit", SETTING_NUMBER, "500", SETTING_ANYWHERE, NULL,
      "Lines shown when none were asked for" },
    { "read.summarize.enabled", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Show models long source files without the bodies of functions, where Universal Ctags is "
      "installed" },
    { "read.summarize.minBodyLines", SETTING_NUMBER, "4", SETTING_ANYWHERE, NULL,
      "Bodies with fewer lines stay in such a summary" },
    { "read.summarize.minTotalLines", SETTING_NUMBER, "200", SETTING_ANYWHERE, NULL,
      "Source files with fewer lines are shown whole" },
    { "bashInterceptor.enabled", SETTING_BOOLEAN, "false", SETTING_ANYWHERE, NULL,
      "Point shell commands to the tool that does the same" },
    { "bashInterceptor.patterns", SETTING_ARRAY, "null", SETTING_ANYWHERE, NULL,
      "Rules of the interceptor; unset: the built-in ones" },
    { "eval.py", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL, "Offer Python in the eval tool" },
    { "eval.js", SETTING_BOOLEAN, "true", SETTING_ANYWHERE, NULL,
      "Offer JavaScript (Node) in the eval tool" },
    { "python.kernelMode", SETTING_ENUM, "\"session\"", SETTING_ANYWHERE, kernel_modes,
      "Whether what cells of eval define lasts for the session or for one call" },
    { "shellPath", SETTING_STRING, "null", SETTING_USER_ONLY, NULL, "Shell of the bash tool" },
    { "ls.enabled", SETTING_BOOLEAN, "false", SETTING_ANYWHERE, NULL, "Offer the ls tool" },
    { "checkpoint.enabled", SETTING_BOOLEAN, "false", SETTING_ANYWHERE, NULL,
      "Offer checkpoint and rewind, which leave a report of an investigation" },
    { "inspect_image.enabled", SETTING_BOOLEAN, "false", SETTING_WITH_TRUST, NULL,
      "Offer inspect_image: the model of role vision answers questions about images, and read no "
      "longer shows them" },
    { "recipe.enabled", SETTING_BOOLEAN, "true", SETTING_MAY_TIGHTEN, NULL,
      "Offer the recipe tool where the project has tasks (just, package.json, cargo, make, task)" },
    { "calc.enabled", SETTING_BOOLEAN, "false", SETTING_ANYWHERE, NULL, "Offer the calc tool" },
    { "async.enabled", SETTING_BOOLEAN, "false", SETTING_ANYWHERE, NULL,
      "Offer commands in the background" },
    { "async.maxJobs", SETTING_NUMBER, "100", SETTING_ANYWHERE, NULL,
      "Most background jobs at once (1 to 100)" },
    { "async.pollWaitDuration", SETTING_ENUM, "\"30s\"", SETTING_ANYWHERE, poll_waits,
      "How long the job tool waits for a job to finish" },
    { "bash.autoBackground.enabled", SETTING_BOOLEAN, "false", SETTING_ANYWHERE, NULL,
      "Send commands that take long to the background" },
    { "bash.autoBackground.thresholdMs", SETTING_NUMBER, "60000", SETTING_ANYWHERE, NULL,
      "How long such a command is waited for, in milliseconds" },
    { "bash.virtualTerminal", SETTING_BOOLEAN, "false", SETTING_ANYWHERE, NULL,
      "Offer commands on a terminal of their own (`pty`), for programs that want one" },
    { "env.pass", SETTING_ARRAY, "[]", SETTING_USER_ONLY, NULL,
      "Variables that children get although they look like secrets" },
    { "env.inherit", SETTING_ENUM, "\"all\"", SETTING_MAY_TIGHTEN, inherit_modes,
      "Environment of commands: all but keys, or a list of harmless variables without tokens" },

    { "agentTools.taskDb", SETTING_STRING, "null", SETTING_USER_ONLY, NULL,
      "Store of the task queue: a path, sqlite:/path or postgres://…; unset: the agent-tools "
      "database" },

    { "gh.profile", SETTING_ENUM, "null", SETTING_MAY_TIGHTEN, gh_profiles,
      "Which gh tools are offered; unset: full for other programs, general in kedge's own "
      "sessions" },
    { "gh.executable", SETTING_STRING, "\"gh\"", SETTING_USER_ONLY, NULL,
      "The gh to run: a name on PATH, or an absolute path" },
    { "gh.minVersion", SETTING_STRING, "\"2.46.0\"", SETTING_MAY_TIGHTEN, NULL,
      "Oldest gh that the gh tools use" },
    { "gh.defaultHost", SETTING_STRING, "\"github.com\"", SETTING_USER_ONLY, NULL,
      "GitHub host when nothing names one" },
    { "gh.knownHosts", SETTING_ARRAY, "[]", SETTING_USER_ONLY, NULL,
      "Further hosts that calls may name" },
    { "gh.trustGhLogins", SETTING_BOOLEAN, "true", SETTING_USER_ONLY, NULL,
      "Hosts that gh is logged in to are known" },
    { "gh.sshAliases", SETTING_RECORD, "{}", SETTING_USER_ONLY, NULL,
      "Host of each SSH alias that remotes use" },
    { "gh.sshConfig", SETTING_BOOLEAN, "true", SETTING_USER_ONLY, NULL,
      "Look up other SSH aliases with ssh -G" },
    { "gh.policy", SETTING_RECORD, "{}", SETTING_MAY_TIGHTEN, NULL,
      "Action (auto, confirm, block) for each effect of GitHub calls" },
    { "gh.hostPolicy", SETTING_RECORD, "{}", SETTING_MAY_TIGHTEN, NULL,
      "The same for hosts and repositories, by pattern" },
    { "gh.maxBytes", SETTING_NUMBER, "65536", SETTING_USER_ONLY, NULL,
      "Bytes kept of what gh prints (4096 to 1048576)" },
    { "gh.maxBytesDiff", SETTING_NUMBER, "65536", SETTING_USER_ONLY, NULL, "The same for diffs" },
    { "gh.timeout", SETTING_NUMBER, "20", SETTING_USER_ONLY, NULL,
      "Seconds for an ordinary call of gh (1 to 120)" },
    { "gh.allowedRoots", SETTING_ARRAY, "[]", SETTING_USER_ONLY, NULL,
      "Directories besides home and workspace in which gh may run" },
    { "gh.remoteFsTypes", SETTING_ARRAY,
      "[\"fuse.sshfs\", \"fuse.rclone\", \"fuse.gvfsd-fuse\", \"fuse.curlftpfs\", \"fuse.s3fs\", "
      "\"davfs\", \"cifs\", \"smb3\", \"smbfs\", \"webdav\", \"afpfs\", \"osxfuse\", \"macfuse\"]",
      SETTING_USER_ONLY, NULL, "File systems that count as remote: gh does not run there" },
    { "gh.downloads.dir", SETTING_STRING, "null", SETTING_USER_ONLY, NULL,
      "Directory of artifacts and release files that are downloaded; unset: ~/.kedge/downloads" },
    { "gh.downloads.maxBytes", SETTING_NUMBER, "209715200", SETTING_USER_ONLY, NULL,
      "Most bytes of one of them" },
    { "gh.audit.enabled", SETTING_BOOLEAN, "true", SETTING_USER_ONLY, NULL,
      "Write one line for each GitHub call to the audit log" },
    { "gh.audit.keepDays", SETTING_NUMBER, "0", SETTING_USER_ONLY, NULL,
      "Days after which audit files are deleted (0: never)" },
};

const SettingKey *setting_keys_all(size_t *ret_count)
{
    *ret_count = G_N_ELEMENTS(keys);
    return keys;
}

const SettingKey *setting_key_find(const char *key)
{
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        if (strcmp(keys[i].key, key) == 0)
            return &keys[i];
    return NULL;
}

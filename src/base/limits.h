/*
 * Every maximum of a buffer that an outsider fills: a file, a child, a socket, a model, a client.
 * Values in bytes unless the name says otherwise.
 */
#pragma once

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

#define LIMIT_JSON_BYTES             (64 * MIB) // one JSON document from outside
#define LIMIT_JSON_DEPTH             128        // nesting (common §9)
#define LIMIT_CONFIG_FILE_BYTES      (1 * MIB)  // settings, models file
#define LIMIT_YAML_DEPTH             100        // task-engine §2.1
#define LIMIT_YAML_NODES             100000
#define LIMIT_PLAN_BYTES             (256 * KIB) // a plan that a person approves
#define LIMIT_RULE_FILE_BYTES        (64 * KIB)  // a rule that watches answers
#define LIMIT_RULE_FILES             200         // of a directory
#define LIMIT_SSH_HOSTS              256         // of ssh.json
#define LIMIT_SSH_TEXT_BYTES         (1 * KIB)   // one string of it, expanded
#define LIMIT_CONTEXT_FILE_BYTES     (512 * KIB) // AGENTS.md and the like
#define LIMIT_SESSION_FILE_BYTES     (1024 * MIB)
#define LIMIT_SESSION_LINE_BYTES     (64 * MIB)
#define LIMIT_IMPORT_BYTES           (256 * MIB) // session file of another program
#define LIMIT_PERSISTED_STRING_CHARS 500000      // agent-core §4.7

#define LIMIT_SECRETS       256       // values that are masked
#define LIMIT_SECRET_BYTES  (8 * KIB) // of one; a longer one is masked in pieces
#define LIMIT_API_KEY_BYTES (8 * KIB) // that a person stores

#define LIMIT_OPEN_LINE_BYTES (64 * KIB) // of text for the screen that a CR can still take back

#define LIMIT_HTTP_HEADER_BYTES (256 * KIB)
#define LIMIT_HTTP_ERROR_BYTES  (64 * KIB) // body of an answer that is an error
#define LIMIT_HTTP_BODY_BYTES   (64 * MIB)
#define LIMIT_SSE_EVENT_BYTES   (16 * MIB)
#define LIMIT_MODEL_TEXT_BYTES  (16 * MIB) // one assistant message, all blocks

#define LIMIT_ANSWER_CALLS      256       // of tools, that one answer makes; the rest is told no
#define LIMIT_MODEL_LIST_BYTES  (4 * MIB) // that a server says it has
#define LIMIT_MODEL_LIST_MODELS 1000

#define LIMIT_GH_OUTPUT_BYTES    (64 * MIB) // per stream (github-tool §0.3)
#define LIMIT_GH_LOG_BYTES       (16 * MIB) // of the failed steps of a run, of which a part is shown
#define LIMIT_GH_CACHE_BYTES     (128 * MIB) // of issues, pull requests and diffs that are kept
#define LIMIT_GH_CACHE_ROW_BYTES (16 * MIB)  // of one; a larger one is not kept
#define LIMIT_GIT_OUTPUT_BYTES   (16 * MIB)
#define LIMIT_GIT_INDEX_BYTES    (256 * MIB) // that kedge copies
#define LIMIT_GIT_CONFIG_BYTES   (1 * MIB)   // that kedge looks at itself
#define LIMIT_GH_PROCESSES       4           // at once in a process (common §6)

#define LIMIT_READER_MEMORY_BYTES ((guint64)2048 * MIB) // of a child that reads what others wrote
#define LIMIT_READER_FILE_BYTES   (64 * MIB)            // that such a child writes
#define LIMIT_TOOL_MEMORY_BYTES   ((guint64)4096 * MIB) // of git that looks, gh, ssh

#define LIMIT_TOOL_FILE_BYTES   (256 * MIB) // a file that edit opens
#define LIMIT_IGNORE_FILE_BYTES (1 * MIB)   // of rules in a .gitignore and the like
#define LIMIT_IGNORE_RULE_BYTES (4 * KIB)   // of one rule; a longer one says nothing
#define LIMIT_READ_AHEAD_BYTES  (256 * MIB) // looked at behind what read shows, to count lines
#define LIMIT_EVAL_ANSWER_BYTES                                                                    \
    (16 * MIB)                        // one line of a kernel: an image in it, a tool's arguments
#define LIMIT_EVAL_CALLS        1000  // of tools, that a cell has waiting
#define LIMIT_EVAL_ALL_CALLS    10000 // of tools, by one cell
#define LIMIT_EVAL_QUEUE_BYTES  (16 * MIB)  // that wait for a kernel to read
#define LIMIT_EVAL_IMAGES       20          // of one call
#define LIMIT_EVAL_VALUES       100         // shown as JSON, of one call; status events of a cell
#define LIMIT_EVAL_EVENT_BYTES  (4 * KIB)   // of one status event
#define LIMIT_EVAL_VALUE_BYTES  (4 * MIB)   // of values and events together
#define LIMIT_EVAL_LATE_BYTES   (16 * KIB)  // printed by code of earlier cells, of one cell
#define LIMIT_EVAL_VENV_BYTES   (64 * KIB)  // of a virtual environment's `activate`
#define LIMIT_ARTIFACT_BYTES    (256 * MIB) // of one artifact; a larger one keeps head and tail
#define LIMIT_SSH_COMMAND_BYTES (100 * KIB) // an argument of a program has 128 KiB at most
#define LIMIT_RECIPE_FILE_BYTES (256 * KIB) // of a Makefile, package.json and the like
#define LIMIT_RECIPE_LIST_BYTES (4 * MIB)   // of what a runner says that there is
#define LIMIT_RECIPE_TASKS      500         // of one runner
#define LIMIT_RECIPE_PACKAGES   100         // of a workspace
#define LIMIT_RECIPE_ENTRIES    2000        // of directories, that are looked at for them
#define LIMIT_LS_ENTRIES        100000      // of a directory, that ls sorts
#define LIMIT_URL_LIST_FILES    1000        // that local:// names
#define LIMIT_URL_JSON_BYTES    (64 * MIB)  // of an answer that agent:// takes a part of
#define LIMIT_URL_RULE_BYTES    (1 * MIB)
#define LIMIT_URL_BYTES         (16 * KIB) // of artifact://…, local://… and the like
#define LIMIT_ARGUMENT_BYTES    (16 * MIB) // arguments of one tool call
#define LIMIT_MCP_LINE_BYTES    (64 * MIB)
#define LIMIT_RPC_LINE_BYTES    (64 * MIB)
#define LIMIT_ACP_SESSIONS      100         // of one editor in one process
#define LIMIT_HOST_TOOLS        1000        // that a program brings
#define LIMIT_LINE_OUTPUT_BYTES (128 * MIB) // that a line channel's other side leaves unread
#define LIMIT_STDIN_BYTES       (64 * MIB)  // piped prompt
#define LIMIT_AT_TEXT_BYTES     (5 * MIB)   // @file (agent-core §1.4)
#define LIMIT_AT_IMAGE_BYTES    (25 * MIB)
#define LIMIT_IMAGE_FILE_BYTES  (20 * MIB) // that read shows and inspect_image sends
#define LIMIT_IMAGE_PIXELS      40000000   // that are decoded, 4 bytes each

// insides of files that read and write open
#define LIMIT_DOCUMENT_XML_BYTES     (128 * MIB) // of a document, unpacked
#define LIMIT_DOCUMENT_TEXT_BYTES    (16 * MIB)  // that is taken from it
#define LIMIT_DOCUMENT_SLIDES        10000
#define LIMIT_CONFLICT_SCAN_BYTES    (10 * MIB)   // of a file, for conflict markers
#define LIMIT_CONFLICT_BYTES         (64 * MIB)   // of all blocks that a conversation has numbered
#define LIMIT_SQLITE_ROW_BYTES       (64 * MIB)   // of a row, or a value, of a database to change
#define LIMIT_SQLITE_SHOWN_BYTES     (4 * MIB)    // the same of one to show: each step is short
#define LIMIT_SUMMARY_BYTES          (2 * MIB)    // of a source file without its bodies
#define LIMIT_SUMMARY_LINES          20000        // of it
#define LIMIT_SUMMARY_TAGS_BYTES     (2 * MIB)    // that ctags prints of it
#define LIMIT_ARCHIVE_BYTES          (512 * MIB)  // of the file
#define LIMIT_ARCHIVE_MEMBER_BYTES   (64 * MIB)   // one member, inflated
#define LIMIT_ARCHIVE_INFLATED_BYTES (2048 * MIB) // all that is looked at for one call
#define LIMIT_ARCHIVE_MEMBERS        200000
#define LIMIT_ARCHIVE_NAME_BYTES     (32 * MIB) // of all members

#define LIMIT_CALLBACK_REQUEST_BYTES (32 * KIB) // a browser may have cookies for every local port
#define LIMIT_CALLBACK_CONNECTIONS   8

#define LIMIT_MCP_BATCH_MESSAGES 50               // common §4.5
#define LIMIT_MCP_CALLS          64               // of one client at once
#define LIMIT_MCP_RUNNING        16               // of these
#define LIMIT_MCP_ANSWER_MS      (10 * 60 * 1000) // that a question waits for its answer

#define LIMIT_QUEUED_MESSAGES   1000  // steering or follow-ups that wait (agent-core §3.2)
#define LIMIT_SUBSCRIBER_EVENTS 10000 // of a conversation, that wait for a slow listener
#define LIMIT_WAITING_COMMANDS  100   // to a conversation that is busy
#define LIMIT_CHILD_RUNS        8     // of children of a conversation, at once
#define LIMIT_USER_COMMAND_MS   (24 * 60 * 60 * (int64_t)1000) // that a person's shell command runs
#define LIMIT_CONSOLE_BYTES     (1 * MIB)                      // of one command of kedge shell
#define LIMIT_QUESTION_MS       (24 * 60 * 60 * (int64_t)1000) // that a question waits for a person

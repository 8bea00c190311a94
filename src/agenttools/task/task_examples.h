/*
 * Records for the examples that --help and --schema show: task 7 at several points of its life.
 */
#pragma once

#define TASK_EXAMPLE(status, result, error, attempts, lease, started, finished, more)              \
    "{\"id\": 7, \"type\": \"check-annotations\", \"description\": \"Review open annotations\", "  \
    "\"status\": \"" status "\", \"payload\": {\"severity\": \"high\"}, "                          \
    "\"projectPath\": \"/srv/app\", \"result\": " result ", \"error\": " error ", "                \
    "\"createdAt\": \"2026-03-04T05:06:07.089Z\", \"updatedAt\": \"2026-03-04T05:20:00.000Z\", "   \
    "\"priority\": 5, \"runId\": null, \"dependsOn\": [], \"blockedBy\": [], "                     \
    "\"attempts\": " attempts ", \"maxAttempts\": 3, "                                             \
    "\"availableAt\": \"2026-03-04T05:06:07.089Z\", \"idempotencyKey\": null, "                    \
    "\"lease\": " lease ", \"startedAt\": " started ", \"finishedAt\": " finished more "}"

#define TASK_EXAMPLE_LEASE                                                                         \
    "{\"owner\": \"build-3:4711\", \"expiresAt\": \"2026-03-04T05:50:00.000Z\", "                  \
    "\"heartbeatAt\": \"2026-03-04T05:20:00.000Z\"}"
#define TASK_EXAMPLE_TIME "\"2026-03-04T05:20:00.000Z\""

/* `more` is "" or further members: ", \"created\": true". */
#define TASK_EXAMPLE_PENDING(more)                                                                 \
    TASK_EXAMPLE("pending", "null", "null", "0", "null", "null", "null", more)
#define TASK_EXAMPLE_HELD(more)                                                                    \
    TASK_EXAMPLE("in_progress", "null", "null", "1", TASK_EXAMPLE_LEASE, TASK_EXAMPLE_TIME,        \
                 "null", more)
#define TASK_EXAMPLE_COMPLETED                                                                     \
    TASK_EXAMPLE("completed", "{\"resolved\": 3}", "null", "1", "null", TASK_EXAMPLE_TIME,         \
                 TASK_EXAMPLE_TIME, "")
#define TASK_EXAMPLE_TRIED(more)                                                                   \
    TASK_EXAMPLE("pending", "null", "\"timeout talking to CI\"", "1", "null", "null", "null", more)
#define TASK_EXAMPLE_FAILED(more)                                                                  \
    TASK_EXAMPLE("failed", "null", "\"no such branch\"", "1", "null", TASK_EXAMPLE_TIME,           \
                 TASK_EXAMPLE_TIME, more)
#define TASK_EXAMPLE_CANCELLED                                                                     \
    TASK_EXAMPLE("cancelled", "null", "\"superseded\"", "0", "null", "null", TASK_EXAMPLE_TIME, "")

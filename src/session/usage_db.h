/*
 * What the answers in session files used: tokens, cost and time of every request, collected in an
 * SQLite file of its own (agent-core §1.8). It can be thrown away and is made again; only what was
 * used in sessions that have been deleted since is lost then.
 *
 * A request is counted once, by its entry's id and time: a fork has its origin's entries, too.
 */
#pragma once

#include "base/db.h"
#include "base/json.h"

/* A damaged file is replaced. */
bool usage_db_open(const char *path, Cancel *cancel, Db **ret_db, GError **error);

typedef struct UsageSync {
    int64_t new_requests;
    int64_t read_files; // that had something new
    int64_t all_files;
    int64_t unreadable_files;
} UsageSync;

/* Reads what is new below `sessions_root`: files that have grown from where they were read to,
   those that were replaced from their beginning. Complete lines only. */
bool usage_db_sync(Db *db, const char *sessions_root, Cancel *cancel, UsageSync *ret_sync,
                   GError **error);

/* {overall, byModel, byDay, byFolder, byDayAndModel}, of requests since `since_ms` (0: all). New
   reference. Days are those of the local time zone. */
bool usage_db_report(Db *db, int64_t since_ms, json_t **ret_report, GError **error);

/*
 * The tables of the queue in PostgreSQL: those of state.c under other names. Private to
 * task_postgres.c.
 */
#pragma once

#include "base/pg.h"

/* Makes or migrates the tables under an advisory lock, and sets up the connection. Errors of
   KEDGE_ERROR; INVALID_STATE (answer.h) for a newer schema. */
bool task_postgres_migrate(Pg *pg, Cancel *cancel, GError **error);

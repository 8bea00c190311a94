/*
 * Which repositories of GitHub a conversation has read (tool/repo_reads.h) is remembered by its
 * session, in custom entries "kedge.reads": {"repositories":["github.com/o/r"]}, which say nothing
 * to a model and which other readers pass over. What the entries on the way to the leaf say
 * together holds there.
 */
#pragma once

#include "session/session.h"
#include "tool/repo_reads.h"

/* As the way to the leaf has it, in place of what another session had read. */
void repo_record_restore(const Session *session, RepoReads *reads);
/* Notes behind the leaf what the way to it does not have. */
void repo_record_append(Session *session, RepoReads *reads);

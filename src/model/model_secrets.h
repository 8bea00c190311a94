/*
 * The keys of the models file (common §10.1): variables that it names leave the
 * environment, values that it holds are known. Before the first thread.
 */
#pragma once

/* A file that is missing or broken is no error here: the registry says what is wrong with it. */
void model_secrets_take(const char *agent_dir);
/* The same in a program that is not ours: the environment stays as it is. Any time. */
void model_secrets_learn(const char *agent_dir);

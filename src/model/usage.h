/*
 * Tokens of one answer and what they cost (agent-core §2.1). The buckets never overlap.
 */
#pragma once

#include "model/model.h"

typedef struct Usage {
    int64_t input; // uncached
    int64_t output;
    int64_t cache_read;
    int64_t cache_write;
    int64_t reasoning; // part of output; 0: unknown
    int64_t total;     // the provider's word; 0: the sum
} Usage;

/* {"input",…,"totalTokens","cost":{…}}. New reference. */
json_t *usage_to_json(const Usage *usage, const ModelCost *cost);

/* A token count from outside: what is missing, negative or absurd gives `fallback`. */
int64_t usage_count(const json_t *object, const char *key, int64_t fallback);

/*
 * Usage and cost as they stand in an assistant message.
 */
#include "model/usage.h"

#define USAGE_MAX_TOKENS ((int64_t)1000 * 1000 * 1000 * 1000) // keeps sums far from overflow

int64_t usage_count(const json_t *object, const char *key, int64_t fallback)
{
    int64_t count = json_get_int(object, key, -1);
    return count < 0 || count > USAGE_MAX_TOKENS ? fallback : count;
}

static double price(int64_t tokens, double per_million)
{
    return (double)tokens * per_million / 1e6;
}

static void set_price(json_t *object, const char *key, double value)
{
    // a whole 0 reads better than 0.0 and is what other writers of this format have
    json_object_set_new(object, key, value == 0 ? json_integer(0) : json_real(value));
}

json_t *usage_to_json(const Usage *usage, const ModelCost *cost)
{
    double input = price(usage->input, cost->input);
    double output = price(usage->output, cost->output);
    double cache_read = price(usage->cache_read, cost->cache_read);
    double cache_write = price(usage->cache_write, cost->cache_write);
    int64_t sum = usage->input + usage->output + usage->cache_read + usage->cache_write;

    json_t *costs = json_object();
    set_price(costs, "input", input);
    set_price(costs, "output", output);
    set_price(costs, "cacheRead", cache_read);
    set_price(costs, "cacheWrite", cache_write);
    set_price(costs, "total", input + output + cache_read + cache_write);

    json_t *self = json_make("input:%jd output:%jd cacheRead:%jd cacheWrite:%jd totalTokens:%jd",
                             usage->input, usage->output, usage->cache_read, usage->cache_write,
                             usage->total > 0 ? usage->total : sum);
    if (usage->reasoning > 0)
        json_set_int(self, "reasoningTokens", usage->reasoning);
    json_set_take(self, "cost", costs);
    return self;
}

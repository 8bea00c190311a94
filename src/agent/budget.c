/* See budget.h. */
#include "agent/budget.h"

#include "base/lock.h"

struct Budget {
    Budget *parent;
    int64_t max_turns;
    double max_cost;
    pthread_mutex_t lock; // guards the rest
    int64_t turns;
    double cost;
};

Budget *budget_new(Budget *parent, int64_t max_turns, double max_cost)
{
    Budget *self = g_new0(Budget, 1);
    self->parent = parent;
    self->max_turns = max_turns;
    self->max_cost = max_cost;
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

void budget_free(Budget *self)
{
    if (!self)
        return;
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

void budget_spend(Budget *self, double cost)
{
    for (Budget *one = self; one; one = one->parent) {
        HOLD_LOCK(&one->lock);
        one->cost += cost;
    }
}

void budget_count_turn(Budget *self)
{
    for (Budget *one = self; one; one = one->parent) {
        HOLD_LOCK(&one->lock);
        one->turns++;
    }
}

double budget_cost(Budget *self)
{
    HOLD_LOCK(&self->lock);
    return self->cost;
}

char *budget_stop_text(Budget *self)
{
    for (Budget *one = self; one; one = one->parent) {
        pthread_mutex_lock(&one->lock);
        int64_t turns = one->turns;
        double cost = one->cost;
        pthread_mutex_unlock(&one->lock);
        if (one->max_turns > 0 && turns >= one->max_turns)
            return g_strdup_printf("Stopped: %" G_GINT64_FORMAT " turns (--max-turns)", turns);
        if (one->max_cost > 0 && cost >= one->max_cost)
            return g_strdup_printf("Stopped: %.2f USD (--max-cost)", cost);
    }
    return NULL;
}

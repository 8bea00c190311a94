/*
 * Memory that the allocator keeps.
 */
#pragma once

/* Gives back to the system what was freed, after work that needed much for a short time. Takes
   milliseconds. Thread safe. */
void memory_give_back(void);

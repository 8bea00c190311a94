/*
 * Memory that the allocator keeps, or is to have at once.
 */
#pragma once

/* For a command that makes very many small values, and ends: threads that are started from now on
   begin with megabytes of address space. Otherwise each page that one adds is a system call, during
   which the other threads wait. Costs no memory before it is used. Thread safe. */
void memory_expect_much(void);

/* Gives back to the system what was freed, after work that needed much for a short time. Takes
   milliseconds. Thread safe. */
void memory_give_back(void);

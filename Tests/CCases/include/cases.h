/*
 * Declares the C test cases of the Fencepost header; each is a function that ends at its first failed check.
 * Swift Testing enumerates the cases (Tests/FencepostABITests/CCaseTests.swift) and reports one result per case.
 */
#ifndef FENCEPOST_CASES_H
#define FENCEPOST_CASES_H

#include <stddef.h>
#include <stdint.h>

/* Number of cases. */
size_t ccase_count(void);

/* The name has the form "area: subject"; it is NULL if there is no case with this index. */
const char *ccase_name(size_t index);

/*
 * Runs a case. Returns 1 if the case passed; otherwise returns 0 and writes file:line and the reason to the buffer.
 * Several cases may run at once on different threads.
 */
int ccase_run(size_t index, char *buffer, size_t capacity);

/* The number of functions whose address symbols.c takes, and their names. */
size_t ccase_symbol_count(void);
const char *ccase_symbol_name(size_t index);
/* Returns 1 if the function exists; a missing function makes linking fail. */
int ccase_symbol_exists(size_t index);

#endif

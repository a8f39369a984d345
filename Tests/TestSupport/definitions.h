/* Helpers for the tests in C that change the conditions of tables and monitors. */
#ifndef FENCEPOST_TEST_DEFINITIONS_H
#define FENCEPOST_TEST_DEFINITIONS_H

#include <fencepost.h>

/* A program that finds the functions at run time defines this macro before it includes this file. */
#ifndef LIBRARY
#define LIBRARY(name) name
#endif

/* Calls a function on a monitor's own table, as in ON_OWN(monitor, fencepost_conditions_sync, rows, 2, NULL, NULL). */
#define ON_OWN(monitor, function, ...)                                                      \
  __extension__({                                                                           \
    fencepost_conditions *own_ = NULL;                                                      \
    fencepost_status status_ = LIBRARY(fencepost_monitor_conditions)(monitor, &own_, NULL); \
    if (status_ == FENCEPOST_OK) status_ = function(own_, __VA_ARGS__);                     \
    LIBRARY(fencepost_conditions_destroy)(own_);                                            \
    status_;                                                                                \
  })

/* Copies the options of other definitions (or NULL) into a definition: edges, oriented, buffer and vertex limit from
   `reading`; policy, tag, assumed state, timing and band of altitudes from `options`. */
static inline fencepost_condition_definition with(fencepost_condition_definition made,
                                                  const fencepost_condition_definition *reading,
                                                  const fencepost_condition_definition *options) {
  if (reading != NULL) {
    made.edges = reading->edges;
    made.oriented = reading->oriented;
    made.buffer_m = reading->buffer_m;
    made.max_vertices = reading->max_vertices;
  }
  if (options != NULL) {
    made.policy = options->policy;
    made.tag = options->tag;
    made.assuming = options->assuming;
    made.timing = options->timing;
    made.altitude_min_m = options->altitude_min_m;
    made.altitude_max_m = options->altitude_max_m;
    made.altitude_min_reference = options->altitude_min_reference;
    made.altitude_max_reference = options->altitude_max_reference;
  }
  return made;
}

/* The common definition of a call with columns: its kind and options. */
#define COMMON(kind, reading, options) ((fencepost_condition_definition[]){common_of(kind, reading, options)})
static inline fencepost_condition_definition common_of(fencepost_condition_kind kind,
                                                       const fencepost_condition_definition *reading,
                                                       const fencepost_condition_definition *options) {
  fencepost_condition_definition made = FENCEPOST_CONDITION_DEFINITION_INIT;
  made.kind = kind;
  return with(made, reading, options);
}

/* Adds one condition to a table. */
static inline fencepost_status add_one(fencepost_conditions *table, fencepost_condition_definition definition,
                                       fencepost_error *error) {
  return LIBRARY(fencepost_conditions_add)(table, &definition, 1, error);
}

/* Ensures one condition of a table. `out_changed` receives 1 if the condition was added or replaced, else 0. */
static inline fencepost_status ensure_one(fencepost_conditions *table, fencepost_condition_definition definition,
                                          uint32_t *out_changed, fencepost_error *error) {
  fencepost_sync_result result;
  fencepost_status status = LIBRARY(fencepost_conditions_ensure)(table, &definition, 1, &result, error);
  if (status == FENCEPOST_OK && out_changed != NULL) *out_changed = result.added + result.replaced != 0;
  return status;
}

/* Removes one condition of a table. `out_removed` receives 1 if the condition existed, else 0. */
static inline fencepost_status remove_named(fencepost_conditions *table, const char *identifier, uint32_t *out_removed,
                                            fencepost_error *error) {
  size_t removed;
  fencepost_status status = LIBRARY(fencepost_conditions_remove)(table, &identifier, 1, &removed, error);
  if (status == FENCEPOST_OK && out_removed != NULL) *out_removed = removed != 0;
  return status;
}

/* Reads the record of the first condition that was added after a generation. `available` receives 0 at the end. The
   status is FENCEPOST_E_NOT_FOUND if another thread removes the condition in the meantime. */
static inline fencepost_status next_record(fencepost_monitor *monitor, uint64_t after, fencepost_record *record,
                                           uint32_t *available) {
  fencepost_condition_state next;
  size_t count = 0;
  fencepost_status status =
      LIBRARY(fencepost_monitor_list_conditions)(monitor, FENCEPOST_STATE_ANY, after, &next, 1, &count, NULL);
  *available = (uint32_t)count;
  if (status != FENCEPOST_OK || count == 0) return status;
  return LIBRARY(fencepost_monitor_record)(monitor, next.identifier, record, NULL);
}

/* Computes the signed distances of points, whose coordinates lie one after the other, to the boundary of a definition. */
static inline fencepost_status distances_to(fencepost_condition_definition definition, const double *latitudes,
                                            const double *longitudes, size_t count, double *out_distances_m,
                                            fencepost_error *error) {
  fencepost_point_columns columns = FENCEPOST_POINT_COLUMNS_INIT;
  columns.latitudes = latitudes;
  columns.longitudes = longitudes;
  return LIBRARY(fencepost_definition_distance)(&definition, &columns, count, out_distances_m, error);
}

#endif

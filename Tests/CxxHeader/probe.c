/*
 * Uses the header from C and from C++: it may be included twice, the macros initialise the structures, the functions
 * have C linkage. Tests/CxxHeader/run.sh compiles this file under every standard, but does not run it.
 */
#include <fencepost.h>
#include <fencepost.h>
#include <stddef.h>

#ifdef __cplusplus
#include <type_traits>

static_assert(std::is_same<decltype(&fencepost_version_string), const char *(*)(void)>::value, "C linkage, one type");
static_assert(std::is_trivial<fencepost_event>::value, "plain data");
static_assert(std::is_standard_layout<fencepost_record>::value, "plain data");
#endif

/* The layout of an event never changes: it is an element of arrays, and other languages declare it by hand. A size of -1
   does not compile. */
#define LAYOUT(member, offset) typedef char at_##member[offsetof(fencepost_event, member) == (offset) ? 1 : -1];
typedef char size_of_event[sizeof(fencepost_event) == 432 ? 1 : -1];
LAYOUT(sequence, 0)
LAYOUT(position, 8)
LAYOUT(device, 16)
LAYOUT(row, 24)
LAYOUT(generation, 32)
LAYOUT(tag, 40)
LAYOUT(date_us, 48)
LAYOUT(evidence_date_us, 56)
LAYOUT(latitude, 64)
LAYOUT(longitude, 72)
LAYOUT(accuracy_m, 80)
LAYOUT(boundary_distance_m, 88)
LAYOUT(state, 96)
LAYOUT(cause, 100)
LAYOUT(diagnostics, 104)
LAYOUT(flags, 108)
LAYOUT(beacon_uuid, 112)
LAYOUT(beacon_major, 128)
LAYOUT(beacon_minor, 130)
LAYOUT(identifier_length, 132)
LAYOUT(probability, 136)
LAYOUT(vertical_distance_m, 144)
LAYOUT(decided_by, 152)
LAYOUT(reserved, 160)
LAYOUT(identifier, 168)

fencepost_status probe(fencepost_monitor **monitor);

fencepost_status probe(fencepost_monitor **monitor) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  fencepost_options like_core_location = FENCEPOST_MONITOR_OPTIONS_CORE_LOCATION_INIT;
  fencepost_condition_definition condition = FENCEPOST_CONDITION_DEFINITION_INIT;
  fencepost_transition_policy standard = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  fencepost_transition_policy core_location = FENCEPOST_TRANSITION_POLICY_CORE_LOCATION_INIT;
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  fencepost_fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  options.delivery = like_core_location.delivery;
  standard.notify = exact.notify | core_location.notify;
  condition.policy = &standard;
  fencepost_status status = fencepost_monitor_create(NULL, &options, monitor, &error);
  if (status != FENCEPOST_OK) return status;
  status = fencepost_monitor_add_circular_condition(*monitor, "x", 0, 0, 1, &condition, &error);
  if (status == FENCEPOST_OK) status = fencepost_monitor_feed_columns(*monitor, &columns, 0, NULL, &error);
  if (status == FENCEPOST_OK) status = fencepost_monitor_statistics(*monitor, &statistics, NULL);
  if (status == FENCEPOST_OK) status = fencepost_monitor_explain(*monitor, "x", &explanation, NULL);
  return status;
}

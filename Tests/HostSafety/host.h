/* Declares the functions of the library, which are found at run time, and defines checks that end the program. */
#ifndef FENCEPOST_HOST_H
#define FENCEPOST_HOST_H

#include <fencepost.h>

/* Lists every function of the header. */
/* clang-format off */
#define FUNCTIONS(DO)                                                                                         \
  DO(fencepost_status_name) DO(fencepost_status_message) DO(fencepost_version_string)                         \
  DO(fencepost_state_name) DO(fencepost_cause_name) DO(fencepost_monitor_create)                              \
  DO(fencepost_monitor_destroy) DO(fencepost_monitor_fork) DO(fencepost_monitor_statistics)                   \
  DO(fencepost_monitor_checkpoint) DO(fencepost_monitor_close) DO(fencepost_monitor_snapshot)                 \
  DO(fencepost_monitor_restore) DO(fencepost_monitor_add_circular_condition)                                  \
  DO(fencepost_monitor_add_beacon_condition) DO(fencepost_monitor_record)        \
  DO(fencepost_monitor_list_conditions) DO(fencepost_monitor_explain) DO(fencepost_reason_name)               \
  DO(fencepost_monitor_feed_fix) DO(fencepost_monitor_feed_fixes) DO(fencepost_monitor_feed_sightings)        \
  DO(fencepost_monitor_set_beacon_scanning) DO(fencepost_monitor_set_host_capabilities)                       \
  DO(fencepost_monitor_advance) DO(fencepost_monitor_rewind) DO(fencepost_monitor_feed_columns)               \
  DO(fencepost_monitor_poll_event) DO(fencepost_monitor_poll_events) DO(fencepost_monitor_acknowledge)        \
  DO(fencepost_monitor_abandon) DO(fencepost_event_json) DO(fencepost_beacon_parse_advertisement)             \
  DO(fencepost_monitor_state) DO(fencepost_monitor_safe_distance) DO(fencepost_monitor_next_deadline)         \
  DO(fencepost_monitor_plan) DO(fencepost_definition_distance) DO(fencepost_significant_change_accept)        \
  DO(fencepost_best_fix) DO(fencepost_monitor_set_wakeup) DO(fencepost_conditions_create)                     \
  DO(fencepost_conditions_destroy) DO(fencepost_conditions_remove) DO(fencepost_conditions_sync)              \
  DO(fencepost_conditions_add) DO(fencepost_conditions_ensure) DO(fencepost_monitor_conditions)               \
  DO(fencepost_conditions_describe) DO(fencepost_conditions_geometry) DO(fencepost_conditions_identifiers)    \
  DO(fencepost_conditions_containing) DO(fencepost_conditions_containing_columns)                             \
  DO(fencepost_conditions_nearest) DO(fencepost_conditions_nearest_columns)                                   \
  DO(fencepost_conditions_nearest_boundary_point) DO(fencepost_conditions_identifiers_of_generations)         \
  DO(fencepost_conditions_version) DO(fencepost_conditions_snapshot) DO(fencepost_conditions_restore)         \
  DO(fencepost_fleet_create) DO(fencepost_fleet_destroy) DO(fencepost_fleet_checkpoint)                       \
  DO(fencepost_fleet_close) DO(fencepost_fleet_snapshot) DO(fencepost_fleet_restore)                          \
  DO(fencepost_fleet_conditions) DO(fencepost_fleet_statistics) DO(fencepost_fleet_device_statistics)         \
  DO(fencepost_fleet_enter_devices) DO(fencepost_fleet_device_identifier) DO(fencepost_fleet_list_devices)    \
  DO(fencepost_fleet_device_positions) DO(fencepost_fleet_remove_devices)                                     \
  DO(fencepost_fleet_set_arrival_time) DO(fencepost_fleet_safe_distance) DO(fencepost_fleet_plan)             \
  DO(fencepost_fleet_rewind) DO(fencepost_fleet_expire_devices) DO(fencepost_fleet_feed_fix)                  \
  DO(fencepost_fleet_feed_columns) DO(fencepost_fleet_feed_sightings)                                         \
  DO(fencepost_fleet_set_beacon_scanning) DO(fencepost_fleet_advance) DO(fencepost_fleet_next_deadline)       \
  DO(fencepost_fleet_poll_events) DO(fencepost_fleet_acknowledge) DO(fencepost_fleet_abandon)                 \
  DO(fencepost_fleet_set_wakeup) DO(fencepost_fleet_set_host_capabilities) DO(fencepost_fleet_state)          \
  DO(fencepost_fleet_list_conditions) DO(fencepost_fleet_list_devices_inside) DO(fencepost_fleet_explain)     \
  DO(fencepost_fleet_export_devices) DO(fencepost_fleet_import_devices) DO(fencepost_uuid_parse)              \
  DO(fencepost_geodesic_inverse) DO(fencepost_geodesic_direct) DO(fencepost_fleet_fork)                       \
  DO(fencepost_conditions_put_circles) DO(fencepost_conditions_put_beacons)                                   \
  DO(fencepost_conditions_put_geometries) DO(fencepost_conditions_put_wkb)                                    \
  DO(fencepost_conditions_probability)
/* clang-format on */

/* The pointers to the functions of the header, looked up in the library. */
extern struct host_api {
#define MEMBER(name) __typeof__(&name) name;
  FUNCTIONS(MEMBER)
#undef MEMBER
} api;
#define LIBRARY(name) api.name
#include "../TestSupport/definitions.h"

/* Ends the program if a condition does not hold. */
void require(const char *file, int line, int is_true);
#define OK(call) require(__FILE__, __LINE__, (call) == FENCEPOST_OK)
#define IS(condition) require(__FILE__, __LINE__, (condition))

/* Uses all functions of tables and fleets. */
void use_fleets(void);

/* Saves a fleet in a directory and opens it again. */
void use_stored_fleet(const char *directory);

#endif

/* Takes the address of every function that the header declares: an absent one fails the link. */
#include "check.h"
#include "include/cases.h"

typedef void (*any_function)(void);

static const struct {
  const char *name;
  any_function function;
} symbols[] = {
#define SYMBOL(name) {#name, (any_function)name}
    SYMBOL(fencepost_status_name),
    SYMBOL(fencepost_status_message),
    SYMBOL(fencepost_version_string),
    SYMBOL(fencepost_state_name),
    SYMBOL(fencepost_cause_name),
    SYMBOL(fencepost_monitor_create),
    SYMBOL(fencepost_monitor_destroy),
    SYMBOL(fencepost_monitor_fork),
    SYMBOL(fencepost_monitor_checkpoint),
    SYMBOL(fencepost_monitor_close),
    SYMBOL(fencepost_monitor_snapshot),
    SYMBOL(fencepost_monitor_restore),
    SYMBOL(fencepost_monitor_name),
    SYMBOL(fencepost_monitor_statistics),
    SYMBOL(fencepost_monitor_add_circular_condition),
    SYMBOL(fencepost_monitor_add_circular_conditions),
    SYMBOL(fencepost_monitor_add_beacon_condition),
    SYMBOL(fencepost_monitor_ensure_circular_condition),
    SYMBOL(fencepost_monitor_ensure_beacon_condition),
    SYMBOL(fencepost_monitor_add_polygon_condition),
    SYMBOL(fencepost_monitor_add_corridor_condition),
    SYMBOL(fencepost_monitor_add_wkb_condition),
    SYMBOL(fencepost_monitor_ensure_polygon_condition),
    SYMBOL(fencepost_monitor_ensure_corridor_condition),
    SYMBOL(fencepost_monitor_ensure_wkb_condition),
    SYMBOL(fencepost_monitor_remove_condition),
    SYMBOL(fencepost_monitor_ensure_circular_conditions),
    SYMBOL(fencepost_monitor_add_polygon_conditions),
    SYMBOL(fencepost_monitor_add_corridor_conditions),
    SYMBOL(fencepost_monitor_add_wkb_conditions),
    SYMBOL(fencepost_monitor_ensure_polygon_conditions),
    SYMBOL(fencepost_monitor_ensure_corridor_conditions),
    SYMBOL(fencepost_monitor_ensure_wkb_conditions),
    SYMBOL(fencepost_monitor_sync_conditions),
    SYMBOL(fencepost_monitor_remove_conditions),
    SYMBOL(fencepost_monitor_identifiers_in_state),
    SYMBOL(fencepost_monitor_rewind),
    SYMBOL(fencepost_monitor_condition),
    SYMBOL(fencepost_monitor_condition_geometry),
    SYMBOL(fencepost_monitor_condition_shape),
    SYMBOL(fencepost_monitor_nearest_boundary_point),
    SYMBOL(fencepost_monitor_record),
    SYMBOL(fencepost_monitor_next_record),
    SYMBOL(fencepost_monitor_identifiers),
    SYMBOL(fencepost_monitor_explain),
    SYMBOL(fencepost_reason_name),
    SYMBOL(fencepost_monitor_feed_fix),
    SYMBOL(fencepost_monitor_feed_fixes),
    SYMBOL(fencepost_monitor_feed_columns),
    SYMBOL(fencepost_monitor_feed_sightings),
    SYMBOL(fencepost_monitor_set_beacon_scanning),
    SYMBOL(fencepost_monitor_set_host_capabilities),
    SYMBOL(fencepost_monitor_advance),
    SYMBOL(fencepost_monitor_poll_event),
    SYMBOL(fencepost_monitor_poll_events),
    SYMBOL(fencepost_monitor_acknowledge),
    SYMBOL(fencepost_monitor_set_wakeup),
    SYMBOL(fencepost_monitor_abandon),
    SYMBOL(fencepost_event_json),
    SYMBOL(fencepost_beacon_parse_advertisement),
    SYMBOL(fencepost_monitor_state),
    SYMBOL(fencepost_monitor_safe_distance),
    SYMBOL(fencepost_monitor_next_deadline),
    SYMBOL(fencepost_monitor_plan),
    SYMBOL(fencepost_circle_contains),
    SYMBOL(fencepost_polygon_contains),
    SYMBOL(fencepost_polygon_distance),
    SYMBOL(fencepost_corridor_distance),
    SYMBOL(fencepost_significant_change_accept),
    SYMBOL(fencepost_best_fix),
    SYMBOL(fencepost_uuid_parse),
    SYMBOL(fencepost_geodesic_inverse),
    SYMBOL(fencepost_geodesic_direct),
};

size_t ccase_symbol_count(void) { return sizeof(symbols) / sizeof(symbols[0]); }

const char *ccase_symbol_name(size_t index) { return index < ccase_symbol_count() ? symbols[index].name : NULL; }

int ccase_symbol_exists(size_t index) { return index < ccase_symbol_count() && symbols[index].function != NULL; }

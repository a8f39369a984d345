/*
 * The binary contract: size and offset of every member, value of every enumerator. A program built against an older
 * header rests on these numbers; a line here changes only with a new major version.
 */
#include "check.h"

#if INTPTR_MAX != INT64_MAX
#error "the numbers below are those of 64-bit platforms"
#endif

#define SIZE(type, size) _Static_assert(sizeof(type) == (size), "size of " #type)
#define OFFSET(type, member, offset) _Static_assert(offsetof(type, member) == (offset), "offset of " #type "." #member)
#define VALUE(name, value) _Static_assert((name) == (value), "value of " #name)

SIZE(fencepost_error, 272);
OFFSET(fencepost_error, struct_size, 0);
OFFSET(fencepost_error, status, 4);
OFFSET(fencepost_error, position, 8);
OFFSET(fencepost_error, message, 16);

SIZE(fencepost_fix, 32);
OFFSET(fencepost_fix, latitude, 0);
OFFSET(fencepost_fix, longitude, 8);
OFFSET(fencepost_fix, accuracy_m, 16);
OFFSET(fencepost_fix, time_us, 24);

SIZE(fencepost_fix_columns, 72);
OFFSET(fencepost_fix_columns, struct_size, 0);
OFFSET(fencepost_fix_columns, refuse_invalid, 4);
OFFSET(fencepost_fix_columns, latitudes, 8);
OFFSET(fencepost_fix_columns, longitudes, 16);
OFFSET(fencepost_fix_columns, accuracies_m, 24);
OFFSET(fencepost_fix_columns, times_us, 32);
OFFSET(fencepost_fix_columns, latitude_stride, 40);
OFFSET(fencepost_fix_columns, longitude_stride, 48);
OFFSET(fencepost_fix_columns, accuracy_stride, 56);
OFFSET(fencepost_fix_columns, time_stride, 64);

SIZE(fencepost_beacon_sighting, 24);
OFFSET(fencepost_beacon_sighting, uuid, 0);
OFFSET(fencepost_beacon_sighting, major, 16);
OFFSET(fencepost_beacon_sighting, minor, 18);
OFFSET(fencepost_beacon_sighting, rssi_dbm, 20);

SIZE(fencepost_plan_options, 24);
OFFSET(fencepost_plan_options, struct_size, 0);
OFFSET(fencepost_plan_options, slots, 4);
OFFSET(fencepost_plan_options, margin_m, 8);
OFFSET(fencepost_plan_options, maximum_radius_m, 16);

SIZE(fencepost_armed_condition, 328);
OFFSET(fencepost_armed_condition, generation, 0);
OFFSET(fencepost_armed_condition, tag, 8);
OFFSET(fencepost_armed_condition, latitude, 16);
OFFSET(fencepost_armed_condition, longitude, 24);
OFFSET(fencepost_armed_condition, radius_m, 32);
OFFSET(fencepost_armed_condition, slack_m, 40);
OFFSET(fencepost_armed_condition, is_inside, 48);
OFFSET(fencepost_armed_condition, is_new, 52);
OFFSET(fencepost_armed_condition, reserved, 56);
OFFSET(fencepost_armed_condition, identifier_length, 60);
OFFSET(fencepost_armed_condition, identifier, 64);

SIZE(fencepost_plan, 40);
OFFSET(fencepost_plan, struct_size, 0);
OFFSET(fencepost_plan, follow, 4);
OFFSET(fencepost_plan, has_wake_up, 8);
OFFSET(fencepost_plan, reserved, 12);
OFFSET(fencepost_plan, wake_up_latitude, 16);
OFFSET(fencepost_plan, wake_up_longitude, 24);
OFFSET(fencepost_plan, wake_up_radius_m, 32);

SIZE(fencepost_significant_change_filter, 56);
OFFSET(fencepost_significant_change_filter, struct_size, 0);
OFFSET(fencepost_significant_change_filter, has_last, 4);
OFFSET(fencepost_significant_change_filter, minimum_distance_m, 8);
OFFSET(fencepost_significant_change_filter, minimum_interval_us, 16);
OFFSET(fencepost_significant_change_filter, last, 24);

SIZE(fencepost_fix_selection, 24);
OFFSET(fencepost_fix_selection, struct_size, 0);
OFFSET(fencepost_fix_selection, reserved, 4);
OFFSET(fencepost_fix_selection, speed_m_per_s, 8);
OFFSET(fencepost_fix_selection, maximum_age_us, 16);

SIZE(fencepost_transition_policy, 64);
OFFSET(fencepost_transition_policy, struct_size, 0);
OFFSET(fencepost_transition_policy, dwell_policy, 4);
OFFSET(fencepost_transition_policy, entry_dwell_us, 8);
OFFSET(fencepost_transition_policy, exit_dwell_us, 16);
OFFSET(fencepost_transition_policy, entry_margin_m, 24);
OFFSET(fencepost_transition_policy, exit_margin_m, 32);
OFFSET(fencepost_transition_policy, exit_margin_limit_m, 40);
OFFSET(fencepost_transition_policy, accuracy_factor, 48);
OFFSET(fencepost_transition_policy, notify, 56);
OFFSET(fencepost_transition_policy, reserved, 60);

SIZE(fencepost_condition_options, 24);
OFFSET(fencepost_condition_options, struct_size, 0);
OFFSET(fencepost_condition_options, assuming, 4);
OFFSET(fencepost_condition_options, policy, 8);
OFFSET(fencepost_condition_options, tag, 16);

SIZE(fencepost_monitor_options, 72);
OFFSET(fencepost_monitor_options, struct_size, 0);
OFFSET(fencepost_monitor_options, delivery, 4);
OFFSET(fencepost_monitor_options, condition_limit, 8);
OFFSET(fencepost_monitor_options, max_pending_events, 16);
OFFSET(fencepost_monitor_options, initial_fix_max_age_us, 24);
OFFSET(fencepost_monitor_options, beacon_exit_timeout_us, 32);
OFFSET(fencepost_monitor_options, beacon_initial_timeout_us, 40);
OFFSET(fencepost_monitor_options, store_directory, 48);
OFFSET(fencepost_monitor_options, durability, 56);
OFFSET(fencepost_monitor_options, reserved, 60);
OFFSET(fencepost_monitor_options, checkpoint_interval_us, 64);

SIZE(fencepost_event, 376);
OFFSET(fencepost_event, sequence, 0);
OFFSET(fencepost_event, generation, 8);
OFFSET(fencepost_event, tag, 16);
OFFSET(fencepost_event, date_us, 24);
OFFSET(fencepost_event, evidence_date_us, 32);
OFFSET(fencepost_event, latitude, 40);
OFFSET(fencepost_event, longitude, 48);
OFFSET(fencepost_event, accuracy_m, 56);
OFFSET(fencepost_event, boundary_distance_m, 64);
OFFSET(fencepost_event, state, 72);
OFFSET(fencepost_event, cause, 76);
OFFSET(fencepost_event, diagnostics, 80);
OFFSET(fencepost_event, has_refinement, 84);
OFFSET(fencepost_event, refinement_uuid, 88);
OFFSET(fencepost_event, refinement_major, 104);
OFFSET(fencepost_event, refinement_minor, 106);
OFFSET(fencepost_event, identifier_length, 108);
OFFSET(fencepost_event, identifier, 112);

SIZE(fencepost_condition, 400);
OFFSET(fencepost_condition, kind, 0);
OFFSET(fencepost_condition, major, 4);
OFFSET(fencepost_condition, minor, 8);
OFFSET(fencepost_condition, identifier_length, 12);
OFFSET(fencepost_condition, generation, 16);
OFFSET(fencepost_condition, tag, 24);
OFFSET(fencepost_condition, latitude, 32);
OFFSET(fencepost_condition, longitude, 40);
OFFSET(fencepost_condition, radius_m, 48);
OFFSET(fencepost_condition, uuid, 56);
OFFSET(fencepost_condition, policy, 72);
OFFSET(fencepost_condition, identifier, 136);

SIZE(fencepost_record, 776);
OFFSET(fencepost_record, condition, 0);
OFFSET(fencepost_record, last_event, 400);

SIZE(fencepost_feed_result, 24);
OFFSET(fencepost_feed_result, accepted, 0);
OFFSET(fencepost_feed_result, invalid, 8);
OFFSET(fencepost_feed_result, late, 16);

SIZE(fencepost_statistics, 80);
OFFSET(fencepost_statistics, struct_size, 0);
OFFSET(fencepost_statistics, reserved, 4);
OFFSET(fencepost_statistics, clock_us, 8);
OFFSET(fencepost_statistics, input_count, 16);
OFFSET(fencepost_statistics, accepted_fixes, 24);
OFFSET(fencepost_statistics, invalid_fixes, 32);
OFFSET(fencepost_statistics, late_inputs, 40);
OFFSET(fencepost_statistics, accepted_sightings, 48);
OFFSET(fencepost_statistics, pending_events, 56);
OFFSET(fencepost_statistics, handed_out_events, 64);
OFFSET(fencepost_statistics, condition_count, 72);

SIZE(fencepost_explanation, 96);
OFFSET(fencepost_explanation, struct_size, 0);
OFFSET(fencepost_explanation, reason, 4);
OFFSET(fencepost_explanation, observed, 8);
OFFSET(fencepost_explanation, diagnostics, 12);
OFFSET(fencepost_explanation, boundary_distance_m, 16);
OFFSET(fencepost_explanation, accuracy_m, 24);
OFFSET(fencepost_explanation, entry_margin_m, 32);
OFFSET(fencepost_explanation, exit_margin_m, 40);
OFFSET(fencepost_explanation, candidate_start_us, 48);
OFFSET(fencepost_explanation, deadline_us, 56);
OFFSET(fencepost_explanation, last_sighting_us, 64);
OFFSET(fencepost_explanation, metres_to_decide, 72);
OFFSET(fencepost_explanation, seconds_to_decide, 80);
OFFSET(fencepost_explanation, accuracy_needed_m, 88);

VALUE(FENCEPOST_OK, 0);
VALUE(FENCEPOST_E_NULL_ARGUMENT, 1);
VALUE(FENCEPOST_E_INVALID_ARGUMENT, 2);
VALUE(FENCEPOST_E_BUFFER_TOO_SMALL, 3);
VALUE(FENCEPOST_E_UNSUPPORTED, 4);
VALUE(FENCEPOST_E_INVALID_NAME, 20);
VALUE(FENCEPOST_E_MONITOR_IN_USE, 21);
VALUE(FENCEPOST_E_CONSUMER_ALREADY_ACTIVE, 22);
VALUE(FENCEPOST_E_NOT_FOUND, 40);
VALUE(FENCEPOST_E_LATE_INPUT, 60);
VALUE(FENCEPOST_E_QUEUE_FULL, 61);
VALUE(FENCEPOST_E_INTERNAL, 120);
VALUE(FENCEPOST_STATE_UNKNOWN, 0);
VALUE(FENCEPOST_STATE_SATISFIED, 1);
VALUE(FENCEPOST_STATE_UNSATISFIED, 2);
VALUE(FENCEPOST_STATE_UNMONITORED, 3);
VALUE(FENCEPOST_CAUSE_NONE, 0);
VALUE(FENCEPOST_CAUSE_DETERMINATION, 1);
VALUE(FENCEPOST_CAUSE_CROSSING, 2);
VALUE(FENCEPOST_CAUSE_TIMEOUT, 3);
VALUE(FENCEPOST_CAUSE_DIAGNOSTIC, 4);
VALUE(FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED, 1);
VALUE(FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED_GLOBALLY, 2);
VALUE(FENCEPOST_DIAGNOSTIC_AUTHORIZATION_RESTRICTED, 4);
VALUE(FENCEPOST_DIAGNOSTIC_INSUFFICIENTLY_IN_USE, 8);
VALUE(FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED, 16);
VALUE(FENCEPOST_DIAGNOSTIC_CONDITION_UNSUPPORTED, 32);
VALUE(FENCEPOST_DIAGNOSTIC_CONDITION_LIMIT_EXCEEDED, 64);
VALUE(FENCEPOST_DIAGNOSTIC_PERSISTENCE_UNAVAILABLE, 128);
VALUE(FENCEPOST_DIAGNOSTIC_SERVICE_SESSION_REQUIRED, 256);
VALUE(FENCEPOST_DIAGNOSTIC_AUTHORIZATION_REQUEST_IN_PROGRESS, 512);
VALUE(FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC, 1);
VALUE(FENCEPOST_CONDITION_BEACON_IDENTITY, 2);
VALUE(FENCEPOST_DWELL_TIMER, 0);
VALUE(FENCEPOST_DWELL_EVIDENCE, 1);
VALUE(FENCEPOST_NOTIFY_INITIAL, 1);
VALUE(FENCEPOST_NOTIFY_ENTRY, 2);
VALUE(FENCEPOST_NOTIFY_EXIT, 4);
VALUE(FENCEPOST_NOTIFY_ALL, 7);
VALUE(FENCEPOST_DELIVERY_EVERY, 0);
VALUE(FENCEPOST_DELIVERY_FIRST, 1);
VALUE(FENCEPOST_DELIVERY_LATEST, 2);
VALUE(FENCEPOST_REASON_UNMONITORED, 1);
VALUE(FENCEPOST_REASON_SUSPENDED, 2);
VALUE(FENCEPOST_REASON_SCANNER_OFF, 3);
VALUE(FENCEPOST_REASON_NO_FIX_YET, 4);
VALUE(FENCEPOST_REASON_TOO_COARSE, 5);
VALUE(FENCEPOST_REASON_DWELLING, 6);
VALUE(FENCEPOST_REASON_WITHIN_MARGIN, 7);
VALUE(FENCEPOST_REASON_INSIDE, 8);
VALUE(FENCEPOST_REASON_OUTSIDE, 9);
VALUE(FENCEPOST_REASON_NOT_SEEN_YET, 10);
VALUE(FENCEPOST_REASON_SEEN, 11);
VALUE(FENCEPOST_REASON_ABSENT, 12);

VALUE(FENCEPOST_TIME_UNSET, INT64_MIN);
VALUE(FENCEPOST_TIME_MIN, INT64_C(-62135596800000000));
VALUE(FENCEPOST_TIME_MAX, INT64_C(253402300799999999));
VALUE(FENCEPOST_IDENTIFIER_MAX, 256);
VALUE(sizeof(fencepost_status), 4);
VALUE(sizeof(fencepost_state), 4);
VALUE(sizeof(fencepost_cause), 4);
VALUE(sizeof(fencepost_reason), 4);
VALUE(sizeof(fencepost_delivery), 4);
VALUE(sizeof(fencepost_dwell_policy), 4);
VALUE(sizeof(fencepost_condition_kind), 4);

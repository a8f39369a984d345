/*
 * Uses everything that the header of version 0.1 declares: every function with its type, every member of every
 * structure with its type, every constant with its value. This file must stay unchanged, and it must compile, with all
 * warnings as errors, against every later header that promises to accept such programs.
 */
#include <fencepost.h>

/* Functions. */
const char *(*const use_status_name)(fencepost_status) = fencepost_status_name;
const char *(*const use_status_message)(fencepost_status) = fencepost_status_message;
const char *(*const use_version_string)(void) = fencepost_version_string;
fencepost_status (*const use_monitor_create)(const char *, const fencepost_monitor_options *, fencepost_monitor **,
                                             fencepost_error *) = fencepost_monitor_create;
void (*const use_monitor_destroy)(fencepost_monitor *) = fencepost_monitor_destroy;
fencepost_status (*const use_monitor_fork)(fencepost_monitor *, fencepost_monitor **,
                                           fencepost_error *) = fencepost_monitor_fork;
fencepost_status (*const use_monitor_name)(fencepost_monitor *, char *, size_t, size_t *,
                                           fencepost_error *) = fencepost_monitor_name;
fencepost_status (*const use_monitor_statistics)(fencepost_monitor *, fencepost_statistics *,
                                                 fencepost_error *) = fencepost_monitor_statistics;
fencepost_status (*const use_monitor_checkpoint)(fencepost_monitor *, fencepost_error *) = fencepost_monitor_checkpoint;
fencepost_status (*const use_monitor_close)(fencepost_monitor *, fencepost_error *) = fencepost_monitor_close;
fencepost_status (*const use_monitor_snapshot)(fencepost_monitor *, void *, size_t, size_t *,
                                               fencepost_error *) = fencepost_monitor_snapshot;
fencepost_status (*const use_monitor_restore)(const void *, size_t, fencepost_monitor **,
                                              fencepost_error *) = fencepost_monitor_restore;
fencepost_status (*const use_monitor_add_circular_condition)(fencepost_monitor *, const char *, double, double, double,
                                                             const fencepost_condition_options *, fencepost_error *) =
    fencepost_monitor_add_circular_condition;
fencepost_status (*const use_monitor_add_circular_conditions)(
    fencepost_monitor *, const char *const *, const double *, const double *, const double *, const uint64_t *, size_t,
    const fencepost_condition_options *, fencepost_error *) = fencepost_monitor_add_circular_conditions;
fencepost_status (*const use_monitor_add_beacon_condition)(fencepost_monitor *, const char *, const uint8_t *, int32_t,
                                                           int32_t, const fencepost_condition_options *,
                                                           fencepost_error *) = fencepost_monitor_add_beacon_condition;
fencepost_status (*const use_monitor_ensure_circular_condition)(
    fencepost_monitor *, const char *, double, double, double, const fencepost_condition_options *, uint32_t *,
    fencepost_error *) = fencepost_monitor_ensure_circular_condition;
fencepost_status (*const use_monitor_ensure_beacon_condition)(
    fencepost_monitor *, const char *, const uint8_t *, int32_t, int32_t, const fencepost_condition_options *,
    uint32_t *, fencepost_error *) = fencepost_monitor_ensure_beacon_condition;
fencepost_status (*const use_monitor_remove_condition)(fencepost_monitor *, const char *, uint32_t *,
                                                       fencepost_error *) = fencepost_monitor_remove_condition;
fencepost_status (*const use_monitor_condition)(fencepost_monitor *, const char *, fencepost_condition *,
                                                fencepost_error *) = fencepost_monitor_condition;
fencepost_status (*const use_monitor_record)(fencepost_monitor *, const char *, fencepost_record *,
                                             fencepost_error *) = fencepost_monitor_record;
fencepost_status (*const use_monitor_next_record)(fencepost_monitor *, uint64_t, fencepost_record *, uint32_t *,
                                                  fencepost_error *) = fencepost_monitor_next_record;
fencepost_status (*const use_monitor_identifiers)(fencepost_monitor *, char *, size_t, size_t *, size_t *,
                                                  fencepost_error *) = fencepost_monitor_identifiers;
fencepost_status (*const use_monitor_explain)(fencepost_monitor *, const char *, fencepost_explanation *,
                                              fencepost_error *) = fencepost_monitor_explain;
const char *(*const use_reason_name)(fencepost_reason) = fencepost_reason_name;
fencepost_status (*const use_monitor_feed_fix)(fencepost_monitor *, const fencepost_fix *,
                                               fencepost_error *) = fencepost_monitor_feed_fix;
fencepost_status (*const use_monitor_feed_fixes)(fencepost_monitor *, const fencepost_fix *, size_t,
                                                 fencepost_feed_result *,
                                                 fencepost_error *) = fencepost_monitor_feed_fixes;
fencepost_status (*const use_monitor_feed_sightings)(fencepost_monitor *, const fencepost_beacon_sighting *, size_t,
                                                     int64_t, fencepost_error *) = fencepost_monitor_feed_sightings;
fencepost_status (*const use_monitor_set_beacon_scanning)(fencepost_monitor *, uint32_t, int64_t,
                                                          fencepost_error *) = fencepost_monitor_set_beacon_scanning;
fencepost_status (*const use_monitor_set_host_capabilities)(
    fencepost_monitor *, uint32_t, uint32_t, int64_t, fencepost_error *) = fencepost_monitor_set_host_capabilities;
fencepost_status (*const use_monitor_advance)(fencepost_monitor *, int64_t,
                                              fencepost_error *) = fencepost_monitor_advance;
fencepost_status (*const use_monitor_feed_columns)(fencepost_monitor *, const fencepost_fix_columns *, size_t,
                                                   fencepost_feed_result *,
                                                   fencepost_error *) = fencepost_monitor_feed_columns;
fencepost_status (*const use_monitor_poll_event)(fencepost_monitor *, fencepost_event *, uint32_t *,
                                                 fencepost_error *) = fencepost_monitor_poll_event;
fencepost_status (*const use_monitor_poll_events)(fencepost_monitor *, fencepost_event *, size_t, size_t *,
                                                  fencepost_error *) = fencepost_monitor_poll_events;
fencepost_status (*const use_monitor_acknowledge)(fencepost_monitor *,
                                                  fencepost_error *) = fencepost_monitor_acknowledge;
fencepost_status (*const use_event_json)(const fencepost_event *, char *, size_t, size_t *,
                                         fencepost_error *) = fencepost_event_json;
fencepost_status (*const use_beacon_parse_advertisement)(const uint8_t *, size_t, int32_t, int32_t,
                                                         fencepost_beacon_advertisement *,
                                                         fencepost_error *) = fencepost_beacon_parse_advertisement;
fencepost_status (*const use_monitor_state)(fencepost_monitor *, const char *, fencepost_state *,
                                            fencepost_error *) = fencepost_monitor_state;
fencepost_status (*const use_monitor_safe_distance)(fencepost_monitor *, double, double, double *,
                                                    fencepost_error *) = fencepost_monitor_safe_distance;
fencepost_status (*const use_monitor_next_deadline)(fencepost_monitor *, int64_t *,
                                                    fencepost_error *) = fencepost_monitor_next_deadline;
fencepost_status (*const use_monitor_plan)(fencepost_monitor *, double, double, double, const fencepost_plan_options *,
                                           const uint64_t *, size_t, uint32_t *, fencepost_armed_condition *, size_t,
                                           size_t *, fencepost_plan *, fencepost_error *) = fencepost_monitor_plan;
fencepost_status (*const use_circle_contains)(double, double, double, double, double, uint32_t *,
                                              fencepost_error *) = fencepost_circle_contains;
fencepost_status (*const use_significant_change_accept)(fencepost_significant_change_filter *, const fencepost_fix *,
                                                        uint32_t *,
                                                        fencepost_error *) = fencepost_significant_change_accept;
fencepost_status (*const use_best_fix)(const fencepost_fix *, size_t, int64_t, const fencepost_fix_selection *,
                                       size_t *, uint32_t *, fencepost_error *) = fencepost_best_fix;
fencepost_status (*const use_monitor_set_wakeup)(fencepost_monitor *, fencepost_wakeup, void *,
                                                 fencepost_error *) = fencepost_monitor_set_wakeup;
fencepost_status (*const use_monitor_abandon)(fencepost_monitor *, fencepost_error *) = fencepost_monitor_abandon;
fencepost_status (*const use_uuid_parse)(const char *, uint8_t *, fencepost_error *) = fencepost_uuid_parse;
fencepost_status (*const use_geodesic_inverse)(double, double, double, double, double *, double *, double *,
                                               fencepost_error *) = fencepost_geodesic_inverse;
fencepost_status (*const use_geodesic_direct)(double, double, double, double, double *, double *, double *,
                                              fencepost_error *) = fencepost_geodesic_direct;

/* Members. */
void use_members_of_error(fencepost_error *of);
void use_members_of_error(fencepost_error *of) {
  uint32_t *struct_size = &of->struct_size;
  fencepost_status *status = &of->status;
  uint64_t *position = &of->position;
  char (*message)[256] = &of->message;
  (void)struct_size;
  (void)status;
  (void)position;
  (void)message;
}
void use_members_of_fix(fencepost_fix *of);
void use_members_of_fix(fencepost_fix *of) {
  double *latitude = &of->latitude;
  double *longitude = &of->longitude;
  double *accuracy_m = &of->accuracy_m;
  int64_t *time_us = &of->time_us;
  (void)latitude;
  (void)longitude;
  (void)accuracy_m;
  (void)time_us;
}
void use_members_of_beacon_sighting(fencepost_beacon_sighting *of);
void use_members_of_beacon_sighting(fencepost_beacon_sighting *of) {
  uint8_t (*uuid)[16] = &of->uuid;
  uint16_t *major = &of->major;
  uint16_t *minor = &of->minor;
  int32_t *rssi_dbm = &of->rssi_dbm;
  (void)uuid;
  (void)major;
  (void)minor;
  (void)rssi_dbm;
}
void use_members_of_transition_policy(fencepost_transition_policy *of);
void use_members_of_transition_policy(fencepost_transition_policy *of) {
  uint32_t *struct_size = &of->struct_size;
  fencepost_dwell_policy *dwell_policy = &of->dwell_policy;
  int64_t *entry_dwell_us = &of->entry_dwell_us;
  int64_t *exit_dwell_us = &of->exit_dwell_us;
  double *entry_margin_m = &of->entry_margin_m;
  double *exit_margin_m = &of->exit_margin_m;
  double *exit_margin_limit_m = &of->exit_margin_limit_m;
  double *accuracy_factor = &of->accuracy_factor;
  uint32_t *notify = &of->notify;
  uint32_t *reserved = &of->reserved;
  (void)struct_size;
  (void)dwell_policy;
  (void)entry_dwell_us;
  (void)exit_dwell_us;
  (void)entry_margin_m;
  (void)exit_margin_m;
  (void)exit_margin_limit_m;
  (void)accuracy_factor;
  (void)notify;
  (void)reserved;
}
void use_members_of_condition_options(fencepost_condition_options *of);
void use_members_of_condition_options(fencepost_condition_options *of) {
  uint32_t *struct_size = &of->struct_size;
  fencepost_state *assuming = &of->assuming;
  const fencepost_transition_policy **policy = &of->policy;
  uint64_t *tag = &of->tag;
  (void)struct_size;
  (void)assuming;
  (void)policy;
  (void)tag;
}
void use_members_of_monitor_options(fencepost_monitor_options *of);
void use_members_of_monitor_options(fencepost_monitor_options *of) {
  uint32_t *struct_size = &of->struct_size;
  fencepost_delivery *delivery = &of->delivery;
  uint64_t *condition_limit = &of->condition_limit;
  uint64_t *max_pending_events = &of->max_pending_events;
  int64_t *initial_fix_max_age_us = &of->initial_fix_max_age_us;
  int64_t *beacon_exit_timeout_us = &of->beacon_exit_timeout_us;
  int64_t *beacon_initial_timeout_us = &of->beacon_initial_timeout_us;
  const char **store_directory = &of->store_directory;
  fencepost_durability *durability = &of->durability;
  uint32_t *reserved = &of->reserved;
  int64_t *checkpoint_interval_us = &of->checkpoint_interval_us;
  (void)struct_size;
  (void)delivery;
  (void)condition_limit;
  (void)max_pending_events;
  (void)initial_fix_max_age_us;
  (void)beacon_exit_timeout_us;
  (void)beacon_initial_timeout_us;
  (void)store_directory;
  (void)durability;
  (void)reserved;
  (void)checkpoint_interval_us;
}
void use_members_of_event(fencepost_event *of);
void use_members_of_event(fencepost_event *of) {
  uint64_t *sequence = &of->sequence;
  uint64_t *generation = &of->generation;
  uint64_t *tag = &of->tag;
  int64_t *date_us = &of->date_us;
  int64_t *evidence_date_us = &of->evidence_date_us;
  double *latitude = &of->latitude;
  double *longitude = &of->longitude;
  double *accuracy_m = &of->accuracy_m;
  double *boundary_distance_m = &of->boundary_distance_m;
  fencepost_state *state = &of->state;
  fencepost_cause *cause = &of->cause;
  uint32_t *diagnostics = &of->diagnostics;
  uint32_t *has_refinement = &of->has_refinement;
  uint8_t (*refinement_uuid)[16] = &of->refinement_uuid;
  uint16_t *refinement_major = &of->refinement_major;
  uint16_t *refinement_minor = &of->refinement_minor;
  uint32_t *identifier_length = &of->identifier_length;
  char (*identifier)[264] = &of->identifier;
  (void)sequence;
  (void)generation;
  (void)tag;
  (void)date_us;
  (void)evidence_date_us;
  (void)latitude;
  (void)longitude;
  (void)accuracy_m;
  (void)boundary_distance_m;
  (void)state;
  (void)cause;
  (void)diagnostics;
  (void)has_refinement;
  (void)refinement_uuid;
  (void)refinement_major;
  (void)refinement_minor;
  (void)identifier_length;
  (void)identifier;
}
void use_members_of_condition(fencepost_condition *of);
void use_members_of_condition(fencepost_condition *of) {
  fencepost_condition_kind *kind = &of->kind;
  int32_t *major = &of->major;
  int32_t *minor = &of->minor;
  uint32_t *identifier_length = &of->identifier_length;
  uint64_t *generation = &of->generation;
  uint64_t *tag = &of->tag;
  double *latitude = &of->latitude;
  double *longitude = &of->longitude;
  double *radius_m = &of->radius_m;
  uint8_t (*uuid)[16] = &of->uuid;
  fencepost_transition_policy *policy = &of->policy;
  char (*identifier)[264] = &of->identifier;
  (void)kind;
  (void)major;
  (void)minor;
  (void)identifier_length;
  (void)generation;
  (void)tag;
  (void)latitude;
  (void)longitude;
  (void)radius_m;
  (void)uuid;
  (void)policy;
  (void)identifier;
}
void use_members_of_record(fencepost_record *of);
void use_members_of_record(fencepost_record *of) {
  fencepost_condition *condition = &of->condition;
  fencepost_event *last_event = &of->last_event;
  (void)condition;
  (void)last_event;
}
void use_members_of_feed_result(fencepost_feed_result *of);
void use_members_of_feed_result(fencepost_feed_result *of) {
  uint64_t *accepted = &of->accepted;
  uint64_t *invalid = &of->invalid;
  uint64_t *late = &of->late;
  (void)accepted;
  (void)invalid;
  (void)late;
}
void use_members_of_statistics(fencepost_statistics *of);
void use_members_of_statistics(fencepost_statistics *of) {
  uint32_t *struct_size = &of->struct_size;
  uint32_t *reserved = &of->reserved;
  int64_t *clock_us = &of->clock_us;
  uint64_t *input_count = &of->input_count;
  uint64_t *accepted_fixes = &of->accepted_fixes;
  uint64_t *invalid_fixes = &of->invalid_fixes;
  uint64_t *late_inputs = &of->late_inputs;
  uint64_t *accepted_sightings = &of->accepted_sightings;
  uint64_t *pending_events = &of->pending_events;
  uint64_t *handed_out_events = &of->handed_out_events;
  uint64_t *condition_count = &of->condition_count;
  (void)struct_size;
  (void)reserved;
  (void)clock_us;
  (void)input_count;
  (void)accepted_fixes;
  (void)invalid_fixes;
  (void)late_inputs;
  (void)accepted_sightings;
  (void)pending_events;
  (void)handed_out_events;
  (void)condition_count;
}
void use_members_of_explanation(fencepost_explanation *of);
void use_members_of_explanation(fencepost_explanation *of) {
  uint32_t *struct_size = &of->struct_size;
  fencepost_reason *reason = &of->reason;
  fencepost_state *observed = &of->observed;
  uint32_t *diagnostics = &of->diagnostics;
  double *boundary_distance_m = &of->boundary_distance_m;
  double *accuracy_m = &of->accuracy_m;
  double *entry_margin_m = &of->entry_margin_m;
  double *exit_margin_m = &of->exit_margin_m;
  int64_t *candidate_start_us = &of->candidate_start_us;
  int64_t *deadline_us = &of->deadline_us;
  int64_t *last_sighting_us = &of->last_sighting_us;
  double *metres_to_decide = &of->metres_to_decide;
  double *seconds_to_decide = &of->seconds_to_decide;
  double *accuracy_needed_m = &of->accuracy_needed_m;
  (void)struct_size;
  (void)reason;
  (void)observed;
  (void)diagnostics;
  (void)boundary_distance_m;
  (void)accuracy_m;
  (void)entry_margin_m;
  (void)exit_margin_m;
  (void)candidate_start_us;
  (void)deadline_us;
  (void)last_sighting_us;
  (void)metres_to_decide;
  (void)seconds_to_decide;
  (void)accuracy_needed_m;
}
void use_members_of_fix_columns(fencepost_fix_columns *of);
void use_members_of_fix_columns(fencepost_fix_columns *of) {
  uint32_t *struct_size = &of->struct_size;
  uint32_t *refuse_invalid = &of->refuse_invalid;
  const double **latitudes = &of->latitudes;
  const double **longitudes = &of->longitudes;
  const double **accuracies_m = &of->accuracies_m;
  const int64_t **times_us = &of->times_us;
  int64_t *latitude_stride = &of->latitude_stride;
  int64_t *longitude_stride = &of->longitude_stride;
  int64_t *accuracy_stride = &of->accuracy_stride;
  int64_t *time_stride = &of->time_stride;
  (void)struct_size;
  (void)refuse_invalid;
  (void)latitudes;
  (void)longitudes;
  (void)accuracies_m;
  (void)times_us;
  (void)latitude_stride;
  (void)longitude_stride;
  (void)accuracy_stride;
  (void)time_stride;
}
void use_members_of_beacon_advertisement(fencepost_beacon_advertisement *of);
void use_members_of_beacon_advertisement(fencepost_beacon_advertisement *of) {
  fencepost_beacon_sighting *sighting = &of->sighting;
  fencepost_beacon_kind *kind = &of->kind;
  int32_t *measured_power_dbm = &of->measured_power_dbm;
  uint32_t *company_id = &of->company_id;
  uint32_t *manufacturer_reserved = &of->manufacturer_reserved;
  (void)sighting;
  (void)kind;
  (void)measured_power_dbm;
  (void)company_id;
  (void)manufacturer_reserved;
}
void use_members_of_plan_options(fencepost_plan_options *of);
void use_members_of_plan_options(fencepost_plan_options *of) {
  uint32_t *struct_size = &of->struct_size;
  uint32_t *slots = &of->slots;
  double *margin_m = &of->margin_m;
  double *maximum_radius_m = &of->maximum_radius_m;
  (void)struct_size;
  (void)slots;
  (void)margin_m;
  (void)maximum_radius_m;
}
void use_members_of_armed_condition(fencepost_armed_condition *of);
void use_members_of_armed_condition(fencepost_armed_condition *of) {
  uint64_t *generation = &of->generation;
  uint64_t *tag = &of->tag;
  double *latitude = &of->latitude;
  double *longitude = &of->longitude;
  double *radius_m = &of->radius_m;
  double *slack_m = &of->slack_m;
  uint32_t *is_inside = &of->is_inside;
  uint32_t *is_new = &of->is_new;
  uint32_t *reserved = &of->reserved;
  uint32_t *identifier_length = &of->identifier_length;
  char (*identifier)[264] = &of->identifier;
  (void)generation;
  (void)tag;
  (void)latitude;
  (void)longitude;
  (void)radius_m;
  (void)slack_m;
  (void)is_inside;
  (void)is_new;
  (void)reserved;
  (void)identifier_length;
  (void)identifier;
}
void use_members_of_plan(fencepost_plan *of);
void use_members_of_plan(fencepost_plan *of) {
  uint32_t *struct_size = &of->struct_size;
  uint32_t *follow = &of->follow;
  uint32_t *has_wake_up = &of->has_wake_up;
  uint32_t *reserved = &of->reserved;
  double *wake_up_latitude = &of->wake_up_latitude;
  double *wake_up_longitude = &of->wake_up_longitude;
  double *wake_up_radius_m = &of->wake_up_radius_m;
  (void)struct_size;
  (void)follow;
  (void)has_wake_up;
  (void)reserved;
  (void)wake_up_latitude;
  (void)wake_up_longitude;
  (void)wake_up_radius_m;
}
void use_members_of_significant_change_filter(fencepost_significant_change_filter *of);
void use_members_of_significant_change_filter(fencepost_significant_change_filter *of) {
  uint32_t *struct_size = &of->struct_size;
  uint32_t *has_last = &of->has_last;
  double *minimum_distance_m = &of->minimum_distance_m;
  int64_t *minimum_interval_us = &of->minimum_interval_us;
  fencepost_fix *last = &of->last;
  (void)struct_size;
  (void)has_last;
  (void)minimum_distance_m;
  (void)minimum_interval_us;
  (void)last;
}
void use_members_of_fix_selection(fencepost_fix_selection *of);
void use_members_of_fix_selection(fencepost_fix_selection *of) {
  uint32_t *struct_size = &of->struct_size;
  uint32_t *reserved = &of->reserved;
  double *speed_m_per_s = &of->speed_m_per_s;
  int64_t *maximum_age_us = &of->maximum_age_us;
  (void)struct_size;
  (void)reserved;
  (void)speed_m_per_s;
  (void)maximum_age_us;
}

/* Constants. */
_Static_assert(FENCEPOST_OK == 0, "FENCEPOST_OK");
_Static_assert(FENCEPOST_E_NULL_ARGUMENT == 1, "FENCEPOST_E_NULL_ARGUMENT");
_Static_assert(FENCEPOST_E_INVALID_ARGUMENT == 2, "FENCEPOST_E_INVALID_ARGUMENT");
_Static_assert(FENCEPOST_E_BUFFER_TOO_SMALL == 3, "FENCEPOST_E_BUFFER_TOO_SMALL");
_Static_assert(FENCEPOST_E_UNSUPPORTED == 4, "FENCEPOST_E_UNSUPPORTED");
_Static_assert(FENCEPOST_E_INVALID_NAME == 20, "FENCEPOST_E_INVALID_NAME");
_Static_assert(FENCEPOST_E_MONITOR_IN_USE == 21, "FENCEPOST_E_MONITOR_IN_USE");
_Static_assert(FENCEPOST_E_CONSUMER_ALREADY_ACTIVE == 22, "FENCEPOST_E_CONSUMER_ALREADY_ACTIVE");
_Static_assert(FENCEPOST_E_NOT_FOUND == 40, "FENCEPOST_E_NOT_FOUND");
_Static_assert(FENCEPOST_E_STORE_UNAVAILABLE == 80, "FENCEPOST_E_STORE_UNAVAILABLE");
_Static_assert(FENCEPOST_E_STORE_CORRUPT == 81, "FENCEPOST_E_STORE_CORRUPT");
_Static_assert(FENCEPOST_E_STORE_TOO_NEW == 82, "FENCEPOST_E_STORE_TOO_NEW");
_Static_assert(FENCEPOST_E_SNAPSHOT_INVALID == 83, "FENCEPOST_E_SNAPSHOT_INVALID");
_Static_assert(FENCEPOST_E_LATE_INPUT == 60, "FENCEPOST_E_LATE_INPUT");
_Static_assert(FENCEPOST_E_QUEUE_FULL == 61, "FENCEPOST_E_QUEUE_FULL");
_Static_assert(FENCEPOST_E_INTERNAL == 120, "FENCEPOST_E_INTERNAL");
_Static_assert(FENCEPOST_STATE_UNKNOWN == 0, "FENCEPOST_STATE_UNKNOWN");
_Static_assert(FENCEPOST_STATE_SATISFIED == 1, "FENCEPOST_STATE_SATISFIED");
_Static_assert(FENCEPOST_STATE_UNSATISFIED == 2, "FENCEPOST_STATE_UNSATISFIED");
_Static_assert(FENCEPOST_STATE_UNMONITORED == 3, "FENCEPOST_STATE_UNMONITORED");
_Static_assert(FENCEPOST_CAUSE_NONE == 0, "FENCEPOST_CAUSE_NONE");
_Static_assert(FENCEPOST_CAUSE_DETERMINATION == 1, "FENCEPOST_CAUSE_DETERMINATION");
_Static_assert(FENCEPOST_CAUSE_CROSSING == 2, "FENCEPOST_CAUSE_CROSSING");
_Static_assert(FENCEPOST_CAUSE_TIMEOUT == 3, "FENCEPOST_CAUSE_TIMEOUT");
_Static_assert(FENCEPOST_CAUSE_DIAGNOSTIC == 4, "FENCEPOST_CAUSE_DIAGNOSTIC");
_Static_assert(FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED == 1, "FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED");
_Static_assert(FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED_GLOBALLY == 2,
               "FENCEPOST_DIAGNOSTIC_AUTHORIZATION_DENIED_GLOBALLY");
_Static_assert(FENCEPOST_DIAGNOSTIC_AUTHORIZATION_RESTRICTED == 4, "FENCEPOST_DIAGNOSTIC_AUTHORIZATION_RESTRICTED");
_Static_assert(FENCEPOST_DIAGNOSTIC_INSUFFICIENTLY_IN_USE == 8, "FENCEPOST_DIAGNOSTIC_INSUFFICIENTLY_IN_USE");
_Static_assert(FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED == 16, "FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED");
_Static_assert(FENCEPOST_DIAGNOSTIC_CONDITION_UNSUPPORTED == 32, "FENCEPOST_DIAGNOSTIC_CONDITION_UNSUPPORTED");
_Static_assert(FENCEPOST_DIAGNOSTIC_CONDITION_LIMIT_EXCEEDED == 64, "FENCEPOST_DIAGNOSTIC_CONDITION_LIMIT_EXCEEDED");
_Static_assert(FENCEPOST_DIAGNOSTIC_PERSISTENCE_UNAVAILABLE == 128, "FENCEPOST_DIAGNOSTIC_PERSISTENCE_UNAVAILABLE");
_Static_assert(FENCEPOST_DIAGNOSTIC_SERVICE_SESSION_REQUIRED == 256, "FENCEPOST_DIAGNOSTIC_SERVICE_SESSION_REQUIRED");
_Static_assert(FENCEPOST_DIAGNOSTIC_AUTHORIZATION_REQUEST_IN_PROGRESS == 512,
               "FENCEPOST_DIAGNOSTIC_AUTHORIZATION_REQUEST_IN_PROGRESS");
_Static_assert(FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC == 1, "FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC");
_Static_assert(FENCEPOST_CONDITION_BEACON_IDENTITY == 2, "FENCEPOST_CONDITION_BEACON_IDENTITY");
_Static_assert(FENCEPOST_DWELL_TIMER == 0, "FENCEPOST_DWELL_TIMER");
_Static_assert(FENCEPOST_DWELL_EVIDENCE == 1, "FENCEPOST_DWELL_EVIDENCE");
_Static_assert(FENCEPOST_NOTIFY_INITIAL == 1, "FENCEPOST_NOTIFY_INITIAL");
_Static_assert(FENCEPOST_NOTIFY_ENTRY == 2, "FENCEPOST_NOTIFY_ENTRY");
_Static_assert(FENCEPOST_NOTIFY_EXIT == 4, "FENCEPOST_NOTIFY_EXIT");
_Static_assert(FENCEPOST_NOTIFY_ALL == 7, "FENCEPOST_NOTIFY_ALL");
_Static_assert(FENCEPOST_DELIVERY_EVERY == 0, "FENCEPOST_DELIVERY_EVERY");
_Static_assert(FENCEPOST_DELIVERY_FIRST == 1, "FENCEPOST_DELIVERY_FIRST");
_Static_assert(FENCEPOST_DELIVERY_LATEST == 2, "FENCEPOST_DELIVERY_LATEST");
_Static_assert(FENCEPOST_DURABILITY_CHANGES == 0, "FENCEPOST_DURABILITY_CHANGES");
_Static_assert(FENCEPOST_DURABILITY_EVERY_INPUT == 1, "FENCEPOST_DURABILITY_EVERY_INPUT");
_Static_assert(FENCEPOST_DURABILITY_RELAXED == 2, "FENCEPOST_DURABILITY_RELAXED");
_Static_assert(FENCEPOST_REASON_UNMONITORED == 1, "FENCEPOST_REASON_UNMONITORED");
_Static_assert(FENCEPOST_REASON_SUSPENDED == 2, "FENCEPOST_REASON_SUSPENDED");
_Static_assert(FENCEPOST_REASON_SCANNER_OFF == 3, "FENCEPOST_REASON_SCANNER_OFF");
_Static_assert(FENCEPOST_REASON_NO_FIX_YET == 4, "FENCEPOST_REASON_NO_FIX_YET");
_Static_assert(FENCEPOST_REASON_TOO_COARSE == 5, "FENCEPOST_REASON_TOO_COARSE");
_Static_assert(FENCEPOST_REASON_DWELLING == 6, "FENCEPOST_REASON_DWELLING");
_Static_assert(FENCEPOST_REASON_WITHIN_MARGIN == 7, "FENCEPOST_REASON_WITHIN_MARGIN");
_Static_assert(FENCEPOST_REASON_INSIDE == 8, "FENCEPOST_REASON_INSIDE");
_Static_assert(FENCEPOST_REASON_OUTSIDE == 9, "FENCEPOST_REASON_OUTSIDE");
_Static_assert(FENCEPOST_REASON_NOT_SEEN_YET == 10, "FENCEPOST_REASON_NOT_SEEN_YET");
_Static_assert(FENCEPOST_REASON_SEEN == 11, "FENCEPOST_REASON_SEEN");
_Static_assert(FENCEPOST_REASON_ABSENT == 12, "FENCEPOST_REASON_ABSENT");
_Static_assert(FENCEPOST_BEACON_IBEACON == 1, "FENCEPOST_BEACON_IBEACON");
_Static_assert(FENCEPOST_BEACON_ALTBEACON == 2, "FENCEPOST_BEACON_ALTBEACON");

/* Initialisers. */
const fencepost_error use_error = FENCEPOST_ERROR_INIT;
const fencepost_transition_policy use_transition_policy_standard = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
const fencepost_transition_policy use_transition_policy_exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
const fencepost_transition_policy use_transition_policy_core_location = FENCEPOST_TRANSITION_POLICY_CORE_LOCATION_INIT;
const fencepost_condition_options use_condition_options = FENCEPOST_CONDITION_OPTIONS_INIT;
const fencepost_monitor_options use_monitor_options = FENCEPOST_MONITOR_OPTIONS_INIT;
const fencepost_monitor_options use_monitor_options_core_location = FENCEPOST_MONITOR_OPTIONS_CORE_LOCATION_INIT;
const fencepost_statistics use_statistics = FENCEPOST_STATISTICS_INIT;
const fencepost_explanation use_explanation = FENCEPOST_EXPLANATION_INIT;
const fencepost_fix_columns use_fix_columns = FENCEPOST_FIX_COLUMNS_INIT;
const fencepost_plan_options use_plan_options = FENCEPOST_PLAN_OPTIONS_INIT;
const fencepost_plan use_plan = FENCEPOST_PLAN_INIT;
const fencepost_significant_change_filter use_significant_change_filter = FENCEPOST_SIGNIFICANT_CHANGE_FILTER_INIT;
const fencepost_fix_selection use_fix_selection = FENCEPOST_FIX_SELECTION_INIT;

/* The examples and manuals of 0.1 initialise these structures by hand. */
const fencepost_feed_result use_result = {0, 0, 0};
const fencepost_fix use_fix = {37.3349, -122.0091, 5, 1700000000000000};
const fencepost_transition_policy use_policy = {
    sizeof(fencepost_transition_policy), FENCEPOST_DWELL_EVIDENCE, 1, 2, 3, 4, 5, 0.5, FENCEPOST_NOTIFY_ALL, 0};

int main(void) { return 0; }

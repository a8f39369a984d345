// Describes the structures of fencepost.h as a 32-bit WebAssembly module lays them out. A test compares this layout
// with that of a C compiler.

const sizes = { u8: 1, u16: 2, i32: 4, u32: 4, ptr: 4, size: 4, i64: 8, u64: 8, f64: 8 };

/** Computes the offset of each member: { size, member: offset }. A type may be [type, count] or another structure. */
function struct(members) {
  const places = {};
  let end = 0;
  let widest = 1;
  for (const [name, type] of Object.entries(members)) {
    const [element, count] = Array.isArray(type) ? type : [type, 1];
    const bytes = typeof element === "string" ? sizes[element] : element.size;
    const alignment = typeof element === "string" ? bytes : element.alignment;
    end = Math.ceil(end / alignment) * alignment;
    places[name] = end;
    end += bytes * count;
    widest = Math.max(widest, alignment);
  }
  return Object.freeze({ ...places, size: Math.ceil(end / widest) * widest, alignment: widest });
}

export const ERROR = struct({ struct_size: "u32", status: "i32", position: "u64", message: ["u8", 256] });
export const FIX = struct({ latitude: "f64", longitude: "f64", accuracy_m: "f64", time_us: "i64" });
export const SIGHTING = struct({ uuid: ["u8", 16], major: "u16", minor: "u16", rssi_dbm: "i32" });
export const POLICY = struct({
  struct_size: "u32", dwell_policy: "i32", entry_dwell_us: "i64", exit_dwell_us: "i64", entry_margin_m: "f64",
  exit_margin_m: "f64", exit_margin_limit_m: "f64", accuracy_factor: "f64", notify: "u32", reserved: "u32",
  entry_probability: "f64", exit_probability: "f64", vertical_margin_m: "f64",
});
export const OPTIONS = struct({
  struct_size: "u32", delivery: "i32", conditions: "ptr", name: "ptr", store_directory: "ptr", durability: "i32",
  path: "i32", checkpoint_interval_us: "i64", max_gap_us: "i64", max_speed_mps: "f64", max_pending_events: "u64",
  max_time_step_us: "i64", initial_fix_max_age_us: "i64", beacon_exit_timeout_us: "i64",
  beacon_initial_timeout_us: "i64", condition_limit: "u64", device_limit: "u64",
  plausible_speed_mps: "f64", corroboration_time_us: "i64", corroboration_count: "u32", order: "i32",
  accuracy_confidence: "f64",
});
export const EVENT = struct({
  sequence: "u64", position: "u64", device: "u64", row: "u64", generation: "u64", tag: "u64", date_us: "i64",
  evidence_date_us: "i64", latitude: "f64", longitude: "f64", accuracy_m: "f64", boundary_distance_m: "f64",
  state: "i32", cause: "i32", diagnostics: "u32", flags: "u32", beacon_uuid: ["u8", 16], beacon_major: "u16",
  beacon_minor: "u16", identifier_length: "u32", probability: "f64", vertical_distance_m: "f64",
  decided_by: "u64", reserved: ["u64", 1], identifier: ["u8", 264],
});
export const CONDITION = struct({
  kind: "i32", major: "i32", minor: "i32", identifier_length: "u32", generation: "u64", tag: "u64", latitude: "f64",
  longitude: "f64", radius_m: "f64", uuid: ["u8", 16], identifier: ["u8", 264],
});
export const RECORD = struct({ condition: CONDITION, last_event: EVENT, state: "i32", reserved: "u32" });
export const FEED_RESULT = struct({ accepted: "u64", invalid: "u64", late: "u64", doubted: "u64" });
export const STATISTICS = struct({
  struct_size: "u32", reserved: "u32", clock_us: "i64", input_count: "u64", accepted_fixes: "u64", invalid_fixes: "u64",
  late_inputs: "u64", accepted_sightings: "u64", pending_events: "u64", handed_out_events: "u64",
  condition_count: "u64", ahead_inputs: "u64", store: "u32", all_kept: "u32", name: ["u8", 72],
  doubted_fixes: "u64",
});
export const EXPLANATION = struct({
  struct_size: "u32", reason: "i32", observed: "i32", diagnostics: "u32", boundary_distance_m: "f64",
  accuracy_m: "f64", entry_margin_m: "f64", exit_margin_m: "f64", candidate_start_us: "i64", deadline_us: "i64",
  last_sighting_us: "i64", metres_to_decide: "f64", seconds_to_decide: "f64", accuracy_needed_m: "f64",
  nearest_latitude: "f64", nearest_longitude: "f64", doubted_distance_m: "f64", doubted_seconds: "f64",
  doubted_limit_mps: "f64", corroborations: "u32", corroborations_needed: "u32", probability: "f64",
  ellipse_major_m: "f64", ellipse_minor_m: "f64", ellipse_orientation: "f64", vertical_distance_m: "f64",
  parts: "ptr", parts_capacity: "size", part_count: "u64",
});
export const GEOMETRY = struct({
  struct_size: "u32", stride: "u32", latitudes: "ptr", longitudes: "ptr", vertex_count: "size", ring_offsets: "ptr",
  ring_count: "size", part_offsets: "ptr", part_count: "size",
});
export const SHAPE = struct({
  struct_size: "u32", kind: "i32", edges: "i32", oriented: "u32", buffer_m: "f64", radius_m: "f64", depth_m: "f64",
  vertex_count: "u64", departure_m: "f64", departure_part: "u32", departure_ring: "u32", departure_edge: "u32",
  left_out_rings: "u32", altitude_min_m: "f64", altitude_max_m: "f64", altitude_min_reference: "u32",
  altitude_max_reference: "u32", rule_form: "u32", at_least: "u32", active: "ptr", active_capacity: "size",
  active_count: "u64", active_until_us: "i64", absent_after_us: "i64", repeat_every_us: "i64", max_events: "u64",
  repeat_limit: "u32", has_active: "u32",
});
export const CONDITION_DEFINITION = struct({
  struct_size: "u32", kind: "i32", identifier: "ptr", tag: "u64", assuming: "i32", edges: "i32", oriented: "u32",
  major: "i32", minor: "i32", max_vertices: "u32", policy: "ptr", latitude: "f64", longitude: "f64", radius_m: "f64",
  buffer_m: "f64", uuid: ["u8", 16], geometry: "ptr", wkb: "ptr", wkb_size: "size", timing: "ptr",
  altitude_min_m: "f64", altitude_max_m: "f64", altitude_min_reference: "u32", altitude_max_reference: "u32",
  parts: "ptr", part_count: "size", rule_form: "u32", at_least: "u32",
});
export const INTERVAL = struct({ start_us: "i64", end_us: "i64" });
export const TIMING = struct({
  struct_size: "u32", repeat_limit: "u32", active_until_us: "i64", absent_after_us: "i64", repeat_every_us: "i64",
  max_events: "u64", active: "ptr", active_count: "size",
});
export const SYNC_RESULT = struct({ added: "u64", replaced: "u64", kept: "u64", removed: "u64" });
export const FIX_COLUMNS = struct({
  struct_size: "u32", refuse_invalid: "u32", latitudes: "ptr", longitudes: "ptr", accuracies_m: "ptr", times_us: "ptr",
  latitude_stride: "i64", longitude_stride: "i64", accuracy_stride: "i64", time_stride: "i64", majors_m: "ptr",
  minors_m: "ptr", orientations: "ptr", major_stride: "i64", minor_stride: "i64", orientation_stride: "i64",
  altitudes_m: "ptr", vertical_accuracies_m: "ptr", geoid_heights_m: "ptr", ground_heights_m: "ptr",
  altitude_stride: "i64", vertical_accuracy_stride: "i64", geoid_height_stride: "i64", ground_height_stride: "i64",
});
export const POINT_COLUMNS = struct({
  struct_size: "u32", reserved: "u32", latitudes: "ptr", longitudes: "ptr", latitude_stride: "i64",
  longitude_stride: "i64", altitudes_m: "ptr", geoid_heights_m: "ptr", ground_heights_m: "ptr", altitude_stride: "i64",
  geoid_height_stride: "i64", ground_height_stride: "i64", times_us: "ptr", time_stride: "i64",
});
export const TABLE_VERSION = struct({
  struct_size: "u32", reserved: "u32", count: "u64", generation: "u64", digest: ["u8", 16],
});
export const CONDITION_STATE = struct({
  generation: "u64", tag: "u64", since_us: "i64", evidence_date_us: "i64", state: "i32", identifier_length: "u32",
  identifier: ["u8", 264],
});
export const FLEET_COUNTERS = struct({
  struct_size: "u32", reserved: "u32", clock_us: "i64", accepted_fixes: "u64", invalid_fixes: "u64",
  late_inputs: "u64", ahead_inputs: "u64", accepted_sightings: "u64", pending_events: "u64", handed_out_events: "u64",
  device_count: "u64", condition_count: "u64", device_bytes: "u64", store: "u32", all_kept: "u32",
  doubted_fixes: "u64",
});
export const DEVICE_STATISTICS = struct({
  struct_size: "u32", reserved: "u32", clock_us: "i64", accepted_fixes: "u64", invalid_fixes: "u64",
  late_inputs: "u64", ahead_inputs: "u64", accepted_sightings: "u64", handed_out_events: "u64", input_count: "u64",
  doubted_fixes: "u64",
});
export const FLEET_COLUMNS = struct({
  struct_size: "u32", device_width: "u32", devices: "ptr", device_stride: "i64", dictionary: "ptr",
  dictionary_count: "size", fixes: "ptr", first_row: "u64", skips_unknown: "u32", reserved: "u32",
});

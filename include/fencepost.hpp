/*
 * Fencepost for C++17: owning handles and exceptions on top of fencepost.h, which documents the behaviour of every
 * function. This file is header-only; link the same library as for C.
 *
 *     fencepost::monitor monitor;
 *     monitor.add_circular_condition("office", 37.3349, -122.0090, 200);
 *     monitor.feed({37.3349, -122.0091, 5, 1700000000000000});
 *     for (const fencepost::event &event : monitor.events())
 *       std::printf("%s is now %d\n", event.identifier, event.state);
 *
 * A monitor follows one device; a fleet follows many devices over a table of conditions. Both are engines: they save,
 * copy and deliver events in the same way.
 *
 * The structures are those of the C header under shorter names. Initialise them with the macros of the C header:
 * fencepost::options options = FENCEPOST_FLEET_OPTIONS_INIT. Every function throws fencepost::error on failure; the C
 * header states which changes remain after a failure. A moved-from object may only be destroyed or assigned to. The
 * rules for threads and fork() are those of the C header.
 *
 * Not wrapped, because they cannot fail and C++ programs call them directly: fencepost_version_string(),
 * fencepost_status_message(), fencepost_state_name(), fencepost_cause_name(), fencepost_reason_name(), and the functions
 * that build a definition, such as fencepost_circle().
 */
#ifndef FENCEPOST_HPP
#define FENCEPOST_HPP

#if !defined(__cplusplus) || (__cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L))
#error "fencepost.hpp needs C++17 (-std=c++17); fencepost.h is for C and for C++ from C++11 on"
#endif
#if !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
#error "fencepost.hpp reports failures as exceptions (-fexceptions); fencepost.h needs none and compiles as C++ too"
#endif

#include <fencepost.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fencepost {

using fix = fencepost_fix;
using beacon_sighting = fencepost_beacon_sighting;
using event = fencepost_event;
using condition = fencepost_condition;
using condition_definition = fencepost_condition_definition;
using sync_result = fencepost_sync_result;
using geometry = fencepost_geometry;
using interval = fencepost_interval;
using shape = fencepost_shape;
using record = fencepost_record;
using fix_columns = fencepost_fix_columns;
using point_columns = fencepost_point_columns;
using measured_columns = fencepost_measured_columns;
using feed_result = fencepost_feed_result;
using statistics = fencepost_statistics;
using explanation = fencepost_explanation;
using armed_condition = fencepost_armed_condition;
using plan_options = fencepost_plan_options;
using significant_change_filter = fencepost_significant_change_filter;
using fix_selection = fencepost_fix_selection;
using transition_policy = fencepost_transition_policy;
using interval = fencepost_interval;
using timing = fencepost_timing;
using options = fencepost_options;
using table_version = fencepost_table_version;
using fleet_columns = fencepost_fleet_columns;
using fleet_counters = fencepost_fleet_counters;
using device_statistics = fencepost_device_statistics;
using condition_state = fencepost_condition_state;
using device_presence = fencepost_device_presence;
using uuid = std::array<std::uint8_t, 16>;

/* The exception for a failed call. what() returns one line from the library that states the cause, the place and the
   accepted range. */
class error : public std::runtime_error {
 public:
  error(fencepost_status status, std::uint64_t position, const std::string &message)
      : std::runtime_error(message), status_(status), position_(position) {}

  /* FENCEPOST_E_... */
  fencepost_status status() const noexcept { return status_; }
  /* The name of the status, such as "late_input". */
  const char *name() const noexcept { return fencepost_status_name(status_); }
  /* The index of the row or element that caused the error; 0 if the call takes only one. */
  std::uint64_t position() const noexcept { return position_; }

 private:
  fencepost_status status_;
  std::uint64_t position_;
};

/* The one-sigma error ellipse of a fix: the semi-axes in metres, and the direction of the major axis in degrees clockwise
   from north. */
struct error_ellipse {
  double major_m;
  double minor_m;
  double orientation;
};

/* A beacon identity. */
struct beacon {
  fencepost::uuid uuid{};
  std::optional<std::uint16_t> major{}; /* nullopt = any major */
  std::optional<std::uint16_t> minor{}; /* nullopt = any minor; a minor needs a major */
};

/* The number of a device in its fleet. An integer does not convert to this type, so a row or an index cannot be passed
   by mistake. */
class device {
 public:
  /* No device. */
  constexpr device() = default;
  explicit constexpr device(fencepost_device number) : number_(number) {}
  constexpr fencepost_device number() const { return number_; }
  /* The place of the device, 0, 1, 2 ..., which can index an array with one element per device. */
  constexpr std::uint32_t place() const { return static_cast<std::uint32_t>(number_) - 1; }
  friend constexpr bool operator==(device left, device right) { return left.number_ == right.number_; }
  friend constexpr bool operator!=(device left, device right) { return left.number_ != right.number_; }
  friend constexpr bool operator<(device left, device right) { return left.number_ < right.number_; }

 private:
  fencepost_device number_ = FENCEPOST_NO_DEVICE;
};

/* Every device of a fleet. */
inline constexpr device all_devices{FENCEPOST_ALL_DEVICES};

/* The numbers of devices, for the dictionary or the column of devices of fleet_columns. */
inline std::vector<fencepost_device> numbers(const std::vector<device> &devices) {
  std::vector<fencepost_device> out;
  out.reserve(devices.size());
  for (const device each : devices) out.push_back(each.number());
  return out;
}

namespace detail {

/* Calls a C function, whose last parameter is the error; throws a failure. */
template <class Function, class... Arguments>
void call(Function function, Arguments... arguments) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  const fencepost_status status = function(arguments..., &error);
  if (status != FENCEPOST_OK) throw fencepost::error(status, error.position, error.message);
}

/* Columns of one row with a fix and its error ellipse, which are read in place. */
inline fix_columns one_fix(const fix &sample, const error_ellipse &ellipse) {
  fix_columns one = fencepost_one_fix(&sample);
  one.majors_m = &ellipse.major_m;
  one.minors_m = &ellipse.minor_m;
  one.orientations = &ellipse.orientation;
  return one;
}

/* Calls a C function whose output buffer may be too small; returns whether the output fitted. */
template <class Function, class... Arguments>
bool fits(Function function, Arguments... arguments) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  const fencepost_status status = function(arguments..., &error);
  if (status != FENCEPOST_OK && status != FENCEPOST_E_BUFFER_TOO_SMALL)
    throw fencepost::error(status, error.position, error.message);
  return status == FENCEPOST_OK;
}

/* The object that a C function creates: function(arguments..., &handle, &error). */
template <class Handle, class Function, class... Arguments>
Handle *created(Function function, Arguments... arguments) {
  Handle *handle = nullptr;
  call(function, arguments..., &handle);
  return handle;
}

/* The elements that a C function writes: function(arguments..., elements, capacity, &size, &error). Repeats the call
   with more memory until they fit, because another thread may add elements between two calls. */
template <class Container, class Function, class... Arguments>
Container listed(Function function, Arguments... arguments) {
  Container elements;
  std::size_t size = 0;
  call(function, arguments..., nullptr, std::size_t{0}, &size);
  do {
    elements.resize(size + 1); /* texts end with a zero byte */
  } while (!fits(function, arguments..., elements.data(), elements.size(), &size));
  elements.resize(size);
  return elements;
}

using bytes = std::vector<std::uint8_t>;

/* Reads a list of conditions in parts, until a part is not full. */
template <class Read>
std::vector<condition_state> in_parts(Read read) {
  constexpr std::size_t size = 64;
  std::vector<condition_state> all;
  std::size_t count = size;
  for (std::uint64_t after = 0; count == size; after = all.back().generation) {
    const std::size_t begin = all.size();
    all.resize(begin + size);
    read(after, all.data() + begin, size, &count);
    all.resize(begin + count);
    if (count == 0) break;
  }
  return all;
}

/* A text for C. Throws if the text contains a zero byte, because C would silently cut the text there. */
inline const char *terminated(const std::string &text) {
  if (text.find('\0') != std::string::npos)
    throw error(FENCEPOST_E_INVALID_ARGUMENT, 0, "the text has a zero byte inside");
  return text.c_str();
}

inline std::vector<const char *> terminated(const std::vector<std::string> &texts) {
  std::vector<const char *> pointers;
  pointers.reserve(texts.size());
  for (const std::string &text : texts) pointers.push_back(terminated(text));
  return pointers;
}

/* Splits a list of texts that each end with a zero byte. */
inline std::vector<std::string> split(const std::string &joined) {
  std::vector<std::string> all;
  for (std::size_t start = 0; start < joined.size(); start += all.back().size() + 1)
    all.emplace_back(joined.c_str() + start);
  return all;
}

/* The identifiers of columns for C. Throws if a column has another length; those in `optional` may also be empty. */
inline std::vector<const char *> rows(const std::vector<std::string> &identifiers,
                                      std::initializer_list<std::size_t> required,
                                      std::initializer_list<std::size_t> optional) {
  bool equal = true;
  for (const std::size_t size : required) equal = equal && size == identifiers.size();
  for (const std::size_t size : optional) equal = equal && (size == 0 || size == identifiers.size());
  if (!equal) throw error(FENCEPOST_E_INVALID_ARGUMENT, 0, "the columns differ in length");
  return terminated(identifiers);
}

/* A column for C: NULL if it is empty. */
template <class Element>
const Element *column(const std::vector<Element> &elements) {
  return elements.empty() ? nullptr : elements.data();
}

inline std::int32_t number(std::optional<std::uint16_t> value) { return value ? std::int32_t{*value} : -1; }

inline std::optional<std::int64_t> time_or_none(std::int64_t time) {
  if (time == FENCEPOST_TIME_UNSET) return std::nullopt;
  return time;
}

struct destroy {
  void operator()(fencepost_monitor *monitor) const noexcept { fencepost_monitor_destroy(monitor); }
  void operator()(fencepost_conditions *conditions) const noexcept { fencepost_conditions_destroy(conditions); }
  void operator()(fencepost_fleet *fleet) const noexcept { fencepost_fleet_destroy(fleet); }
};

/* The C functions that monitors and fleets have alike. */
template <class Handle>
struct functions;
template <>
struct functions<fencepost_monitor> {
  static constexpr auto fork = fencepost_monitor_fork;
  static constexpr auto conditions = fencepost_monitor_conditions;
  static constexpr auto checkpoint = fencepost_monitor_checkpoint;
  static constexpr auto close = fencepost_monitor_close;
  static constexpr auto snapshot = fencepost_monitor_snapshot;
  static constexpr auto poll_events = fencepost_monitor_poll_events;
  static constexpr auto acknowledge = fencepost_monitor_acknowledge;
  static constexpr auto abandon = fencepost_monitor_abandon;
  static constexpr auto set_wakeup = fencepost_monitor_set_wakeup;
};
template <>
struct functions<fencepost_fleet> {
  static constexpr auto fork = fencepost_fleet_fork;
  static constexpr auto conditions = fencepost_fleet_conditions;
  static constexpr auto checkpoint = fencepost_fleet_checkpoint;
  static constexpr auto close = fencepost_fleet_close;
  static constexpr auto snapshot = fencepost_fleet_snapshot;
  static constexpr auto poll_events = fencepost_fleet_poll_events;
  static constexpr auto acknowledge = fencepost_fleet_acknowledge;
  static constexpr auto abandon = fencepost_fleet_abandon;
  static constexpr auto set_wakeup = fencepost_fleet_set_wakeup;
};

} // namespace detail

/* Columns of circles: the rows of one call. All columns must have the same length; only `tags` may be empty. */
struct circle_columns {
  std::vector<std::string> identifiers;
  std::vector<double> latitudes;
  std::vector<double> longitudes;
  std::vector<double> radii_m;
  std::vector<std::uint64_t> tags{};
};

/*
 * Columns of polygons, corridors or lines: the rows of one call. A single `geometry` contains the vertices of all rows.
 * If `condition_offsets` is empty, each row consists of one part of the geometry (polygons) or one line of it
 * (corridors and lines). The column `tags` may be empty.
 */
struct shape_columns {
  std::vector<std::string> identifiers;
  fencepost::geometry geometry = FENCEPOST_GEOMETRY_INIT;
  std::vector<std::int32_t> condition_offsets{};
  std::vector<double> radii_m{}; /* for corridors; empty: the radius of the common definition */
  std::vector<std::uint64_t> tags{};
};

/* Columns of beacon identities. The column `tags` may be empty. */
struct beacon_columns {
  std::vector<std::string> identifiers;
  std::vector<beacon> beacons;
  std::vector<std::uint64_t> tags{};
};

/* Columns of conditions whose geometries are well-known binary: the rows of one call. If the
   column of radii is empty, the radius of the common definition applies. The column `tags` may be empty. */
struct wkb_columns {
  std::vector<std::string> identifiers;
  std::vector<std::vector<std::uint8_t>> wkbs;
  std::vector<double> radii_m{};
  std::vector<std::uint64_t> tags{};
};

/* A place, degrees. */
struct place {
  double latitude;
  double longitude;
};

/* A condition that a query found, with the distance from the queried point to the boundary of the condition. */
struct located_condition {
  std::string identifier;   /* empty if the condition was removed or replaced during the call */
  std::uint64_t generation; /* the condition's generation; a replacement has a new one */
  double distance_m;        /* metres from the point to the boundary, negative inside */
};

/* For each of many points, the conditions that contain the point. Row i has the elements from offsets[i] to
   offsets[i + 1] - 1. */
struct containing_conditions {
  std::vector<std::int64_t> offsets;      /* where each row begins, and where the last row ends */
  std::vector<std::uint64_t> generations; /* within a row, in the order in which the conditions were added */
  std::vector<double> distances_m;        /* signed distances to the boundaries; empty if not requested */
};

/* For each of many points, the conditions whose boundaries are nearest to the point. The elements for row i are the
   count elements that begin at index i * stride. */
struct nearest_conditions {
  std::size_t stride = 0; /* how many conditions were requested for each row */
  std::size_t count = 0;  /* how many conditions were found for each row; the same for all rows */
  std::vector<std::uint64_t> generations;
  std::vector<double> distances_m;
};

/* The circles that a back end with a limited number of slots should watch. */
struct plan {
  fencepost_plan summary = FENCEPOST_PLAN_INIT;
  std::vector<bool> keep;             /* for each condition that was armed: true if its circle stays armed, false if you
                                         must disarm it */
  std::vector<armed_condition> armed; /* the circles to watch; the one with the nearest boundary comes first */
  /* The next start of a schedule, until which the plan holds; std::nullopt if no start follows. */
  std::optional<std::int64_t> next_start() const {
    if (summary.next_start_us == FENCEPOST_TIME_UNSET) return std::nullopt;
    return summary.next_start_us;
  }
};

namespace detail {

/* Calls explain(explanation), with more memory until all parts of a rule fit; returns the parts. */
template <class Explain>
std::vector<condition_state> parts(Explain &&explain) {
  std::vector<condition_state> parts;
  for (;;) {
    explanation out = FENCEPOST_EXPLANATION_INIT;
    out.parts = parts.data();
    out.parts_capacity = parts.size();
    explain(&out);
    const bool fits = out.part_count <= parts.size();
    parts.resize(static_cast<std::size_t>(out.part_count));
    if (fits) return parts;
  }
}

/* Calls plan(armed, armed_count, keep, out_armed, capacity, &count, &summary), with more memory until the circles fit. */
template <class Plan>
plan planned(const std::vector<std::uint64_t> &armed, const plan_options &with, Plan &&call_plan) {
  plan out;
  std::vector<std::uint32_t> keep(armed.size());
  std::size_t count = with.slots < 4096 ? with.slots : 4096;
  bool fitted;
  do {
    out.armed.resize(count);
    fitted =
        call_plan(armed.data(), armed.size(), keep.data(), out.armed.data(), out.armed.size(), &count, &out.summary);
  } while (!fitted);
  out.armed.resize(count);
  out.keep.assign(keep.begin(), keep.end());
  return out;
}

} // namespace detail

/* Holds a reference to a fencepost_conditions, a table that fleets share. Copies of this object refer to the same
   table. */
class conditions {
 public:
  /* An empty table. */
  conditions() : conditions(detail::created<fencepost_conditions>(fencepost_conditions_create)) {}
  static conditions restore(const std::vector<std::uint8_t> &snapshot) {
    return adopt(detail::created<fencepost_conditions>(fencepost_conditions_restore, snapshot.data(), snapshot.size()));
  }
  /* Takes ownership of a reference created by the C functions. */
  static conditions adopt(fencepost_conditions *handle) { return conditions(handle); }

  /* The C handle; the object keeps ownership. */
  fencepost_conditions *get() const noexcept { return handle_.get(); }

  std::vector<std::uint8_t> snapshot() const {
    return detail::listed<detail::bytes>(fencepost_conditions_snapshot, get());
  }

  /* Two tables of the same version accept each other's exported devices unchanged. */
  table_version version() const {
    table_version out = FENCEPOST_TABLE_VERSION_INIT;
    detail::call(fencepost_conditions_version, get(), &out);
    return out;
  }

  /* Changes. All definitions of a call are processed, or none; the position in an error is the index of the refused
     one. */

  /* Adds conditions of any kind, as in add({fencepost_circle("depot", 47.55, 7.59, 200)}). */
  void add(const std::vector<condition_definition> &definitions) {
    detail::call(fencepost_conditions_add, get(), definitions.data(), definitions.size());
  }
  /* Leaves equal conditions unchanged, adds or replaces the other listed conditions, and keeps all conditions that are
     not listed. */
  sync_result ensure(const std::vector<condition_definition> &definitions) {
    sync_result result{};
    detail::call(fencepost_conditions_ensure, get(), definitions.data(), definitions.size(), &result);
    return result;
  }
  /* Makes the set of conditions equal to the given conditions: removes all other conditions, and ensures each given
     condition. */
  sync_result sync(const std::vector<condition_definition> &definitions) {
    sync_result result{};
    detail::call(fencepost_conditions_sync, get(), definitions.data(), definitions.size(), &result);
    return result;
  }

  /* The put functions add or ensure many conditions from columns (FENCEPOST_PUT_ADD, FENCEPOST_PUT_ENSURE). `common`
     contains what all rows have in common. */

  sync_result put_circles(fencepost_put_mode mode, const circle_columns &columns,
                          const condition_definition &common = FENCEPOST_CONDITION_DEFINITION_INIT) {
    const std::vector<const char *> rows =
        detail::rows(columns.identifiers, {columns.latitudes.size(), columns.longitudes.size(), columns.radii_m.size()},
                     {columns.tags.size()});
    sync_result result{};
    detail::call(fencepost_conditions_put_circles, get(), mode, &common, rows.data(), columns.latitudes.data(),
                 columns.longitudes.data(), columns.radii_m.data(), detail::column(columns.tags), rows.size(), &result);
    return result;
  }

  sync_result put_beacons(fencepost_put_mode mode, const beacon_columns &columns,
                          const condition_definition &common = FENCEPOST_CONDITION_DEFINITION_INIT) {
    const std::vector<const char *> rows =
        detail::rows(columns.identifiers, {columns.beacons.size()}, {columns.tags.size()});
    std::vector<std::uint8_t> uuids;
    std::vector<std::int32_t> majors, minors;
    for (const beacon &each : columns.beacons) {
      uuids.insert(uuids.end(), each.uuid.begin(), each.uuid.end());
      majors.push_back(detail::number(each.major));
      minors.push_back(detail::number(each.minor));
    }
    sync_result result{};
    detail::call(fencepost_conditions_put_beacons, get(), mode, &common, rows.data(), uuids.data(), majors.data(),
                 minors.data(), detail::column(columns.tags), rows.size(), &result);
    return result;
  }

  /* The kind in `common` decides whether the rows are polygons, corridors or lines. */
  sync_result put_geometries(fencepost_put_mode mode, const shape_columns &columns,
                             const condition_definition &common) {
    const std::vector<const char *> rows =
        detail::rows(columns.identifiers, {}, {columns.radii_m.size(), columns.tags.size()});
    if (!columns.condition_offsets.empty() && columns.condition_offsets.size() != rows.size() + 1)
      throw error(FENCEPOST_E_INVALID_ARGUMENT, 0, "condition_offsets must have one element more than the identifiers");
    sync_result result{};
    detail::call(fencepost_conditions_put_geometries, get(), mode, &common, rows.data(), &columns.geometry,
                 detail::column(columns.condition_offsets), detail::column(columns.radii_m),
                 detail::column(columns.tags), rows.size(), &result);
    return result;
  }

  /* With the default of `common`, the geometries are polygons or, if they are lines, corridors. */
  sync_result put_wkb(fencepost_put_mode mode, const wkb_columns &columns,
                      const condition_definition &common = fencepost_wkb(nullptr, nullptr, 0, 0)) {
    const std::vector<const char *> rows =
        detail::rows(columns.identifiers, {columns.wkbs.size()}, {columns.radii_m.size(), columns.tags.size()});
    std::vector<const void *> starts;
    std::vector<std::size_t> sizes;
    for (const std::vector<std::uint8_t> &wkb : columns.wkbs) {
      starts.push_back(wkb.data());
      sizes.push_back(wkb.size());
    }
    sync_result result{};
    detail::call(fencepost_conditions_put_wkb, get(), mode, &common, rows.data(), starts.data(), sizes.data(),
                 detail::column(columns.radii_m), detail::column(columns.tags), rows.size(), &result);
    return result;
  }

  /* Returns whether the condition existed. */
  bool remove(const std::string &identifier) { return remove(std::vector<std::string>{identifier}) != 0; }
  /* Returns how many of the conditions existed. */
  std::size_t remove(const std::vector<std::string> &identifiers) {
    const std::vector<const char *> texts = detail::terminated(identifiers);
    std::size_t removed = 0;
    detail::call(fencepost_conditions_remove, get(), texts.data(), texts.size(), &removed);
    return removed;
  }

  /* Questions about one condition. */

  fencepost::condition condition(const std::string &identifier) const {
    fencepost::condition out{};
    describe(identifier, &out, nullptr, nullptr);
    return out;
  }
  /* The policy of a condition, with the values of a preset filled in. */
  transition_policy policy(const std::string &identifier) const {
    transition_policy out = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
    describe(identifier, nullptr, &out, nullptr);
    return out;
  }
  /* Describes how a condition's geometry was read, for example its kind of edges and its depth, and its timing; for its
   * intervals, see active(). */
  fencepost::shape shape(const std::string &identifier) const {
    fencepost::shape out = FENCEPOST_SHAPE_INIT;
    describe(identifier, nullptr, nullptr, &out);
    return out;
  }
  /* The intervals in which a condition is active. Without intervals, the condition is always active if the member
   * has_active of its shape is 0, and otherwise never. */
  std::vector<interval> active(const std::string &identifier) const {
    std::vector<interval> found;
    fencepost::shape out = FENCEPOST_SHAPE_INIT;
    do { /* another thread may replace the condition */
      found.resize(static_cast<std::size_t>(out.active_count));
      out.active = found.data();
      out.active_capacity = found.size();
      describe(identifier, nullptr, nullptr, &out);
    } while (out.active_count > found.size());
    found.resize(static_cast<std::size_t>(out.active_count));
    return found;
  }
  /* The vertices of a polygon or corridor as well-known binary. */
  std::vector<std::uint8_t> geometry(const std::string &identifier) const {
    return detail::listed<detail::bytes>(fencepost_conditions_geometry, get(), detail::terminated(identifier));
  }
  /* The identifiers of the parts of a rule, in the order of the definition. */
  std::vector<std::string> parts(const std::string &identifier) const {
    if (condition(identifier).kind != FENCEPOST_CONDITION_RULE) return {};
    const auto read = [this, &identifier](char *joined, std::size_t capacity, std::size_t *size,
                                          fencepost_error *error) {
      return fencepost_conditions_geometry(get(), identifier.c_str(), joined, capacity, size, error);
    };
    return detail::split(detail::listed<std::string>(read));
  }
  /* The point on a condition's boundary that is nearest to a position; none if the condition has no boundary. */
  std::optional<place> nearest_boundary_point(const std::string &identifier, double latitude, double longitude) const {
    place found{};
    detail::call(fencepost_conditions_nearest_boundary_point, get(), detail::terminated(identifier), latitude,
                 longitude, &found.latitude, &found.longitude);
    if (std::isnan(found.latitude)) return std::nullopt;
    return found;
  }
  /* The probabilities that the true positions are inside a condition's shape. See fencepost_conditions_probability(). */
  std::vector<double> probability(const std::string &identifier, const measured_columns &positions, std::size_t count,
                                  double confidence = 0.68) const {
    std::vector<double> out(count);
    detail::call(fencepost_conditions_probability, get(), detail::terminated(identifier), &positions, count, confidence,
                 out.data());
    return out;
  }

  /* The identifiers of all conditions, in the order in which the conditions were added. */
  std::vector<std::string> identifiers() const {
    const auto read = [](fencepost_conditions *table, char *joined, std::size_t capacity, std::size_t *size,
                         fencepost_error *error) {
      return fencepost_conditions_identifiers(table, joined, capacity, size, nullptr, error);
    };
    return detail::split(detail::listed<std::string>(read, get()));
  }
  /* The identifiers of the conditions with the given generations. The identifier of a condition that was removed or
     replaced is an empty text. */
  std::vector<std::string> identifiers(const std::vector<std::uint64_t> &generations) const {
    return detail::split(detail::listed<std::string>(fencepost_conditions_identifiers_of_generations, get(),
                                                     generations.data(), generations.size()));
  }

  /* Questions about points. The answers for columns of points describe the conditions at one moment, even if another
     thread changes them. */

  /* The conditions that contain a point, in the order in which they were added. */
  std::vector<located_condition> containing(double latitude, double longitude) const {
    std::vector<std::uint64_t> generations;
    std::vector<double> distances;
    std::size_t count = 8;
    do {
      generations.resize(count);
      distances.resize(count);
    } while (!detail::fits(fencepost_conditions_containing, get(), latitude, longitude, generations.data(),
                           distances.data(), generations.size(), &count));
    return located(generations, distances, count);
  }
  /* For each of the `count` points in `columns`, finds the conditions that contain the point. */
  containing_conditions containing(const point_columns &columns, std::size_t count, bool distances = false) const {
    containing_conditions found;
    found.offsets.resize(count + 1);
    std::size_t size = count;
    do {
      found.generations.resize(size + 1);
      if (distances) found.distances_m.resize(size + 1);
    } while (!detail::fits(fencepost_conditions_containing_columns, get(), &columns, count, found.offsets.data(),
                           found.generations.data(), distances ? found.distances_m.data() : nullptr, size + 1, &size));
    found.generations.resize(size);
    if (distances) found.distances_m.resize(size);
    return found;
  }

  /* The conditions whose boundaries are nearest to a point: at most `most` conditions, the nearest first. */
  std::vector<located_condition> nearest(double latitude, double longitude, std::size_t most = 1) const {
    std::vector<std::uint64_t> generations(most);
    std::vector<double> distances(most);
    std::size_t count = 0;
    detail::call(fencepost_conditions_nearest, get(), latitude, longitude, most, generations.data(), distances.data(),
                 &count);
    return located(generations, distances, count);
  }
  /* For each of the `count` points in `columns`, finds the conditions whose boundaries are nearest to the point. */
  nearest_conditions nearest(const point_columns &columns, std::size_t count, std::size_t most) const {
    nearest_conditions found;
    if (most != 0 && count > found.generations.max_size() / most)
      throw error(FENCEPOST_E_INVALID_ARGUMENT, 0, "count * most must be at most the largest size of a vector");
    found.stride = most;
    found.generations.resize(count * most);
    found.distances_m.resize(count * most);
    detail::call(fencepost_conditions_nearest_columns, get(), &columns, count, most, found.generations.data(),
                 found.distances_m.data(), &found.count);
    return found;
  }

 private:
  explicit conditions(fencepost_conditions *handle) : handle_(handle, detail::destroy()) {}

  void describe(const std::string &identifier, fencepost::condition *condition, transition_policy *policy,
                fencepost::shape *shape) const {
    detail::call(fencepost_conditions_describe, get(), detail::terminated(identifier), condition, policy, shape);
  }

  std::vector<located_condition> located(std::vector<std::uint64_t> generations, const std::vector<double> &distances,
                                         std::size_t count) const {
    generations.resize(count);
    std::vector<std::string> names = identifiers(generations);
    std::vector<located_condition> all;
    for (std::size_t i = 0; i < count; i++) all.push_back({std::move(names[i]), generations[i], distances[i]});
    return all;
  }

  std::shared_ptr<fencepost_conditions> handle_;
};

/* The base of monitors and fleets: it owns the C handle, saves the state and delivers events. */
template <class Self, class Handle>
class engine {
  using functions = detail::functions<Handle>;

 public:
  /* Takes ownership of an object created by the C functions. */
  static Self adopt(Handle *handle) noexcept { return Self(handle); }
  /* The C handle; the object keeps ownership. */
  Handle *get() const noexcept { return handle_.get(); }
  /* Releases ownership of the C handle; destroy it with fencepost_monitor_destroy() or fencepost_fleet_destroy(). */
  Handle *release() noexcept { return handle_.release(); }

  /* An independent copy in memory, which delivers the uncommitted events again, as the original does after a crash. */
  Self fork() const { return Self(detail::created<Handle>(functions::fork, get())); }

  /* The table of conditions. The table can still be used after the engine is destroyed; a monitor then no longer saves
     the changes to its table. */
  fencepost::conditions conditions() const {
    return fencepost::conditions::adopt(detail::created<fencepost_conditions>(functions::conditions, get()));
  }

  /* Saves all unsaved changes, so that the store covers all inputs. */
  void checkpoint() { detail::call(functions::checkpoint, get()); }
  /* Saves everything and closes the store; the engine continues in memory. */
  void close() { detail::call(functions::close, get()); }
  std::vector<std::uint8_t> snapshot() const { return detail::listed<detail::bytes>(functions::snapshot, get()); }

  /* The next event, or none, as from fencepost_monitor_poll_event(). Each call acknowledges the event that the previous
     call returned. */
  std::optional<event> poll_event() {
    event out;
    if (poll_events(&out, 1) == 0) return std::nullopt;
    return out;
  }
  /* Stores up to capacity events in the caller's memory; returns how many it stored. With capacity 0, returns the number
     of events that wait, and changes nothing. */
  std::size_t poll_events(event *into, std::size_t capacity) {
    std::size_t count = 0;
    detail::call(functions::poll_events, get(), into, capacity, &count);
    return count;
  }
  /* Commits the delivered events: they will not be delivered again. */
  void acknowledge() { detail::call(functions::acknowledge, get()); }
  /* Returns the delivered, uncommitted events to the queue: they are delivered again. */
  void abandon() { detail::call(functions::abandon, get()); }
  /* Sets the callback for available events; see fencepost_monitor_set_wakeup() for the rules. The callback must not
     throw. NULL removes the callback. */
  void set_wakeup(fencepost_wakeup callback, void *context = nullptr) {
    detail::call(functions::set_wakeup, get(), callback, context);
  }

  /* The pending events, for a range-based for loop. Advancing to the next event acknowledges the previous event. If an
     exception leaves the loop while an event is being handled, that event is delivered again, with the same sequence.
     After a `break`, the last event is still unacknowledged: acknowledge() or the next poll commits it, and abandon()
     returns it to the queue. */
  class event_range {
   public:
    class iterator {
     public:
      using iterator_category = std::input_iterator_tag;
      using value_type = event;
      using difference_type = std::ptrdiff_t;
      using pointer = const event *;
      using reference = const event &;

      iterator() = default;
      explicit iterator(engine *source) : source_(source) { ++*this; }
      reference operator*() const { return *event_; }
      pointer operator->() const { return &*event_; }
      iterator &operator++() {
        event_ = source_->poll_event();
        return *this;
      }
      void operator++(int) { ++*this; }
      friend bool operator==(const iterator &left, const iterator &right) {
        return left.event_.has_value() == right.event_.has_value();
      }
      friend bool operator!=(const iterator &left, const iterator &right) { return !(left == right); }

     private:
      engine *source_ = nullptr;
      std::optional<event> event_;
    };

    explicit event_range(engine *source) : source_(source), exceptions_(std::uncaught_exceptions()) {}
    event_range(const event_range &) = default;
    event_range &operator=(const event_range &) = default;
    ~event_range() {
      if (std::uncaught_exceptions() > exceptions_) functions::abandon(source_->get(), nullptr);
    }
    iterator begin() const { return iterator(source_); }
    iterator end() const { return iterator(); }

   private:
    engine *source_;
    int exceptions_;
  };
  event_range events() { return event_range(this); }

 protected:
  explicit engine(Handle *handle) noexcept : handle_(handle) {}

 private:
  std::unique_ptr<Handle, detail::destroy> handle_;
};

/* Owns a fencepost_monitor: one device, with conditions of its own. */
class monitor : public engine<monitor, fencepost_monitor> {
 public:
  /* A monitor without a name, or with chosen.name in chosen.store_directory. */
  explicit monitor(const options &chosen = FENCEPOST_MONITOR_OPTIONS_INIT)
      : engine(detail::created<fencepost_monitor>(fencepost_monitor_create, nullptr, &chosen)) {}
  explicit monitor(const std::string &name, const options &chosen = FENCEPOST_MONITOR_OPTIONS_INIT)
      : engine(detail::created<fencepost_monitor>(fencepost_monitor_create, detail::terminated(name), &chosen)) {}

  static monitor restore(const std::vector<std::uint8_t> &snapshot) {
    return adopt(detail::created<fencepost_monitor>(fencepost_monitor_restore, snapshot.data(), snapshot.size()));
  }

  fencepost::statistics statistics() const {
    fencepost::statistics out = FENCEPOST_STATISTICS_INIT;
    detail::call(fencepost_monitor_statistics, get(), &out);
    return out;
  }

  /* Conditions. Degrees and metres. conditions() has the functions for other kinds and for many conditions. Only the
     policy, the tag and the assumed state of the definition count. */

  void add_circular_condition(const std::string &identifier, double latitude, double longitude, double radius_m,
                              const condition_definition &with = FENCEPOST_CONDITION_DEFINITION_INIT) {
    detail::call(fencepost_monitor_add_circular_condition, get(), detail::terminated(identifier), latitude, longitude,
                 radius_m, &with);
  }
  void add_beacon_condition(const std::string &identifier, const beacon &identity,
                            const condition_definition &with = FENCEPOST_CONDITION_DEFINITION_INIT) {
    detail::call(fencepost_monitor_add_beacon_condition, get(), detail::terminated(identifier), identity.uuid.data(),
                 detail::number(identity.major), detail::number(identity.minor), &with);
  }

  /* Inputs. Times are microseconds since 1970-01-01T00:00:00Z. */

  void feed(const fix &sample) { detail::call(fencepost_monitor_feed_fix, get(), &sample); }
  /* Feeds one fix with an error ellipse. */
  void feed(const fix &sample, const error_ellipse &ellipse) {
    const fix_columns one = detail::one_fix(sample, ellipse);
    detail::call(fencepost_monitor_feed_columns, get(), &one, std::size_t{1}, nullptr);
  }
  /* Feeds many fixes, without copying the array. If the queue becomes full, the error is FENCEPOST_E_QUEUE_FULL, and
     its position is the index of the first row that was not consumed. */
  feed_result feed(const fix *fixes, std::size_t count) {
    feed_result result{};
    detail::call(fencepost_monitor_feed_fixes, get(), fixes, count, &result);
    return result;
  }
  feed_result feed(const std::vector<fix> &fixes) { return feed(fixes.data(), fixes.size()); }
  /* Feeds many fixes from columns, which are read in place. */
  feed_result feed(const fix_columns &columns, std::size_t count) {
    feed_result result{};
    detail::call(fencepost_monitor_feed_columns, get(), &columns, count, &result);
    return result;
  }
  /* Feeds one scan report: the beacons observed at one instant. */
  void feed_sightings(const std::vector<beacon_sighting> &sightings, std::int64_t time_us) {
    detail::call(fencepost_monitor_feed_sightings, get(), sightings.data(), sightings.size(), time_us);
  }
  void set_beacon_scanning(bool scanning, std::int64_t time_us) {
    detail::call(fencepost_monitor_set_beacon_scanning, get(), std::uint32_t{scanning}, time_us);
  }
  void set_host_capabilities(std::uint32_t diagnostics, std::uint32_t unsupported_kinds, std::int64_t time_us) {
    detail::call(fencepost_monitor_set_host_capabilities, get(), diagnostics, unsupported_kinds, time_us);
  }
  void advance(std::int64_t time_us) { detail::call(fencepost_monitor_advance, get(), time_us); }
  /* Sets the clock back, for example after inputs with wrong times. */
  void rewind(std::int64_t time_us) { detail::call(fencepost_monitor_rewind, get(), time_us); }
  /* The earliest time at which something happens even without any input; none if nothing is due. */
  std::optional<std::int64_t> next_deadline() const {
    std::int64_t out = FENCEPOST_TIME_UNSET;
    detail::call(fencepost_monitor_next_deadline, get(), &out);
    return detail::time_or_none(out);
  }

  /* Questions. */

  /* The observed state, including changes whose events are still pending. */
  fencepost_state state(const std::string &identifier) const {
    fencepost_state out = FENCEPOST_STATE_UNKNOWN;
    detail::call(fencepost_monitor_state, get(), detail::terminated(identifier), &out);
    return out;
  }
  /* The conditions that are in a state now, in the order in which they were added; all of them for
     FENCEPOST_STATE_ANY. */
  std::vector<condition_state> list_conditions(fencepost_state state = FENCEPOST_STATE_ANY) const {
    return detail::in_parts(
        [this, state](auto... part) { detail::call(fencepost_monitor_list_conditions, get(), state, part...); });
  }
  fencepost::record record(const std::string &identifier) const {
    fencepost::record out;
    detail::call(fencepost_monitor_record, get(), detail::terminated(identifier), &out);
    return out;
  }
  fencepost::explanation explain(const std::string &identifier) const {
    fencepost::explanation out = FENCEPOST_EXPLANATION_INIT;
    detail::call(fencepost_monitor_explain, get(), detail::terminated(identifier), &out);
    return out;
  }
  /* The parts of a rule, each with the state that the rule counts; empty for other conditions. */
  std::vector<condition_state> explain_parts(const std::string &identifier) const {
    return detail::parts([&](fencepost::explanation *out) {
      detail::call(fencepost_monitor_explain, get(), detail::terminated(identifier), out);
    });
  }
  /* Metres that a device at a position can move without crossing a boundary; INFINITY if there is no boundary. */
  double safe_distance(double latitude, double longitude) const {
    double out = 0;
    detail::call(fencepost_monitor_safe_distance, get(), latitude, longitude, &out);
    return out;
  }
  /* Plans which circles to watch around the position of the last fix. `armed` contains the generations of the
     conditions that are armed now. */
  fencepost::plan plan(double latitude, double longitude, double accuracy_m,
                       const std::vector<std::uint64_t> &armed = {},
                       const plan_options &with = FENCEPOST_PLAN_OPTIONS_INIT) const {
    return detail::planned(armed, with, [&](auto... output) {
      return detail::fits(fencepost_monitor_plan, get(), latitude, longitude, accuracy_m, &with, output...);
    });
  }

 private:
  friend engine;
  explicit monitor(fencepost_monitor *handle) noexcept : engine(handle) {}
};

/* An event as one line of JSON. The event of a fleet's device begins with the identifier of the device. */
inline std::string json(const event &of, const std::string &device_identifier = {}) {
  std::string text(8192, '\0'); /* enough for every event */
  std::size_t size = 0;
  detail::call(fencepost_event_json, &of, device_identifier.empty() ? nullptr : detail::terminated(device_identifier),
               text.data(), text.size(), &size);
  text.resize(size);
  return text;
}

/* Owns a fencepost_fleet: many devices over one table of conditions. Its functions name a device by its number. */
class fleet : public engine<fleet, fencepost_fleet> {
 public:
  /* A fleet over chosen.conditions, or over a new, empty table; conditions() returns the table. */
  explicit fleet(const options &chosen = FENCEPOST_FLEET_OPTIONS_INIT)
      : engine(detail::created<fencepost_fleet>(fencepost_fleet_create, &chosen)) {}
  /* A fleet over the given table. */
  explicit fleet(const fencepost::conditions &table, options chosen = FENCEPOST_FLEET_OPTIONS_INIT)
      : fleet((chosen.conditions = table.get(), chosen)) {}

  /* Restores a fleet in memory, with a table of its own. */
  static fleet restore(const std::vector<std::uint8_t> &snapshot) { return restore(snapshot, nullptr); }
  /* Restores a fleet in memory, over the given table. */
  static fleet restore(const std::vector<std::uint8_t> &snapshot, const fencepost::conditions &table) {
    return restore(snapshot, table.get());
  }

  fleet_counters statistics() const {
    fleet_counters out = FENCEPOST_FLEET_COUNTERS_INIT;
    detail::call(fencepost_fleet_statistics, get(), &out);
    return out;
  }
  device_statistics statistics(fencepost::device device) const {
    device_statistics out = FENCEPOST_DEVICE_STATISTICS_INIT;
    detail::call(fencepost_fleet_device_statistics, get(), device.number(), &out);
    return out;
  }

  /* Devices. */

  /* The number of a device, which is created if it does not exist. */
  fencepost::device device(const std::string &identifier) { return entered({identifier}, true).front(); }
  /* The number of a device; none if there is no such device. */
  std::optional<fencepost::device> find(const std::string &identifier) const {
    const fencepost::device found = entered({identifier}, false).front();
    if (found == fencepost::device()) return std::nullopt;
    return found;
  }
  /* The numbers of many devices; numbers() of them can be the dictionary of fleet_columns. Devices that do not exist are
     created. All or none. */
  std::vector<fencepost::device> devices(const std::vector<std::string> &identifiers) {
    return entered(identifiers, true);
  }
  /* The numbers of all devices, in ascending order of their places. */
  std::vector<fencepost::device> list_devices() const {
    return devices_of(detail::listed<std::vector<fencepost_device>>(fencepost_fleet_list_devices, get()));
  }
  std::string device_identifier(fencepost::device device) const {
    return detail::listed<std::string>(fencepost_fleet_device_identifier, get(), device.number());
  }
  /* The position of a device's last accepted fix; none if the device has no fix. */
  std::optional<place> position(fencepost::device device) const {
    place found{};
    const fencepost_device number = device.number();
    detail::call(fencepost_fleet_device_positions, get(), &number, std::size_t{1}, &found.latitude, &found.longitude);
    if (std::isnan(found.latitude)) return std::nullopt;
    return found;
  }
  /* Removes devices; all or none. */
  void remove_devices(const std::vector<fencepost::device> &devices, bool drop_events = false) {
    detail::call(fencepost_fleet_remove_devices, get(), numbers(devices).data(), devices.size(),
                 std::uint32_t{drop_events});
  }
  /* Removes the devices that have been silent since before a given time, by the times of their inputs or by the arrival
     times of these inputs. Returns the numbers of the removed devices. */
  std::vector<fencepost::device> expire_devices(std::int64_t before_us,
                                                fencepost_expiry expiry = FENCEPOST_EXPIRY_INPUT) {
    return devices_of(
        detail::listed<std::vector<fencepost_device>>(fencepost_fleet_expire_devices, get(), expiry, before_us));
  }

  /* Inputs. Times are microseconds since 1970-01-01T00:00:00Z. */

  /* Sets the arrival time of the inputs that are fed after this call. */
  void set_arrival_time(std::int64_t time_us) { detail::call(fencepost_fleet_set_arrival_time, get(), time_us); }
  void feed(fencepost::device device, const fix &sample) {
    detail::call(fencepost_fleet_feed_fix, get(), device.number(), &sample);
  }
  /* Feeds one fix with an error ellipse. */
  void feed(fencepost::device device, const fix &sample, const error_ellipse &ellipse) {
    const fix_columns one = detail::one_fix(sample, ellipse);
    const fencepost_device number = device.number();
    fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
    columns.devices = &number;
    columns.fixes = &one;
    detail::call(fencepost_fleet_feed_columns, get(), &columns, std::size_t{1}, nullptr);
  }
  /* Feeds many fixes of many devices. If the queue becomes full, the error is FENCEPOST_E_QUEUE_FULL, and its position
     is the index of the first row that was not consumed. */
  feed_result feed(const fleet_columns &columns, std::size_t count) {
    feed_result result{};
    detail::call(fencepost_fleet_feed_columns, get(), &columns, count, &result);
    return result;
  }
  void feed_sightings(fencepost::device device, const std::vector<beacon_sighting> &sightings, std::int64_t time_us) {
    detail::call(fencepost_fleet_feed_sightings, get(), device.number(), sightings.data(), sightings.size(), time_us);
  }
  void set_beacon_scanning(fencepost::device device, bool scanning, std::int64_t time_us) {
    detail::call(fencepost_fleet_set_beacon_scanning, get(), device.number(), std::uint32_t{scanning}, time_us);
  }
  void set_host_capabilities(fencepost::device device, std::uint32_t diagnostics, std::uint32_t unsupported_kinds,
                             std::int64_t time_us) {
    detail::call(fencepost_fleet_set_host_capabilities, get(), device.number(), diagnostics, unsupported_kinds,
                 time_us);
  }
  /* Tells the fleet that time has passed, for all devices or for one. With `force`, max_time_step_us does not limit an
     advance of all devices. */
  void advance(std::int64_t time_us, fencepost::device device = all_devices, bool force = false) {
    detail::call(fencepost_fleet_advance, get(), device.number(), time_us, std::uint32_t{force});
  }
  /* Sets back the clock of one device, or the fleet's clock and each clock of a device that is later. */
  void rewind(std::int64_t time_us, fencepost::device device = all_devices) {
    detail::call(fencepost_fleet_rewind, get(), device.number(), time_us);
  }
  /* The earliest time at which something happens to any device, or to one device, even without any input; none if
     nothing is due. */
  std::optional<std::int64_t> next_deadline(fencepost::device device = all_devices) const {
    std::int64_t time = FENCEPOST_TIME_UNSET;
    detail::call(fencepost_fleet_next_deadline, get(), device.number(), &time);
    return detail::time_or_none(time);
  }

  /* Questions. */

  fencepost_state state(fencepost::device device, const std::string &identifier) const {
    fencepost_state out = FENCEPOST_STATE_UNKNOWN;
    detail::call(fencepost_fleet_state, get(), device.number(), detail::terminated(identifier), &out);
    return out;
  }
  /* The conditions that are in a state for a device now, in the order in which they were added. By default, the
     conditions that the device is inside, and the beacons near it. */
  std::vector<condition_state> list_conditions(fencepost::device device,
                                               fencepost_state state = FENCEPOST_STATE_SATISFIED) const {
    return detail::in_parts([this, device, state](auto... part) {
      detail::call(fencepost_fleet_list_conditions, get(), device.number(), state, part...);
    });
  }
  /* The devices that are inside a condition, or near a beacon. */
  std::vector<device_presence> list_devices_inside(const std::string &identifier) const {
    return detail::listed<std::vector<device_presence>>(fencepost_fleet_list_devices_inside, get(),
                                                        detail::terminated(identifier));
  }
  /* All pairs of a device and a condition for which the device is inside the condition, or near the condition's
     beacon. */
  std::vector<device_presence> list_devices_inside() const {
    return detail::listed<std::vector<device_presence>>(fencepost_fleet_list_devices_inside, get(), nullptr);
  }
  fencepost::explanation explain(fencepost::device device, const std::string &identifier) const {
    fencepost::explanation out = FENCEPOST_EXPLANATION_INIT;
    detail::call(fencepost_fleet_explain, get(), device.number(), detail::terminated(identifier), &out);
    return out;
  }
  /* See monitor::explain_parts(). */
  std::vector<condition_state> explain_parts(fencepost::device device, const std::string &identifier) const {
    return detail::parts([&](fencepost::explanation *out) {
      detail::call(fencepost_fleet_explain, get(), device.number(), detail::terminated(identifier), out);
    });
  }
  /* See monitor::safe_distance(). */
  double safe_distance(fencepost::device device, double latitude, double longitude) const {
    double out = 0;
    detail::call(fencepost_fleet_safe_distance, get(), device.number(), latitude, longitude, &out);
    return out;
  }
  /* See monitor::plan(). */
  fencepost::plan plan(fencepost::device device, double latitude, double longitude, double accuracy_m,
                       const std::vector<std::uint64_t> &armed = {},
                       const plan_options &with = FENCEPOST_PLAN_OPTIONS_INIT) const {
    return detail::planned(armed, with, [&](auto... output) {
      return detail::fits(fencepost_fleet_plan, get(), device.number(), latitude, longitude, accuracy_m, &with,
                          output...);
    });
  }
  /* An event as one line of JSON, with the device's identifier first. */
  std::string json(const event &of) const {
    return fencepost::json(of, device_identifier(fencepost::device(of.device)));
  }

  /* Moving devices. */

  /* Exports devices as bytes; the devices also stay in this fleet. Portable bytes can also be imported into a fleet
     whose table has a different version. */
  std::vector<std::vector<std::uint8_t>> export_devices(const std::vector<fencepost::device> &devices,
                                                        bool portable = false) const {
    const std::vector<fencepost_device> given = numbers(devices);
    std::vector<std::uint64_t> offsets(devices.size() + 1);
    const auto read = [&](void *buffer, std::size_t capacity, std::size_t *size, fencepost_error *error) {
      return fencepost_fleet_export_devices(get(), given.data(), given.size(), std::uint32_t{portable}, buffer,
                                            capacity, offsets.data(), size, error);
    };
    const detail::bytes all = detail::listed<detail::bytes>(read);
    std::vector<std::vector<std::uint8_t>> each;
    for (std::size_t i = 0; i < devices.size(); ++i)
      each.emplace_back(all.data() + offsets[i], all.data() + offsets[i + 1]);
    return each;
  }
  /* Adds exported devices, all or none; returns their numbers. */
  std::vector<fencepost::device> import_devices(const std::vector<std::string> &identifiers,
                                                const std::vector<std::vector<std::uint8_t>> &devices,
                                                bool adapt = false) {
    const std::vector<const char *> texts = detail::rows(identifiers, {devices.size()}, {});
    detail::bytes all;
    std::vector<std::uint64_t> offsets{0};
    for (const std::vector<std::uint8_t> &device : devices) {
      all.insert(all.end(), device.begin(), device.end());
      offsets.push_back(all.size());
    }
    std::vector<fencepost_device> found(texts.size());
    detail::call(fencepost_fleet_import_devices, get(), texts.data(), all.data(), offsets.data(), texts.size(),
                 std::uint32_t{adapt}, found.data());
    return devices_of(found);
  }

 private:
  friend engine;
  explicit fleet(fencepost_fleet *handle) noexcept : engine(handle) {}

  static fleet restore(const std::vector<std::uint8_t> &snapshot, fencepost_conditions *table) {
    return adopt(detail::created<fencepost_fleet>(fencepost_fleet_restore, snapshot.data(), snapshot.size(), table));
  }

  std::vector<fencepost::device> entered(const std::vector<std::string> &identifiers, bool create) const {
    const std::vector<const char *> texts = detail::terminated(identifiers);
    std::vector<fencepost_device> found(texts.size());
    detail::call(fencepost_fleet_enter_devices, get(), texts.data(), texts.size(), std::uint32_t{create}, found.data());
    return devices_of(found);
  }

  static std::vector<fencepost::device> devices_of(const std::vector<fencepost_device> &numbers) {
    return std::vector<fencepost::device>(numbers.begin(), numbers.end());
  }
};

/* The signed distances of points to the boundary of a definition, in metres: negative inside, 0 on the boundary. */
inline std::vector<double> distance(const condition_definition &definition, const point_columns &columns,
                                    std::size_t count) {
  std::vector<double> distances(count);
  detail::call(fencepost_definition_distance, &definition, &columns, count, distances.data());
  return distances;
}

/* The signed distance of one point, in metres: 0 or less if the point is inside. */
inline double distance(const condition_definition &definition, double latitude, double longitude) {
  point_columns columns = FENCEPOST_POINT_COLUMNS_INIT;
  columns.latitudes = &latitude;
  columns.longitudes = &longitude;
  return distance(definition, columns, 1).front();
}

/* Offers a fix to a filter; returns true if the fix is accepted. */
inline bool accept(significant_change_filter &filter, const fix &sample) {
  std::uint32_t accepted = 0;
  detail::call(fencepost_significant_change_accept, &filter, &sample, &accepted);
  return accepted != 0;
}

/* The index of the fix that has the least uncertainty at a given time; none if no fix is usable. */
inline std::optional<std::size_t> best_fix(const std::vector<fix> &fixes, std::int64_t now_us,
                                           const fix_selection &selection = FENCEPOST_FIX_SELECTION_INIT) {
  std::size_t index = 0;
  std::uint32_t available = 0;
  detail::call(fencepost_best_fix, fixes.data(), fixes.size(), now_us, &selection, &index, &available);
  if (available == 0) return std::nullopt;
  return index;
}

/* Reads a UUID in its 8-4-4-4-12 form. */
inline uuid parse_uuid(const std::string &text) {
  uuid out{};
  detail::call(fencepost_uuid_parse, detail::terminated(text), out.data());
  return out;
}

/* Parses a beacon's advertisement; company_id has the same meaning as in fencepost_beacon_parse_advertisement(). */
inline fencepost_beacon_advertisement parse_advertisement(const std::uint8_t *payload, std::size_t size,
                                                          std::int32_t company_id = -1,
                                                          std::int32_t rssi_dbm = INT32_MIN) {
  fencepost_beacon_advertisement out{};
  detail::call(fencepost_beacon_parse_advertisement, payload, size, company_id, rssi_dbm, &out);
  return out;
}

/* The length of a geodesic in metres, and its azimuths at both ends, in degrees clockwise from north. */
struct inverse {
  double distance_m;
  double azimuth1;
  double azimuth2;
};
inline inverse geodesic_inverse(double latitude1, double longitude1, double latitude2, double longitude2) {
  inverse out{};
  detail::call(fencepost_geodesic_inverse, latitude1, longitude1, latitude2, longitude2, &out.distance_m, &out.azimuth1,
               &out.azimuth2);
  return out;
}

/* The end of a path with the given start, azimuth and length, in degrees. */
struct direct {
  double latitude;
  double longitude;
  double azimuth2;
};
inline direct geodesic_direct(double latitude, double longitude, double azimuth, double distance_m) {
  direct out{};
  detail::call(fencepost_geodesic_direct, latitude, longitude, azimuth, distance_m, &out.latitude, &out.longitude,
               &out.azimuth2);
  return out;
}

} // namespace fencepost

#endif /* FENCEPOST_HPP */

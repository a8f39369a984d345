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
 * For many devices, use fencepost::conditions, a table of conditions, and fencepost::fleet, which feeds the devices.
 *
 * The structures are those of the C header under shorter names. Every function throws fencepost::error on failure; the
 * C header states which changes remain after a failure. A moved-from monitor may only be destroyed or assigned to.
 * The rules for threads and fork() are those of the C header.
 *
 * Not wrapped: none.
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

namespace detail {

inline void check(fencepost_status status, const fencepost_error &error) {
  if (status != FENCEPOST_OK) throw fencepost::error(status, error.position, error.message);
}

/* Returns a text for C. Throws if the text contains a zero byte, because C would silently cut the text there. */
inline const char *terminated(const std::string &text) {
  if (text.find('\0') != std::string::npos)
    throw error(FENCEPOST_E_INVALID_ARGUMENT, 0, "the text has a zero byte inside");
  return text.c_str();
}

/* Calls copy(buffer, capacity, &size), with more memory each time, until the result fits. Another thread may make the
   result larger between two calls. */
template <class Container, class Copy>
Container sized(Copy copy) {
  Container bytes;
  std::size_t size = 0;
  copy(nullptr, std::size_t{0}, &size);
  for (;;) {
    bytes.resize(size + 1); /* texts are terminated */
    if (copy(bytes.data(), bytes.size(), &size) == FENCEPOST_OK) break;
  }
  bytes.resize(size);
  return bytes;
}

/* Splits a list of texts that each end with a zero byte. */
inline std::vector<std::string> split(const std::string &joined) {
  std::vector<std::string> all;
  for (std::size_t start = 0; start < joined.size(); start += all.back().size() + 1)
    all.emplace_back(joined.c_str() + start);
  return all;
}

struct destroy {
  void operator()(fencepost_monitor *monitor) const noexcept { fencepost_monitor_destroy(monitor); }
  void operator()(fencepost_conditions *conditions) const noexcept { fencepost_conditions_destroy(conditions); }
  void operator()(fencepost_fleet *fleet) const noexcept { fencepost_fleet_destroy(fleet); }
};

} // namespace detail

/* The presets and initial values that the C header defines as macros. */
inline options standard_options() { return FENCEPOST_MONITOR_OPTIONS_INIT; }
inline options core_location_options() { return FENCEPOST_MONITOR_OPTIONS_CORE_LOCATION_INIT; }
inline plan_options standard_plan_options() { return FENCEPOST_PLAN_OPTIONS_INIT; }
inline significant_change_filter standard_significant_change_filter() {
  return FENCEPOST_SIGNIFICANT_CHANGE_FILTER_INIT;
}
inline fix_selection standard_fix_selection() { return FENCEPOST_FIX_SELECTION_INIT; }
inline transition_policy standard_policy() { return FENCEPOST_TRANSITION_POLICY_STANDARD_INIT; }
inline transition_policy exact_policy() { return FENCEPOST_TRANSITION_POLICY_EXACT_INIT; }
inline transition_policy core_location_policy() { return FENCEPOST_TRANSITION_POLICY_CORE_LOCATION_INIT; }

/* A definition with the default options: a circle without an identifier. The functions of the C header, such as
   fencepost_circle() and fencepost_polygon(), build definitions as well. */
inline condition_definition standard_definition() { return FENCEPOST_CONDITION_DEFINITION_INIT; }
/* The common definition of wkb_columns: polygons or corridors, with the default options. */
inline condition_definition standard_wkb_definition() { return fencepost_wkb(nullptr, nullptr, 0, 0); }

/* A geometry without columns; set its columns before you use it. */
inline geometry standard_geometry() { return FENCEPOST_GEOMETRY_INIT; }

inline options standard_fleet_options() { return FENCEPOST_FLEET_OPTIONS_INIT; }
inline fleet_columns standard_fleet_columns() { return FENCEPOST_FLEET_COLUMNS_INIT; }

/* A beacon identity. */
struct beacon {
  fencepost::uuid uuid{};
  std::optional<std::uint16_t> major{}; /* nullopt = any major */
  std::optional<std::uint16_t> minor{}; /* nullopt = any minor; a minor needs a major */
};

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
  fencepost::geometry geometry = standard_geometry();
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
};

namespace detail {

/* Repeats a planning call, with more memory each time, until the list of armed conditions fits. */
template <class Call>
plan plan_of(const std::vector<std::uint64_t> &armed, const fencepost_plan_options &with, Call &&call) {
  plan out;
  std::vector<std::uint32_t> keep(armed.size());
  out.armed.resize(with.slots < 4096 ? with.slots : 4096);
  for (;;) {
    std::size_t count = 0;
    const fencepost_status status =
        call(armed.data(), armed.size(), keep.data(), out.armed.data(), out.armed.size(), &count, &out.summary);
    out.armed.resize(count);
    if (status == FENCEPOST_OK) break;
  }
  out.keep.assign(keep.begin(), keep.end());
  return out;
}

/* The base class of the wrapper classes: it calls C functions, throws their errors, and converts arguments for C. */
class calls {
 protected:
  template <class Function, class... Arguments>
  static void call(Function function, Arguments... arguments) {
    fencepost_error error = FENCEPOST_ERROR_INIT;
    detail::check(function(arguments..., &error), error);
  }

  /* Does the same as call(), but returns BUFFER_TOO_SMALL instead of throwing. */
  template <class Function, class... Arguments>
  static fencepost_status repeatable(Function function, Arguments... arguments) {
    fencepost_error error = FENCEPOST_ERROR_INIT;
    const fencepost_status status = function(arguments..., &error);
    if (status != FENCEPOST_E_BUFFER_TOO_SMALL) detail::check(status, error);
    return status;
  }

  static std::vector<const char *> texts_of(const std::vector<std::string> &texts) {
    std::vector<const char *> pointers;
    pointers.reserve(texts.size());
    for (const std::string &text : texts) pointers.push_back(detail::terminated(text));
    return pointers;
  }

  static std::vector<const char *> rows_of(const circle_columns &columns) {
    const std::size_t count = columns.identifiers.size();
    if (columns.latitudes.size() != count || columns.longitudes.size() != count || columns.radii_m.size() != count ||
        (!columns.tags.empty() && columns.tags.size() != count))
      throw error(FENCEPOST_E_INVALID_ARGUMENT, 0, "the columns differ in length");
    return texts_of(columns.identifiers);
  }

  static std::vector<const char *> rows_of(const shape_columns &columns) {
    const std::size_t count = columns.identifiers.size();
    if ((!columns.radii_m.empty() && columns.radii_m.size() != count) ||
        (!columns.tags.empty() && columns.tags.size() != count) ||
        (!columns.condition_offsets.empty() && columns.condition_offsets.size() != count + 1))
      throw error(FENCEPOST_E_INVALID_ARGUMENT, 0, "the columns differ in length");
    return texts_of(columns.identifiers);
  }

  static std::vector<const char *> rows_of(const wkb_columns &columns) {
    const std::size_t count = columns.identifiers.size();
    if (columns.wkbs.size() != count || (!columns.radii_m.empty() && columns.radii_m.size() != count) ||
        (!columns.tags.empty() && columns.tags.size() != count))
      throw error(FENCEPOST_E_INVALID_ARGUMENT, 0, "the columns differ in length");
    return texts_of(columns.identifiers);
  }

  struct wkb_pointers {
    std::vector<const void *> starts;
    std::vector<std::size_t> sizes;

    explicit wkb_pointers(const wkb_columns &columns) {
      for (const std::vector<std::uint8_t> &wkb : columns.wkbs) {
        starts.push_back(wkb.data());
        sizes.push_back(wkb.size());
      }
    }
  };

  static std::vector<const char *> rows_of(const beacon_columns &columns) {
    const std::size_t count = columns.identifiers.size();
    if (columns.beacons.size() != count || (!columns.tags.empty() && columns.tags.size() != count))
      throw error(FENCEPOST_E_INVALID_ARGUMENT, 0, "the columns differ in length");
    return texts_of(columns.identifiers);
  }

  struct beacon_numbers {
    std::vector<std::uint8_t> uuids;
    std::vector<std::int32_t> majors;
    std::vector<std::int32_t> minors;

    explicit beacon_numbers(const beacon_columns &columns) {
      for (const beacon &each : columns.beacons) {
        uuids.insert(uuids.end(), each.uuid.begin(), each.uuid.end());
        majors.push_back(number(each.major));
        minors.push_back(number(each.minor));
      }
    }
  };

  template <class Element>
  static const Element *data_of(const std::vector<Element> &column) {
    return column.empty() ? nullptr : column.data();
  }

  static std::int32_t number(std::optional<std::uint16_t> value) { return value ? std::int32_t{*value} : -1; }
};

/* Reads a list of conditions in parts, until a part is not full. */
template <class Read>
std::vector<fencepost_condition_state> in_parts(Read read) {
  constexpr std::size_t size = 64;
  std::vector<fencepost_condition_state> all;
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

} // namespace detail

class conditions;

/* Owns a fencepost_monitor. */
class monitor : private detail::calls {
 public:
  /* A private monitor in memory. */
  explicit monitor(const options &chosen = standard_options()) : monitor(nullptr, chosen) {}
  explicit monitor(const std::string &name, const options &chosen = standard_options())
      : monitor(detail::terminated(name), chosen) {}
  explicit monitor(const char *name, const options &chosen = standard_options()) {
    fencepost_monitor *created = nullptr;
    call(fencepost_monitor_create, name, &chosen, &created);
    handle_.reset(created);
  }

  /* Takes ownership of a monitor created by the C functions. */
  static monitor adopt(fencepost_monitor *handle) noexcept { return monitor(adopted{}, handle); }
  static monitor restore(const void *snapshot, std::size_t size) {
    fencepost_monitor *created = nullptr;
    call(fencepost_monitor_restore, snapshot, size, &created);
    return adopt(created);
  }
  static monitor restore(const std::vector<std::uint8_t> &snapshot) {
    return restore(snapshot.data(), snapshot.size());
  }

  /* The C handle, for functions without a wrapper; the object keeps ownership. */
  fencepost_monitor *get() const noexcept { return handle_.get(); }
  /* Releases ownership of the C handle; destroy it with fencepost_monitor_destroy(). */
  fencepost_monitor *release() noexcept { return handle_.release(); }

  /* Returns the monitor's own table of conditions; the monitor saves changes to this table. The table can still be used
     after the monitor is destroyed, but then changes to it are no longer saved. */
  inline fencepost::conditions conditions() const;

  /* Returns an independent copy, which delivers the uncommitted events again, as the monitor does after a crash. */
  monitor fork() const {
    fencepost_monitor *created = nullptr;
    call(fencepost_monitor_fork, get(), &created);
    return adopt(created);
  }

  /* The name with which the monitor was created; empty if it has none. */
  std::string name() const { return statistics().name; }

  fencepost::statistics statistics() const {
    fencepost::statistics out = FENCEPOST_STATISTICS_INIT;
    call(fencepost_monitor_statistics, get(), &out);
    return out;
  }

  /* Stores and snapshots. */

  void checkpoint() { call(fencepost_monitor_checkpoint, get()); }
  /* Closes the store; the monitor continues in memory. */
  void close() { call(fencepost_monitor_close, get()); }

  std::vector<std::uint8_t> snapshot() const {
    return detail::sized<std::vector<std::uint8_t>>([this](void *buffer, std::size_t capacity, std::size_t *size) {
      return repeatable(fencepost_monitor_snapshot, get(), buffer, capacity, size);
    });
  }

  /* Conditions. Degrees and metres. conditions() has the functions for other kinds and for many conditions. Only the
     policy, the tag and the assumed state of the definition count. */

  void add_circular_condition(const std::string &identifier, double latitude, double longitude, double radius_m,
                              const condition_definition &with = standard_definition()) {
    call(fencepost_monitor_add_circular_condition, get(), detail::terminated(identifier), latitude, longitude, radius_m,
         &with);
  }

  void add_beacon_condition(const std::string &identifier, const beacon &identity,
                            const condition_definition &with = standard_definition()) {
    call(fencepost_monitor_add_beacon_condition, get(), detail::terminated(identifier), identity.uuid.data(),
         number(identity.major), number(identity.minor), &with);
  }

  fencepost::record record(const std::string &identifier) const {
    fencepost::record out;
    call(fencepost_monitor_record, get(), detail::terminated(identifier), &out);
    return out;
  }

  /* The conditions that are in a state now, in the order in which they were added; all of them for
     FENCEPOST_STATE_ANY. */
  std::vector<condition_state> list_conditions(fencepost_state state = FENCEPOST_STATE_ANY) const {
    return detail::in_parts(
        [this, state](auto... part) { call(fencepost_monitor_list_conditions, get(), state, part...); });
  }

  fencepost::explanation explain(const std::string &identifier) const {
    fencepost::explanation out = FENCEPOST_EXPLANATION_INIT;
    call(fencepost_monitor_explain, get(), detail::terminated(identifier), &out);
    return out;
  }

  /* The observed state, including changes whose events are still pending. */
  fencepost_state state(const std::string &identifier) const {
    fencepost_state out = FENCEPOST_STATE_UNKNOWN;
    call(fencepost_monitor_state, get(), detail::terminated(identifier), &out);
    return out;
  }

  /* Metres that a device at a position can move without crossing a boundary; INFINITY if there is no boundary. */
  double safe_distance(double latitude, double longitude) const {
    double out = 0;
    call(fencepost_monitor_safe_distance, get(), latitude, longitude, &out);
    return out;
  }

  /* The earliest time at which something happens even without any input; none if nothing is due. */
  std::optional<std::int64_t> next_deadline() const {
    std::int64_t out = FENCEPOST_TIME_UNSET;
    call(fencepost_monitor_next_deadline, get(), &out);
    if (out == FENCEPOST_TIME_UNSET) return std::nullopt;
    return out;
  }

  /* Plans which circles to watch around the position of the last fix. `armed` contains the generations of the
     conditions that are armed now. */
  fencepost::plan plan(double latitude, double longitude, double accuracy_m,
                       const std::vector<std::uint64_t> &armed = {},
                       const plan_options &with = standard_plan_options()) const {
    return detail::plan_of(armed, with, [&](auto... output) {
      return repeatable(fencepost_monitor_plan, get(), latitude, longitude, accuracy_m, &with, output...);
    });
  }

  /* Inputs. Times are microseconds since 1970-01-01T00:00:00Z. */

  void feed(const fix &sample) { call(fencepost_monitor_feed_fix, get(), &sample); }

  /* Feeds many fixes, without copying the array. If the queue becomes full, the error is FENCEPOST_E_QUEUE_FULL, and
     its position is the index of the first row that was not consumed. */
  feed_result feed(const fix *fixes, std::size_t count) {
    feed_result result{};
    call(fencepost_monitor_feed_fixes, get(), fixes, count, &result);
    return result;
  }
  feed_result feed(const std::vector<fix> &fixes) { return feed(fixes.data(), fixes.size()); }

  /* Feeds many fixes from columns, which are read in place; initialise the columns with FENCEPOST_FIX_COLUMNS_INIT. */
  feed_result feed(const fix_columns &columns, std::size_t count) {
    feed_result result{};
    call(fencepost_monitor_feed_columns, get(), &columns, count, &result);
    return result;
  }

  /* Feeds one scan report: the beacons observed at one instant. */
  void feed_sightings(const std::vector<beacon_sighting> &sightings, std::int64_t time_us) {
    call(fencepost_monitor_feed_sightings, get(), sightings.data(), sightings.size(), time_us);
  }
  void set_beacon_scanning(bool scanning, std::int64_t time_us) {
    call(fencepost_monitor_set_beacon_scanning, get(), std::uint32_t{scanning}, time_us);
  }
  void set_host_capabilities(std::uint32_t diagnostics, std::uint32_t unsupported_kinds, std::int64_t time_us) {
    call(fencepost_monitor_set_host_capabilities, get(), diagnostics, unsupported_kinds, time_us);
  }
  void advance(std::int64_t time_us) { call(fencepost_monitor_advance, get(), time_us); }
  /* Sets the clock back, for example after inputs with wrong times. */
  void rewind(std::int64_t time_us) { call(fencepost_monitor_rewind, get(), time_us); }

  /* Events. */

  /* The next event, or none. Each call acknowledges the event that the previous call returned. */
  std::optional<event> poll_event() {
    event out;
    std::uint32_t available = 0;
    call(fencepost_monitor_poll_event, get(), &out, &available);
    if (available == 0) return std::nullopt;
    return out;
  }

  /* Stores up to capacity events in the caller's memory; returns how many it stored. With capacity 0, returns the number
     of events that wait, and changes nothing. */
  std::size_t poll_events(event *events, std::size_t capacity) {
    std::size_t count = 0;
    call(fencepost_monitor_poll_events, get(), events, capacity, &count);
    return count;
  }

  /* Commits the delivered events: they will not be delivered again. */
  void acknowledge() { call(fencepost_monitor_acknowledge, get()); }

  /* Returns the delivered, uncommitted events to the queue: they are delivered again. */
  void abandon() { call(fencepost_monitor_abandon, get()); }

  /* Sets the callback for available events; see fencepost_monitor_set_wakeup() for the rules. The callback must not
     throw. NULL removes the callback. */
  void set_wakeup(fencepost_wakeup callback, void *context = nullptr) {
    call(fencepost_monitor_set_wakeup, get(), callback, context);
  }

  /* Calls a function with each pending event and acknowledges the event after the function has returned. If the
     function throws, the event is delivered again, with the same sequence, by the next poll. Returns how many events
     were handled. */
  template <class Handler>
  std::size_t handle_events(Handler &&handler) {
    std::size_t count = 0;
    for (const event &next : events()) {
      handler(next);
      ++count;
    }
    return count;
  }

  /* The pending events, for a range-based for loop. Advancing to the next event acknowledges the previous event. If an
     exception leaves the loop while an event is being handled, that event is delivered again. After a `break`, the last
     event is still unacknowledged: acknowledge() or the next poll commits it, and abandon() returns it to the queue. */
  class event_range {
   public:
    class iterator {
     public:
      using iterator_category = std::input_iterator_tag;
      using value_type = fencepost::event;
      using difference_type = std::ptrdiff_t;
      using pointer = const fencepost::event *;
      using reference = const fencepost::event &;

      iterator() = default;
      explicit iterator(monitor *source) : source_(source) { ++*this; }
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
      monitor *source_ = nullptr;
      std::optional<fencepost::event> event_;
    };

    explicit event_range(monitor *source) : source_(source), exceptions_(std::uncaught_exceptions()) {}
    event_range(const event_range &) = default;
    event_range &operator=(const event_range &) = default;
    ~event_range() {
      if (std::uncaught_exceptions() > exceptions_) fencepost_monitor_abandon(source_->get(), nullptr);
    }
    iterator begin() const { return iterator(source_); }
    iterator end() const { return iterator(); }

   private:
    monitor *source_;
    int exceptions_;
  };
  event_range events() { return event_range(this); }

 private:
  struct adopted {};
  monitor(adopted, fencepost_monitor *handle) noexcept : handle_(handle) {}

  std::unique_ptr<fencepost_monitor, detail::destroy> handle_;
};

/* Holds a reference to a fencepost_conditions, a table that fleets share. Copies of this object refer to the same
   table. */
class conditions : private detail::calls {
 public:
  /* An empty table. */
  conditions() {
    fencepost_conditions *created = nullptr;
    call(fencepost_conditions_create, &created);
    handle_.reset(created, detail::destroy());
  }

  /* Takes ownership of a reference created by the C functions. */
  static conditions adopt(fencepost_conditions *handle) { return conditions(adopted{}, handle); }
  static conditions restore(const std::vector<std::uint8_t> &snapshot) {
    fencepost_conditions *created = nullptr;
    call(fencepost_conditions_restore, snapshot.data(), snapshot.size(), &created);
    return adopt(created);
  }

  /* The C handle, for functions without a wrapper; the object keeps ownership. */
  fencepost_conditions *get() const noexcept { return handle_.get(); }

  std::vector<std::uint8_t> snapshot() const {
    return detail::sized<std::vector<std::uint8_t>>([this](void *buffer, std::size_t capacity, std::size_t *size) {
      return repeatable(fencepost_conditions_snapshot, get(), buffer, capacity, size);
    });
  }

  /* Two tables of the same version accept each other's exported devices unchanged. */
  table_version version() const {
    table_version out = FENCEPOST_TABLE_VERSION_INIT;
    call(fencepost_conditions_version, get(), &out);
    return out;
  }

  /* The probabilities that the true positions are inside a condition's shape. See fencepost_conditions_probability(). */
  std::vector<double> probability(const std::string &identifier, const measured_columns &positions, std::size_t count,
                                  double confidence = 0.68) const {
    std::vector<double> out(count);
    call(fencepost_conditions_probability, get(), detail::terminated(identifier), &positions, count, confidence,
         out.data());
    return out;
  }

  /* The put functions add or ensure many conditions from columns (FENCEPOST_PUT_ADD, FENCEPOST_PUT_ENSURE). `common`
     contains what all rows have in common. All rows are processed, or none; the position in an error is the index of
     the refused row. */

  sync_result put_circles(fencepost_put_mode mode, const circle_columns &columns,
                          const condition_definition &common = standard_definition()) {
    const std::vector<const char *> identifiers = rows_of(columns);
    sync_result result{};
    call(fencepost_conditions_put_circles, get(), mode, &common, identifiers.data(), columns.latitudes.data(),
         columns.longitudes.data(), columns.radii_m.data(), data_of(columns.tags), identifiers.size(), &result);
    return result;
  }

  sync_result put_beacons(fencepost_put_mode mode, const beacon_columns &columns,
                          const condition_definition &common = standard_definition()) {
    const std::vector<const char *> identifiers = rows_of(columns);
    const beacon_numbers beacons(columns);
    sync_result result{};
    call(fencepost_conditions_put_beacons, get(), mode, &common, identifiers.data(), beacons.uuids.data(),
         beacons.majors.data(), beacons.minors.data(), data_of(columns.tags), identifiers.size(), &result);
    return result;
  }

  /* The kind in `common` decides whether the rows are polygons, corridors or lines. */
  sync_result put_geometries(fencepost_put_mode mode, const shape_columns &columns,
                             const condition_definition &common) {
    const std::vector<const char *> identifiers = rows_of(columns);
    sync_result result{};
    call(fencepost_conditions_put_geometries, get(), mode, &common, identifiers.data(), &columns.geometry,
         data_of(columns.condition_offsets), data_of(columns.radii_m), data_of(columns.tags), identifiers.size(),
         &result);
    return result;
  }

  sync_result put_wkb(fencepost_put_mode mode, const wkb_columns &columns,
                      const condition_definition &common = standard_wkb_definition()) {
    const std::vector<const char *> identifiers = rows_of(columns);
    const wkb_pointers wkbs(columns);
    sync_result result{};
    call(fencepost_conditions_put_wkb, get(), mode, &common, identifiers.data(), wkbs.starts.data(), wkbs.sizes.data(),
         data_of(columns.radii_m), data_of(columns.tags), identifiers.size(), &result);
    return result;
  }

  /* Adds conditions of any kind, as in add({fencepost_circle("depot", 47.55, 7.59, 200)}). Adds all elements or none; the
     position in an error is the index of the refused element. */
  void add(const std::vector<condition_definition> &definitions) {
    call(fencepost_conditions_add, get(), definitions.data(), definitions.size());
  }

  /* Leaves equal conditions unchanged, adds or replaces the other listed conditions, and keeps all conditions that are
     not listed. All or none. */
  sync_result ensure(const std::vector<condition_definition> &definitions) {
    sync_result result{};
    call(fencepost_conditions_ensure, get(), definitions.data(), definitions.size(), &result);
    return result;
  }

  /* Makes the set of conditions equal to the given conditions: removes all other conditions, and ensures each given
     condition. All or none. */
  sync_result sync(const std::vector<condition_definition> &definitions) {
    sync_result result{};
    call(fencepost_conditions_sync, get(), definitions.data(), definitions.size(), &result);
    return result;
  }

  /* Returns whether the condition existed. */
  bool remove(const std::string &identifier) { return remove(std::vector<std::string>{identifier}) != 0; }

  /* Returns how many of the conditions existed. */
  std::size_t remove(const std::vector<std::string> &identifiers) {
    const std::vector<const char *> texts = texts_of(identifiers);
    std::size_t removed = 0;
    call(fencepost_conditions_remove, get(), texts.data(), texts.size(), &removed);
    return removed;
  }

  fencepost::condition condition(const std::string &identifier) const {
    fencepost::condition out{};
    call(fencepost_conditions_describe, get(), detail::terminated(identifier), &out, nullptr, nullptr);
    return out;
  }

  /* The policy of a condition, with the values of a preset filled in. */
  transition_policy policy(const std::string &identifier) const {
    transition_policy out = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
    call(fencepost_conditions_describe, get(), detail::terminated(identifier), nullptr, &out, nullptr);
    return out;
  }

  /* The vertices of a polygon or corridor as well-known binary. */
  std::vector<std::uint8_t> geometry(const std::string &identifier) const {
    return detail::sized<std::vector<std::uint8_t>>([this, &identifier](void *buffer, std::size_t capacity,
                                                                        std::size_t *size) {
      return repeatable(fencepost_conditions_geometry, get(), detail::terminated(identifier), buffer, capacity, size);
    });
  }

  /* Describes how a condition's geometry was read, for example its kind of edges and its depth. */
  fencepost::shape shape(const std::string &identifier) const {
    fencepost::shape out = FENCEPOST_SHAPE_INIT;
    call(fencepost_conditions_describe, get(), detail::terminated(identifier), nullptr, nullptr, &out);
    return out;
  }

  /* The identifiers of all conditions, in the order in which the conditions were added. */
  std::vector<std::string> identifiers() const {
    return detail::split(detail::sized<std::string>([this](char *buffer, std::size_t capacity, std::size_t *size) {
      return repeatable(fencepost_conditions_identifiers, get(), buffer, capacity, size, nullptr);
    }));
  }

  /* Questions about points. */

  /* The conditions that contain a point, in the order in which they were added. */
  std::vector<located_condition> containing(double latitude, double longitude) const {
    std::vector<std::uint64_t> generations(8);
    std::vector<double> distances(8);
    std::size_t count = 0;
    while (repeatable(fencepost_conditions_containing, get(), latitude, longitude, generations.data(), distances.data(),
                      generations.size(), &count) != FENCEPOST_OK) {
      generations.resize(count);
      distances.resize(count);
    }
    return located(generations, distances, count);
  }

  /* For each of the `count` points in `columns`, finds the conditions that contain the point. All results describe the
     conditions at the same moment, even if another thread changes them. */
  containing_conditions containing(const point_columns &columns, std::size_t count, bool distances = false) const {
    containing_conditions found;
    found.offsets.resize(count + 1);
    std::size_t size = count;
    fencepost_status status;
    do {
      found.generations.resize(size + 1);
      if (distances) found.distances_m.resize(size + 1);
      status = repeatable(fencepost_conditions_containing_columns, get(), &columns, count, found.offsets.data(),
                          found.generations.data(), distances ? found.distances_m.data() : nullptr, size + 1, &size);
    } while (status != FENCEPOST_OK);
    found.generations.resize(size);
    if (distances) found.distances_m.resize(size);
    return found;
  }

  /* The conditions whose boundaries are nearest to a point: at most `most` conditions, the nearest first. */
  std::vector<located_condition> nearest(double latitude, double longitude, std::size_t most = 1) const {
    std::vector<std::uint64_t> generations(most);
    std::vector<double> distances(most);
    std::size_t count = 0;
    call(fencepost_conditions_nearest, get(), latitude, longitude, most, generations.data(), distances.data(), &count);
    return located(generations, distances, count);
  }

  /* For each of the `count` points in `columns`, finds the conditions whose boundaries are nearest to the point. All
     results describe the conditions at the same moment, even if another thread changes them. */
  nearest_conditions nearest(const point_columns &columns, std::size_t count, std::size_t most) const {
    nearest_conditions found;
    if (most != 0 && count > found.generations.max_size() / most)
      throw error(FENCEPOST_E_INVALID_ARGUMENT, 0, "more elements are asked for than can be");
    found.stride = most;
    found.generations.resize(count * most);
    found.distances_m.resize(count * most);
    call(fencepost_conditions_nearest_columns, get(), &columns, count, most, found.generations.data(),
         found.distances_m.data(), &found.count);
    return found;
  }

  /* The identifiers of the conditions with the given generations. The identifier of a condition that was removed or
     replaced is an empty text. */
  std::vector<std::string> identifiers(const std::vector<std::uint64_t> &generations) const {
    return detail::split(
        detail::sized<std::string>([this, &generations](char *buffer, std::size_t capacity, std::size_t *size) {
          return repeatable(fencepost_conditions_identifiers_of_generations, get(), generations.data(),
                            generations.size(), buffer, capacity, size);
        }));
  }

  /* The point on a condition's boundary that is nearest to a position; none if the condition has no boundary. */
  std::optional<place> nearest_boundary_point(const std::string &identifier, double latitude, double longitude) const {
    place found{};
    call(fencepost_conditions_nearest_boundary_point, get(), detail::terminated(identifier), latitude, longitude,
         &found.latitude, &found.longitude);
    if (found.latitude != found.latitude) return std::nullopt;
    return found;
  }

 private:
  std::vector<located_condition> located(std::vector<std::uint64_t> generations, const std::vector<double> &distances,
                                         std::size_t count) const {
    generations.resize(count);
    std::vector<std::string> names = identifiers(generations);
    std::vector<located_condition> all;
    for (std::size_t i = 0; i < count; i++) all.push_back({std::move(names[i]), generations[i], distances[i]});
    return all;
  }

  struct adopted {};
  conditions(adopted, fencepost_conditions *handle) : handle_(handle, detail::destroy()) {}

  std::shared_ptr<fencepost_conditions> handle_;
};

inline fencepost::conditions monitor::conditions() const {
  fencepost_conditions *table = nullptr;
  call(fencepost_monitor_conditions, get(), &table);
  return fencepost::conditions::adopt(table);
}

/* The number of a device in its fleet. An integer does not convert to this type, so that a row or an index is not taken
   for a device. */
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

/* Owns a fencepost_fleet: many devices that share one table of conditions. */
class fleet : detail::calls {
 public:
  /* A fleet over chosen.conditions, or over a new, empty table; conditions() returns the table. */
  explicit fleet(const options &chosen = standard_fleet_options()) {
    fencepost_fleet *created = nullptr;
    call(fencepost_fleet_create, &chosen, &created);
    handle_.reset(created);
  }
  /* A fleet over the given table. */
  explicit fleet(const fencepost::conditions &table, options chosen = standard_fleet_options())
      : fleet((chosen.conditions = table.get(), chosen)) {}

  /* Restores a fleet in memory from a snapshot. The fleet uses the given table of conditions, or a table of its own if
     no table is given. */
  static fleet restore(const std::vector<std::uint8_t> &snapshot) {
    fencepost_fleet *created = nullptr;
    call(fencepost_fleet_restore, snapshot.data(), snapshot.size(), nullptr, &created);
    return adopt(created);
  }
  static fleet restore(const std::vector<std::uint8_t> &snapshot, const fencepost::conditions &table) {
    fencepost_fleet *created = nullptr;
    call(fencepost_fleet_restore, snapshot.data(), snapshot.size(), table.get(), &created);
    return adopt(created);
  }

  /* Takes ownership of a fleet created by the C functions. */
  static fleet adopt(fencepost_fleet *handle) noexcept { return fleet(adopted{}, handle); }

  /* The C handle, for functions without a wrapper; the object keeps ownership. */
  fencepost_fleet *get() const noexcept { return handle_.get(); }
  /* Releases ownership of the C handle; destroy it with fencepost_fleet_destroy(). */
  fencepost_fleet *release() noexcept { return handle_.release(); }

  /* An independent copy in memory, in the state in which the fleet would be after a crash. Both share the table. */
  fleet fork() const {
    fencepost_fleet *created = nullptr;
    call(fencepost_fleet_fork, get(), &created);
    return adopt(created);
  }

  fencepost::conditions conditions() const {
    fencepost_conditions *table = nullptr;
    call(fencepost_fleet_conditions, get(), &table);
    return fencepost::conditions::adopt(table);
  }

  /* Stores and snapshots. */

  /* Saves all unsaved changes, so that the store covers all inputs of all devices. */
  void checkpoint() { call(fencepost_fleet_checkpoint, get()); }
  /* Saves everything and closes the store; the fleet continues in memory. */
  void close() { call(fencepost_fleet_close, get()); }
  std::vector<std::uint8_t> snapshot() const {
    return detail::sized<std::vector<std::uint8_t>>([this](void *buffer, std::size_t capacity, std::size_t *size) {
      return repeatable(fencepost_fleet_snapshot, get(), buffer, capacity, size);
    });
  }

  fleet_counters statistics() const {
    fleet_counters out = FENCEPOST_FLEET_COUNTERS_INIT;
    call(fencepost_fleet_statistics, get(), &out);
    return out;
  }
  device_statistics statistics(fencepost::device device) const {
    device_statistics out = FENCEPOST_DEVICE_STATISTICS_INIT;
    call(fencepost_fleet_device_statistics, get(), device.number(), &out);
    return out;
  }

  /* Devices. Inputs name a device by its number. */

  /* The number of a device, which is created if it does not exist. */
  fencepost::device device(const std::string &identifier) { return look_up(identifier, true); }
  /* The number of a device; none if there is no such device. */
  std::optional<fencepost::device> find(const std::string &identifier) const {
    const fencepost::device found = look_up(identifier, false);
    if (found.number() == FENCEPOST_NO_DEVICE) return std::nullopt;
    return found;
  }
  /* The numbers of many devices; numbers() of them can be the dictionary of fleet_columns. Devices that do not exist are
     created. All or none. */
  std::vector<fencepost::device> devices(const std::vector<std::string> &identifiers) {
    const std::vector<const char *> texts = texts_of(identifiers);
    std::vector<fencepost_device> numbers(texts.size());
    call(fencepost_fleet_enter_devices, get(), texts.data(), texts.size(), 1u, numbers.data());
    return devices_of(numbers);
  }
  /* The numbers of all devices, in ascending order of their places. */
  std::vector<fencepost::device> list_devices() const {
    return devices_of(
        numbers_of<fencepost_device>([this](fencepost_device *out, std::size_t capacity, std::size_t *count) {
          return repeatable(fencepost_fleet_list_devices, get(), out, capacity, count);
        }));
  }
  std::string device_identifier(fencepost::device device) const {
    return detail::sized<std::string>([this, device](char *buffer, std::size_t capacity, std::size_t *size) {
      return repeatable(fencepost_fleet_device_identifier, get(), device.number(), buffer, capacity, size);
    });
  }
  /* The position of a device's last accepted fix, latitude and longitude; none if the device has no fix. */
  std::optional<std::pair<double, double>> position(fencepost::device device) const {
    double latitude = 0, longitude = 0;
    const fencepost_device number = device.number();
    call(fencepost_fleet_device_positions, get(), &number, std::size_t{1}, &latitude, &longitude);
    if (std::isnan(latitude)) return std::nullopt;
    return std::pair{latitude, longitude};
  }
  /* Removes devices; all or none. */
  void remove_devices(const std::vector<fencepost::device> &devices, bool drop_events = false) {
    call(fencepost_fleet_remove_devices, get(), numbers(devices).data(), devices.size(), std::uint32_t{drop_events});
  }
  /* Removes the devices that have been silent since before a given time, by the times of their inputs or by the arrival
     times of these inputs. Returns the numbers of the removed devices. */
  std::vector<fencepost::device> expire_devices(std::int64_t before_us,
                                                fencepost_expiry expiry = FENCEPOST_EXPIRY_INPUT) {
    return devices_of(numbers_of<fencepost_device>(
        [this, before_us, expiry](fencepost_device *out, std::size_t capacity, std::size_t *count) {
          return repeatable(fencepost_fleet_expire_devices, get(), expiry, before_us, out, capacity, count);
        }));
  }

  /* Inputs. Times are microseconds since 1970-01-01T00:00:00Z. */

  /* Sets the arrival time of the inputs that are fed after this call. */
  void set_arrival_time(std::int64_t time_us) { call(fencepost_fleet_set_arrival_time, get(), time_us); }
  void feed(fencepost::device device, const fix &sample) {
    call(fencepost_fleet_feed_fix, get(), device.number(), &sample);
  }
  /* Feeds many fixes of many devices. If the queue becomes full, the error is FENCEPOST_E_QUEUE_FULL, and its position
     is the index of the first row that was not consumed. */
  feed_result feed(const fleet_columns &columns, std::size_t count) {
    feed_result result{};
    call(fencepost_fleet_feed_columns, get(), &columns, count, &result);
    return result;
  }
  void feed_sightings(fencepost::device device, const std::vector<beacon_sighting> &sightings, std::int64_t time_us) {
    call(fencepost_fleet_feed_sightings, get(), device.number(), sightings.data(), sightings.size(), time_us);
  }
  void set_beacon_scanning(fencepost::device device, bool scanning, std::int64_t time_us) {
    call(fencepost_fleet_set_beacon_scanning, get(), device.number(), std::uint32_t{scanning}, time_us);
  }
  /* Tells the fleet that time has passed, for all devices or for one. With `force`, max_time_step_us does not limit an
     advance of all devices. */
  void advance(std::int64_t time_us, fencepost::device device = all_devices, bool force = false) {
    call(fencepost_fleet_advance, get(), device.number(), time_us, std::uint32_t{force});
  }
  /* Sets back the clock of one device, or the fleet's clock and each clock of a device that is later. */
  void rewind(std::int64_t time_us, fencepost::device device = all_devices) {
    call(fencepost_fleet_rewind, get(), device.number(), time_us);
  }
  /* The earliest time at which something happens to any device, or to one device, even without any input; none if
     nothing is due. */
  std::optional<std::int64_t> next_deadline(fencepost::device device = all_devices) const {
    std::int64_t time = 0;
    call(fencepost_fleet_next_deadline, get(), device.number(), &time);
    return set(time);
  }

  /* Events. */

  /* The next event, or none. Each call acknowledges the event that the previous call returned. */
  std::optional<event> poll_event() {
    event out;
    std::uint32_t available = 0;
    call(fencepost_fleet_poll_event, get(), &out, &available);
    if (available == 0) return std::nullopt;
    return out;
  }
  /* Stores up to capacity events in the caller's memory; returns how many it stored. With capacity 0, returns the number
     of events that wait, and changes nothing. */
  std::size_t poll_events(event *events, std::size_t capacity) {
    std::size_t count = 0;
    call(fencepost_fleet_poll_events, get(), events, capacity, &count);
    return count;
  }
  void acknowledge() { call(fencepost_fleet_acknowledge, get()); }
  void abandon() { call(fencepost_fleet_abandon, get()); }
  /* See fencepost_fleet_set_wakeup(). The callback must not throw. */
  void set_wakeup(fencepost_wakeup callback, void *context = nullptr) {
    call(fencepost_fleet_set_wakeup, get(), callback, context);
  }
  /* See monitor::handle_events(). */
  template <class Handler>
  std::size_t handle_events(Handler &&handler) {
    std::size_t count = 0;
    while (const std::optional<event> next = poll_event()) {
      try {
        handler(*next);
      } catch (...) {
        fencepost_fleet_abandon(get(), nullptr);
        throw;
      }
      ++count;
    }
    return count;
  }
  /* An event as one line of JSON, with the device's identifier first. */
  std::string json(const event &of) const {
    const std::string device = device_identifier(fencepost::device(of.device));
    std::string text(8192, '\0');
    std::size_t size = 0;
    call(fencepost_event_json, &of, device.c_str(), text.data(), text.size(), &size);
    text.resize(size);
    return text;
  }

  /* Questions. */

  fencepost_state state(fencepost::device device, const std::string &identifier) const {
    fencepost_state out = FENCEPOST_STATE_UNKNOWN;
    call(fencepost_fleet_state, get(), device.number(), detail::terminated(identifier), &out);
    return out;
  }
  /* The conditions that are in a state for a device now, in the order in which they were added. By default, the
     conditions that the device is inside, and the beacons near it. */
  std::vector<condition_state> list_conditions(fencepost::device device,
                                               fencepost_state state = FENCEPOST_STATE_SATISFIED) const {
    return detail::in_parts([this, device, state](auto... part) {
      call(fencepost_fleet_list_conditions, get(), device.number(), state, part...);
    });
  }
  /* The devices that are inside a condition, or near a beacon. */
  std::vector<device_presence> list_devices_inside(const std::string &identifier) const {
    return numbers_of<device_presence>([&](device_presence *out, std::size_t capacity, std::size_t *count) {
      return repeatable(fencepost_fleet_list_devices_inside, get(), detail::terminated(identifier), out, capacity,
                        count);
    });
  }
  /* All pairs of a device and a condition for which the device is inside the condition, or near the condition's
     beacon. */
  std::vector<device_presence> list_devices_inside() const {
    return numbers_of<device_presence>([this](device_presence *out, std::size_t capacity, std::size_t *count) {
      return repeatable(fencepost_fleet_list_devices_inside, get(), nullptr, out, capacity, count);
    });
  }
  fencepost::explanation explain(fencepost::device device, const std::string &identifier) const {
    fencepost::explanation out = FENCEPOST_EXPLANATION_INIT;
    call(fencepost_fleet_explain, get(), device.number(), detail::terminated(identifier), &out);
    return out;
  }

  /* Metres that a device at a position can move without crossing a boundary; INFINITY if there is no boundary. */
  double safe_distance(fencepost::device device, double latitude, double longitude) const {
    double out = 0;
    call(fencepost_fleet_safe_distance, get(), device.number(), latitude, longitude, &out);
    return out;
  }
  /* Plans which circles to watch around the position of a device's last fix. `armed` contains the generations of the
     conditions that are armed now. */
  fencepost::plan plan(fencepost::device device, double latitude, double longitude, double accuracy_m,
                       const std::vector<std::uint64_t> &armed = {},
                       const plan_options &with = standard_plan_options()) const {
    return detail::plan_of(armed, with, [&](auto... output) {
      return repeatable(fencepost_fleet_plan, get(), device.number(), latitude, longitude, accuracy_m, &with,
                        output...);
    });
  }

  /* Moving devices. */

  /* Exports devices as bytes; the devices also stay in this fleet. Portable bytes can also be imported into a fleet
     whose table has a different version. */
  std::vector<std::vector<std::uint8_t>> export_devices(const std::vector<fencepost::device> &devices,
                                                        bool portable = false) const {
    const std::vector<fencepost_device> given = numbers(devices);
    std::vector<std::uint64_t> offsets(devices.size() + 1);
    const auto bytes =
        detail::sized<std::vector<std::uint8_t>>([&](void *buffer, std::size_t capacity, std::size_t *size) {
          return repeatable(fencepost_fleet_export_devices, get(), given.data(), given.size(), std::uint32_t{portable},
                            buffer, capacity, offsets.data(), size);
        });
    std::vector<std::vector<std::uint8_t>> each;
    for (std::size_t i = 0; i < devices.size(); ++i)
      each.emplace_back(bytes.data() + offsets[i], bytes.data() + offsets[i + 1]);
    return each;
  }
  /* Adds exported devices, all or none; returns their numbers. */
  std::vector<fencepost::device> import_devices(const std::vector<std::string> &identifiers,
                                                const std::vector<std::vector<std::uint8_t>> &devices,
                                                bool adapt = false) {
    if (identifiers.size() != devices.size())
      throw error(FENCEPOST_E_INVALID_ARGUMENT, 0, "the columns differ in length");
    const std::vector<const char *> texts = texts_of(identifiers);
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint64_t> offsets{0};
    for (const std::vector<std::uint8_t> &device : devices) {
      bytes.insert(bytes.end(), device.begin(), device.end());
      offsets.push_back(bytes.size());
    }
    std::vector<fencepost_device> numbers(texts.size());
    call(fencepost_fleet_import_devices, get(), texts.data(), bytes.data(), offsets.data(), texts.size(),
         std::uint32_t{adapt}, numbers.data());
    return devices_of(numbers);
  }

 private:
  struct adopted {};
  fleet(adopted, fencepost_fleet *handle) noexcept : handle_(handle) {}

  fencepost::device look_up(const std::string &identifier, bool create) const {
    const char *text = detail::terminated(identifier);
    fencepost_device number = FENCEPOST_NO_DEVICE;
    call(fencepost_fleet_enter_devices, get(), &text, std::size_t{1}, std::uint32_t{create}, &number);
    return fencepost::device(number);
  }

  static std::vector<fencepost::device> devices_of(const std::vector<fencepost_device> &numbers) {
    return std::vector<fencepost::device>(numbers.begin(), numbers.end());
  }

  /* Calls copy(elements, capacity, &count) until the memory is large enough. */
  template <class Element, class Copy>
  static std::vector<Element> numbers_of(Copy copy) {
    std::vector<Element> elements;
    std::size_t count = 0;
    copy(nullptr, std::size_t{0}, &count);
    do {
      elements.resize(count + 1);
    } while (copy(elements.data(), elements.size(), &count) != FENCEPOST_OK);
    elements.resize(count);
    return elements;
  }

  static std::optional<std::int64_t> set(std::int64_t time) {
    if (time == FENCEPOST_TIME_UNSET) return std::nullopt;
    return time;
  }

  std::unique_ptr<fencepost_fleet, detail::destroy> handle_;
};

/* The version of the loaded library, such as "0.3.0". */
inline const char *version() noexcept { return fencepost_version_string(); }

/* One sentence that says what a status means. */
inline const char *status_message(fencepost_status status) noexcept { return fencepost_status_message(status); }

/* The name of a state, such as "satisfied". */
inline const char *state_name(fencepost_state state) noexcept { return fencepost_state_name(state); }

/* The name of a cause, such as "crossing". */
inline const char *cause_name(fencepost_cause cause) noexcept { return fencepost_cause_name(cause); }

/* The name of a reason, such as "within_margin". */
inline const char *reason_name(fencepost_reason reason) noexcept { return fencepost_reason_name(reason); }

/* The signed distances of points to the boundary of a definition, in metres: negative inside, 0 on the boundary. */
inline std::vector<double> distance(const condition_definition &definition, const point_columns &columns,
                                    std::size_t count) {
  std::vector<double> distances(count);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  detail::check(fencepost_definition_distance(&definition, &columns, count, distances.data(), &error), error);
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
  fencepost_error error = FENCEPOST_ERROR_INIT;
  detail::check(fencepost_significant_change_accept(&filter, &sample, &accepted, &error), error);
  return accepted != 0;
}

/* The index of the fix that has the least uncertainty at a given time; none if no fix is usable. */
inline std::optional<std::size_t> best_fix(const std::vector<fix> &fixes, std::int64_t now_us,
                                           const fix_selection &selection = standard_fix_selection()) {
  std::size_t index = 0;
  std::uint32_t available = 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  detail::check(fencepost_best_fix(fixes.data(), fixes.size(), now_us, &selection, &index, &available, &error), error);
  if (available == 0) return std::nullopt;
  return index;
}

/* True if the deciding position is a point on the path between two fixes, not a fix; see FENCEPOST_PATH_GEODESIC. */
inline bool is_on_path(const event &of) { return (of.flags & FENCEPOST_EVENT_ON_PATH) != 0; }

/* True if the path before the event is unknown, so crossings may have been missed. */
inline bool follows_gap(const event &of) { return (of.flags & FENCEPOST_EVENT_AFTER_GAP) != 0; }

/* The direction in which a line condition was crossed, as seen along the line; none for events of other conditions. */
enum class crossing_direction {
  left_to_right,
  right_to_left
};

inline std::optional<crossing_direction> direction(const event &of) {
  if ((of.flags & FENCEPOST_EVENT_LEFT_TO_RIGHT) != 0) return crossing_direction::left_to_right;
  if ((of.flags & FENCEPOST_EVENT_RIGHT_TO_LEFT) != 0) return crossing_direction::right_to_left;
  return std::nullopt;
}

/* An event as one line of JSON. */
inline std::string json(const event &of) {
  std::string text(4096, '\0');
  std::size_t size = 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  detail::check(fencepost_event_json(&of, nullptr, text.data(), text.size(), &size, &error), error);
  text.resize(size);
  return text;
}

/* Reads a UUID in its 8-4-4-4-12 form. */
inline uuid parse_uuid(const std::string &text) {
  uuid out{};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  detail::check(fencepost_uuid_parse(detail::terminated(text), out.data(), &error), error);
  return out;
}

/* Parses a beacon's advertisement; company_id has the same meaning as in fencepost_beacon_parse_advertisement(). */
inline fencepost_beacon_advertisement parse_advertisement(const std::uint8_t *payload, std::size_t size,
                                                          std::int32_t company_id = -1,
                                                          std::int32_t rssi_dbm = INT32_MIN) {
  fencepost_beacon_advertisement out{};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  detail::check(fencepost_beacon_parse_advertisement(payload, size, company_id, rssi_dbm, &out, &error), error);
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
  fencepost_error error = FENCEPOST_ERROR_INIT;
  detail::check(fencepost_geodesic_inverse(latitude1, longitude1, latitude2, longitude2, &out.distance_m, &out.azimuth1,
                                           &out.azimuth2, &error),
                error);
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
  fencepost_error error = FENCEPOST_ERROR_INIT;
  detail::check(fencepost_geodesic_direct(latitude, longitude, azimuth, distance_m, &out.latitude, &out.longitude,
                                          &out.azimuth2, &error),
                error);
  return out;
}

} // namespace fencepost

#endif /* FENCEPOST_HPP */

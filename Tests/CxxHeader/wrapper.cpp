// Tests properties of fencepost.hpp that are known at compile time. Tests/CxxHeader/run.sh compiles this file, and
// Tests/CInstalled/run.sh runs it.
#include <fencepost.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <type_traits>
#include <vector>

static_assert(!std::is_copy_constructible<fencepost::monitor>::value, "a monitor has one owner");
static_assert(!std::is_copy_assignable<fencepost::monitor>::value, "a monitor has one owner");
static_assert(std::is_nothrow_move_constructible<fencepost::monitor>::value, "moves never fail");
static_assert(std::is_nothrow_move_assignable<fencepost::monitor>::value, "moves never fail");
static_assert(sizeof(fencepost::monitor) == sizeof(void *), "the wrapper costs nothing");
static_assert(std::is_base_of<std::exception, fencepost::error>::value, "catch (const std::exception &)");

namespace {

constexpr std::int64_t second = 1'000'000;
constexpr std::int64_t start = 1'700'000'000 * second;

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (false)

// Returns the status with which an action fails, or OK.
template <class Action>
fencepost_status status_of(Action action) {
  try {
    action();
    return FENCEPOST_OK;
  } catch (const fencepost::error &error) {
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    CHECK(std::string(error.name()) == fencepost_status_name(error.status()));
    return error.status();
  }
}

const fencepost::transition_policy exact_policy = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;

// A definition with the exact policy.
fencepost::condition_definition exact(fencepost::condition_definition definition, std::uint64_t tag = 0) {
  definition.policy = &exact_policy;
  definition.tag = tag;
  return definition;
}
fencepost::condition_definition exact(std::uint64_t tag = 0) { return exact(fencepost_circle(nullptr, 0, 0, 0), tag); }

// The fixes are on the equator: inside the circle (0, 0, 1000 m), then outside, and so on.
fencepost::fix at(bool inside, int seconds) { return {0, inside ? 0 : 0.1, 5, start + seconds * second}; }

static_assert(std::is_copy_constructible<fencepost::conditions>::value, "a table is shared");
static_assert(!std::is_copy_constructible<fencepost::fleet>::value, "a fleet has one owner");
static_assert(sizeof(fencepost::fleet) == sizeof(void *), "the wrapper costs nothing");

std::string name_of(const fencepost::monitor &monitor) { return monitor.statistics().name; }

void owning() {
  fencepost::monitor monitor("first");
  fencepost_monitor *handle = monitor.get();
  fencepost::monitor moved(std::move(monitor));
  CHECK(moved.get() == handle && name_of(moved) == "first");
  moved = fencepost::monitor("second");
  CHECK(name_of(moved) == "second");
  fencepost::monitor again = fencepost::monitor::adopt(moved.release());
  CHECK(moved.get() == nullptr && name_of(again) == "second");
  CHECK(name_of(fencepost::monitor()).empty());
}

void conditions() {
  fencepost::monitor monitor;
  fencepost::conditions own = monitor.conditions();
  monitor.add_circular_condition("a", 0, 0, 1000, exact(7));
  CHECK(own.ensure({exact(fencepost_circle("a", 0, 0, 1000), 7)}).kept == 1);
  CHECK(own.ensure({exact(fencepost_circle("a", 0, 0, 1001), 7)}).replaced == 1);
  const fencepost::uuid uuid = fencepost::parse_uuid("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0");
  monitor.add_beacon_condition("any", {uuid});
  CHECK(own.ensure({fencepost_beacon("one", uuid.data(), 1, 2)}).added == 1);
  CHECK(own.ensure({fencepost_beacon("one", uuid.data(), 1, 2)}).kept == 1);
  fencepost::circle_columns columns{{"x", "y"}, {1, 2}, {3, 4}, {50, 60}};
  columns.tags = {8, 9};
  CHECK(own.put_circles(FENCEPOST_PUT_ADD, columns).added == 2);
  CHECK((monitor.conditions().identifiers() == std::vector<std::string>{"a", "any", "one", "x", "y"}));
  const std::vector<fencepost::condition_state> listed = monitor.list_conditions();
  CHECK(listed.size() == 5 && listed[4].tag == 9 && listed[4].state == FENCEPOST_STATE_UNKNOWN);
  CHECK(monitor.record(listed[4].identifier).condition.latitude == 2);
  CHECK(monitor.conditions().policy("one").entry_dwell_us == 20000000);
  CHECK(monitor.conditions().condition("one").minor == 2 && monitor.conditions().condition("any").major == -1);
  CHECK(monitor.record("a").condition.radius_m == 1001);
  CHECK(own.remove("x") && !own.remove("x"));
  CHECK(monitor.explain("a").reason == FENCEPOST_REASON_NO_FIX_YET);
  CHECK(monitor.statistics().condition_count == 4);
  const char *const parts[] = {"a", "later"};
  CHECK(own.ensure({fencepost_rule("rule", FENCEPOST_RULE_ANY, parts, 2)}).added == 1);
  CHECK((monitor.conditions().parts("rule") == std::vector<std::string>{"a", "later"}));
  CHECK(monitor.conditions().shape("rule").rule_form == FENCEPOST_RULE_ANY && monitor.conditions().parts("a").empty());
  const std::vector<fencepost::condition_state> counted = monitor.explain_parts("rule");
  CHECK(counted.size() == 2 && counted[1].generation == 0 && counted[1].state == FENCEPOST_STATE_UNKNOWN);
  CHECK(std::string(counted[0].identifier) == "a" && monitor.explain_parts("a").empty());
  CHECK(own.remove("rule"));
  std::vector<fencepost::interval> hours;
  for (int64_t hour = 0; hour < 10000; hour++) hours.push_back({2 * hour, 2 * hour + 1});
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  timing.active = hours.data();
  timing.active_count = hours.size();
  timing.max_events = 5;
  fencepost::condition_definition timed = fencepost_circle("timed", 0, 0, 100);
  timed.timing = &timing;
  CHECK(own.ensure({timed}).added == 1);
  const std::vector<fencepost::interval> active = monitor.conditions().active("timed");
  CHECK(active.size() == 10000 && active[0].end_us == 1 && active[9999].start_us == 19998);
  CHECK(own.shape("timed").max_events == 5 && own.shape("timed").has_active == 1);
  CHECK(own.active("a").empty() && own.shape("a").has_active == 0);
  CHECK(own.remove("timed"));

  CHECK(status_of([&] { monitor.conditions().condition("nowhere"); }) == FENCEPOST_E_NOT_FOUND);
  CHECK(status_of([&] { monitor.add_circular_condition("", 0, 0, 1); }) == FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(status_of([&] { own.remove(std::string("a\0b", 3)); }) == FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(status_of([&] { monitor.add_beacon_condition("b", {uuid, {}, 2}); }) == FENCEPOST_E_INVALID_ARGUMENT);
  columns.latitudes.pop_back();
  CHECK(status_of([&] { own.put_circles(FENCEPOST_PUT_ADD, columns); }) == FENCEPOST_E_INVALID_ARGUMENT);
  columns.latitudes = {0, 91};
  try {
    own.put_circles(FENCEPOST_PUT_ADD, columns);
    CHECK(false);
  } catch (const fencepost::error &error) {
    CHECK(error.position() == 1 && error.status() == FENCEPOST_E_INVALID_ARGUMENT);
  }
}

void events() {
  fencepost::monitor monitor;
  monitor.add_circular_condition("a", 0, 0, 1000, exact());
  std::vector<fencepost::fix> fixes;
  for (int i = 0; i < 5; i++) fixes.push_back(at(i % 2 == 0, i));
  CHECK(monitor.feed(fixes).accepted == 5);
  // The event at which the loop stops stays in flight. A fork delivers this event first, and abandon() makes the event
  // pending again.
  for (const fencepost::event &event : monitor.events()) {
    CHECK(event.sequence == 1);
    break;
  }
  fencepost::monitor fork = monitor.fork();
  CHECK(fork.poll_event()->sequence == 1);
  monitor.abandon();
  std::uint64_t sequence = 0;
  for (const fencepost::event &event : monitor.events()) CHECK(event.sequence == ++sequence);
  CHECK(sequence == 5 && !monitor.poll_event());
  fencepost::event block[8];
  CHECK(fork.poll_events(block, 8) == 4 && block[3].sequence == 5);
  fork.acknowledge();
  CHECK(fencepost::json(fork.record("a").last_event) == fencepost::json(monitor.record("a").last_event));
  CHECK(status_of([&] { monitor.feed(at(true, 0)); }) == FENCEPOST_E_LATE_INPUT);
}

// If a handler ends with an exception, its event is delivered again.
void handlers_that_throw() {
  fencepost::monitor monitor;
  monitor.add_circular_condition("a", 0, 0, 1000, exact());
  for (int i = 0; i < 5; i++) monitor.feed(at(i % 2 == 0, i));
  std::vector<std::uint64_t> handled;
  bool fails = true;
  const auto send = [&](const fencepost::event &event) {
    if (event.sequence == 2 && std::exchange(fails, false)) throw std::runtime_error("the network is gone");
    handled.push_back(event.sequence);
  };
  try {
    for (const fencepost::event &event : monitor.events()) send(event);
    CHECK(false);
  } catch (const std::runtime_error &) {
  }
  CHECK(monitor.record("a").last_event.sequence == 1);
  for (const fencepost::event &event : monitor.events()) send(event);
  CHECK((handled == std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
  CHECK(monitor.record("a").last_event.sequence == 5 && !monitor.poll_event());
  // An exception that is handled inside the loop does not count as a failure.
  monitor.feed(at(false, 9));
  for (const fencepost::event &event : monitor.events()) {
    try {
      throw std::runtime_error("dealt with");
    } catch (const std::runtime_error &) {
      CHECK(event.sequence == 6);
    }
  }
  CHECK(monitor.record("a").last_event.sequence == 6);
}

void paths() {
  fencepost::options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.path = FENCEPOST_PATH_GEODESIC;
  options.max_gap_us = 60 * second;
  fencepost::monitor monitor(options);
  monitor.add_circular_condition("a", 0, 0, 1000, exact());
  monitor.feed({0, -0.1, 0, 0});
  monitor.feed({0, 0.1, 0, 60 * second});
  monitor.feed({0, 0, 0, 180 * second});
  fencepost::event events[8];
  CHECK(monitor.poll_events(events, 8) == 4);
  CHECK(events[0].flags == 0 && events[1].flags == FENCEPOST_EVENT_ON_PATH);
  CHECK(events[2].flags == FENCEPOST_EVENT_ON_PATH && events[3].flags == FENCEPOST_EVENT_AFTER_GAP);
}

void sets_and_times() {
  fencepost::options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.max_time_step_us = 60 * second;
  fencepost::monitor monitor(options);
  fencepost::conditions own = monitor.conditions();
  std::vector<fencepost::condition_definition> places(2, fencepost_circle(nullptr, 0, 0, 0));
  places[0].identifier = "a";
  places[1].identifier = "b";
  for (fencepost::condition_definition &place : places) place.radius_m = 1000;
  CHECK(own.sync(places).added == 2);
  places.pop_back();
  const fencepost::sync_result result = own.sync(places);
  CHECK(result.kept == 1 && result.removed == 1);
  CHECK(own.put_circles(FENCEPOST_PUT_ENSURE, {{"a", "c"}, {0, 0}, {0, 0}, {1000, 500}}).added == 1);
  monitor.feed(at(true, 0));
  CHECK(monitor.list_conditions(FENCEPOST_STATE_SATISFIED).size() == 2);
  CHECK(monitor.record("a").state == FENCEPOST_STATE_SATISFIED);
  CHECK(status_of([&] { monitor.feed(at(true, 61)); }) == FENCEPOST_E_AHEAD_OF_CLOCK);
  CHECK(monitor.statistics().ahead_inputs == 1);
  monitor.advance(start + 1000 * second);
  monitor.rewind(start + second);
  CHECK(monitor.statistics().clock_us == start + second &&
        monitor.list_conditions(FENCEPOST_STATE_UNKNOWN).size() == 2);
  CHECK(status_of([&] { monitor.rewind(start + 2 * second); }) == FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(own.remove({"a", "nobody", "c"}) == 2);
}

void shapes() {
  const double latitudes[] = {0, 0, 0.01, 0.01, 0.002, 0.002, 0.004},
               longitudes[] = {0, 0.01, 0.01, 0, 0.002, 0.004, 0.002};
  const std::int32_t rings[] = {0, 4, 7};
  fencepost::geometry square = FENCEPOST_GEOMETRY_INIT;
  square.latitudes = latitudes, square.longitudes = longitudes, square.vertex_count = 7;
  square.ring_offsets = rings, square.ring_count = 2;
  fencepost::monitor monitor;
  fencepost::conditions own = monitor.conditions();
  own.add({exact(fencepost_polygon("square", &square))});
  CHECK(own.ensure({exact(fencepost_polygon("square", &square))}).kept == 1);
  const std::vector<std::uint8_t> wkb = monitor.conditions().geometry("square");
  CHECK(wkb.size() == 9 + 4 + 5 * 16 + 4 + 4 * 16);
  own.add(
      {exact(fencepost_wkb("the same", wkb.data(), wkb.size(), 0)), exact(fencepost_corridor("way", &square, 100))});
  CHECK(own.ensure({exact(fencepost_wkb("the same", wkb.data(), wkb.size(), 0)),
                    exact(fencepost_corridor("way", &square, 100.2))})
            .kept == 2);
  CHECK(monitor.conditions().shape("way").radius_m == 100 && monitor.conditions().shape("square").vertex_count == 7);
  const fencepost::condition_definition polygons = exact(fencepost_polygon(nullptr, nullptr)),
                                        corridors = exact(fencepost_corridor(nullptr, nullptr, 0));
  CHECK(own.put_geometries(FENCEPOST_PUT_ADD, {{"p"}, square}, polygons).added == 1);
  CHECK(own.put_geometries(FENCEPOST_PUT_ADD, {{"c", "d"}, square, {}, {10, 20}, {}}, corridors).added == 2);
  CHECK(own.put_wkb(FENCEPOST_PUT_ADD, {{"w"}, {wkb}}).added == 1);
  CHECK(own.put_geometries(FENCEPOST_PUT_ENSURE, {{"p"}, square}, polygons).kept == 1);
  CHECK(own.put_geometries(FENCEPOST_PUT_ENSURE, {{"c", "e"}, square, {}, {10, 20}, {}}, corridors).added == 1);
  CHECK(own.put_wkb(FENCEPOST_PUT_ENSURE, {{"w"}, {wkb}}).kept == 1);
  CHECK(status_of([&] { own.put_geometries(FENCEPOST_PUT_ADD, {{"c", "d"}, square}, corridors); }) ==
        FENCEPOST_E_INVALID_ARGUMENT);
  const std::optional<fencepost::place> nearest = monitor.conditions().nearest_boundary_point("square", 0.0001, 0.005);
  CHECK(nearest && nearest->latitude > -1e-9 && nearest->latitude < 1e-6);
  const fencepost::condition_definition polygon = fencepost_polygon(nullptr, &square);
  CHECK(fencepost::distance(polygon, 0.008, 0.005) < 0 && fencepost::distance(polygon, 0.0025, 0.0025) > 0);
  const double north[] = {0.008, 0.02}, east = 0.005;
  fencepost::point_columns points = FENCEPOST_POINT_COLUMNS_INIT;
  points.latitudes = north, points.longitudes = &east, points.longitude_stride = 0;
  const std::vector<double> distances = fencepost::distance(polygon, points, 2);
  CHECK(distances.size() == 2 && distances[0] < 0 && distances[1] > 1000);
  CHECK(fencepost::distance(fencepost_corridor(nullptr, &square, 10), 0, 0.005) < -9.99);
  CHECK(status_of([&] { fencepost::distance(polygon, 91, 0); }) == FENCEPOST_E_INVALID_ARGUMENT);
}

void inputs() {
  fencepost::options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.max_pending_events = 2;
  fencepost::monitor monitor(options);
  monitor.add_circular_condition("a", 0, 0, 1000, exact());
  int rings = 0;
  monitor.set_wakeup([](void *context) { ++*static_cast<int *>(context); }, &rings);
  const double latitudes[] = {0, 0, 0, 0}, longitudes[] = {0, 0.1, 0, 0.1};
  const std::int64_t times[] = {start, start + 1, start + 2, start + 3};
  fencepost::fix_columns columns = FENCEPOST_FIX_COLUMNS_INIT;
  columns.latitudes = latitudes;
  columns.longitudes = longitudes;
  columns.times_us = times;
  try {
    monitor.feed(columns, 4);
    CHECK(false);
  } catch (const fencepost::error &error) {
    CHECK(error.status() == FENCEPOST_E_QUEUE_FULL && error.position() == 2);
  }
  CHECK(rings == 1);
  monitor.set_wakeup(nullptr);
  CHECK(monitor.poll_events(nullptr, 0) == monitor.statistics().pending_events);
  while (monitor.poll_event()) continue;
  fencepost::beacon_sighting sighting{};
  monitor.feed_sightings({sighting}, start + second);
  monitor.set_beacon_scanning(false, start + 2 * second);
  monitor.set_host_capabilities(FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED, 0, start + 3 * second);
  monitor.advance(start + 4 * second);
  CHECK(rings == 1);
  CHECK(monitor.statistics().clock_us == start + 4 * second && monitor.statistics().accepted_sightings == 1);
}

// The identifiers of the events that are pending, in order.
std::vector<std::string> told(fencepost::monitor &monitor) {
  std::vector<std::string> all;
  for (const fencepost::event &event : monitor.events()) all.push_back(event.identifier);
  return all;
}

// The error ellipse of a fix decides by its direction, and the event has the probability that the table computes.
void error_ellipses() {
  fencepost::transition_policy certain = exact_policy;
  certain.entry_probability = 0.99, certain.exit_probability = 0.01;
  fencepost::condition_definition place = fencepost_circle("a", 0, 0, 1000);
  place.policy = &certain, place.assuming = FENCEPOST_STATE_UNSATISFIED;
  fencepost::monitor monitor;
  monitor.conditions().add({place});
  // 30 m inside the eastern end of the circle. With the long axis across the boundary, the fix is not certain.
  const fencepost::fix near_the_end{0, fencepost::geodesic_direct(0, 0, 90, 970).longitude, 5, start};
  fencepost::fix later = near_the_end;
  later.time_us += second;
  monitor.feed(near_the_end, fencepost::error_ellipse{20, 1, 90});
  CHECK(told(monitor).empty() && monitor.explain("a").reason == FENCEPOST_REASON_UNCERTAIN);
  CHECK(monitor.explain("a").ellipse_major_m == 20 && monitor.explain("a").ellipse_minor_m == 1);
  CHECK(monitor.explain("a").ellipse_orientation == 90);
  const double across = monitor.explain("a").probability;
  CHECK(across > 0.93 && across < 0.94); // the normal distribution at 30 / 20
  const double major = 20, minor = 1, orientations[] = {90, 0};
  fencepost::measured_columns measured = FENCEPOST_MEASURED_COLUMNS_INIT;
  measured.latitudes = &near_the_end.latitude, measured.longitudes = &near_the_end.longitude;
  measured.majors_m = &major, measured.minors_m = &minor, measured.orientations = orientations;
  measured.latitude_stride = measured.longitude_stride = measured.major_stride = measured.minor_stride = 0;
  const std::vector<double> both = monitor.conditions().probability("a", measured, 2);
  CHECK(both[0] == across && both[1] > 0.999999);
  // An ellipse whose minor axis is the longer one is refused, and changes nothing.
  const std::vector<std::uint8_t> before = monitor.snapshot();
  CHECK(status_of([&] { monitor.feed(later, fencepost::error_ellipse{1, 20, 0}); }) == FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(monitor.explain("a").probability == across && monitor.statistics().accepted_fixes == 1);
  CHECK(fencepost::monitor::restore(before).explain("a").ellipse_major_m == 20);
  // The same ellipse along the boundary decides.
  monitor.feed(later, fencepost::error_ellipse{20, 1, 0});
  const std::optional<fencepost::event> entered = monitor.poll_event();
  CHECK(entered && entered->state == FENCEPOST_STATE_SATISFIED);
  CHECK(entered->probability == static_cast<float>(both[1])); // an event has the probability in single precision

  fencepost::conditions zones;
  zones.add({place});
  fencepost::fleet fleet(zones);
  const fencepost::device van = fleet.device("van");
  fleet.feed(van, near_the_end, fencepost::error_ellipse{20, 1, 90});
  CHECK(!fleet.poll_event() && fleet.explain(van, "a").probability == across);
  fleet.feed(van, later, fencepost::error_ellipse{20, 1, 0});
  CHECK(fleet.poll_event()->probability == static_cast<float>(both[1]));
}

// Hours, repeats and the largest number of events. The table returns the intervals; it joins those that touch.
void timings() {
  const fencepost::interval hours[] = {{start, start + 5 * second},
                                       {start + 5 * second, start + 10 * second},
                                       {start + 60 * second, start + 100 * second}};
  fencepost::timing timing = FENCEPOST_TIMING_INIT;
  timing.active = hours, timing.active_count = 3, timing.repeat_every_us = 3 * second, timing.max_events = 5;
  fencepost::condition_definition place = exact(fencepost_circle("a", 0, 0, 1000));
  place.timing = &timing;
  fencepost::monitor monitor;
  monitor.conditions().add({place});
  const std::vector<fencepost::interval> active = monitor.conditions().active("a");
  CHECK(active.size() == 2 && active[0].start_us == start && active[0].end_us == start + 10 * second);
  CHECK(active[1].start_us == start + 60 * second && active[1].end_us == start + 100 * second);
  const fencepost::shape kept = monitor.conditions().shape("a");
  CHECK(kept.repeat_every_us == 3 * second && kept.repeat_limit == 1000 && kept.max_events == 5);
  monitor.feed(at(true, 0));
  CHECK(monitor.next_deadline() == start + 3 * second);
  monitor.feed(at(true, 20));
  CHECK(monitor.state("a") == FENCEPOST_STATE_UNKNOWN && monitor.explain("a").reason == FENCEPOST_REASON_INACTIVE);
  CHECK(monitor.explain("a").diagnostics == FENCEPOST_DIAGNOSTIC_INACTIVE);
  CHECK(monitor.next_deadline() == start + 60 * second);
  std::vector<std::pair<fencepost_cause, std::int64_t>> found;
  const auto read = [&] {
    for (const fencepost::event &event : monitor.events())
      found.push_back({event.cause, (event.date_us - start) / second});
  };
  read();
  const fencepost_cause first = FENCEPOST_CAUSE_DETERMINATION, again = FENCEPOST_CAUSE_REPEAT;
  CHECK(
      (found == std::vector<std::pair<fencepost_cause, std::int64_t>>{{first, 0}, {again, 3}, {again, 6}, {again, 9}}));
  // The second interval begins like an add; its first event is the fifth, which exhausts the condition.
  found.clear();
  monitor.feed(at(true, 61));
  monitor.feed(at(false, 70));
  read();
  CHECK(found.size() == 1 && found[0].first == first);
  const std::uint32_t ended = FENCEPOST_DIAGNOSTIC_INACTIVE | FENCEPOST_DIAGNOSTIC_EXHAUSTED;
  CHECK(monitor.explain("a").diagnostics == ended && monitor.state("a") == FENCEPOST_STATE_UNKNOWN);
  // An empty list is never active; without a list, the condition is always active.
  timing.active_count = 0, timing.max_events = 0;
  CHECK(monitor.conditions().ensure({place}).replaced == 1);
  CHECK(monitor.conditions().active("a").empty() && monitor.conditions().shape("a").has_active == 1);
  CHECK(monitor.explain("a").diagnostics == FENCEPOST_DIAGNOSTIC_INACTIVE);
  const fencepost::interval backwards[] = {{start + second, start}};
  timing.active = backwards, timing.active_count = 1;
  CHECK(status_of([&] { monitor.conditions().ensure({place}); }) == FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(monitor.conditions().active("a").empty() && monitor.conditions().shape("a").has_active == 1);
}

// One row of fixes with a height above the ellipsoid, and the ground 400 m above it; NaN = no height.
fencepost::feed_result feed_height(fencepost::monitor &monitor, double altitude, int seconds) {
  const double zero = 0, ground = 400;
  const std::int64_t time = start + seconds * second;
  fencepost::fix_columns row = FENCEPOST_FIX_COLUMNS_INIT;
  row.latitudes = row.longitudes = &zero, row.times_us = &time;
  row.altitudes_m = &altitude, row.ground_heights_m = &ground;
  return monitor.feed(row, 1);
}

// A band of altitudes, and the heights of fixes.
void heights() {
  fencepost::condition_definition zone = exact(fencepost_circle("low", 0, 0, 1000));
  zone.altitude_min_m = 0, zone.altitude_min_reference = FENCEPOST_ALTITUDE_GROUND;
  zone.altitude_max_m = 120, zone.altitude_max_reference = FENCEPOST_ALTITUDE_GROUND;
  fencepost::monitor monitor;
  fencepost::conditions own = monitor.conditions();
  own.add({zone, exact(fencepost_circle("all heights", 0, 0, 1000))});
  const fencepost::shape band = own.shape("low");
  CHECK(band.altitude_min_m == 0 && band.altitude_max_m == 120);
  CHECK(band.altitude_min_reference == FENCEPOST_ALTITUDE_GROUND &&
        band.altitude_max_reference == FENCEPOST_ALTITUDE_GROUND);
  CHECK(std::isinf(own.shape("all heights").altitude_max_m) && own.shape("all heights").altitude_max_reference == 0);
  CHECK(own.ensure({zone}).kept == 1);
  monitor.feed(at(true, 0));
  CHECK(monitor.explain("low").reason == FENCEPOST_REASON_NO_HEIGHT &&
        std::isnan(monitor.explain("low").vertical_distance_m));
  CHECK((told(monitor) == std::vector<std::string>{"all heights"}));
  CHECK(feed_height(monitor, 450, 1).accepted == 1);
  CHECK(monitor.explain("low").vertical_distance_m == -50);
  CHECK(feed_height(monitor, 525, 2).accepted == 1);
  fencepost::event events[4];
  CHECK(monitor.poll_events(events, 4) == 2);
  CHECK(events[0].state == FENCEPOST_STATE_SATISFIED && events[0].vertical_distance_m == -50);
  CHECK(events[1].state == FENCEPOST_STATE_UNSATISFIED && events[1].vertical_distance_m == 5);
  monitor.acknowledge();
  // Without a height, the state stays.
  CHECK(feed_height(monitor, std::nan(""), 3).accepted == 1);
  CHECK(monitor.state("low") == FENCEPOST_STATE_UNSATISFIED && told(monitor).empty());
  const double ground = 400, heights[] = {450, 530}, zero = 0;
  fencepost::point_columns points = FENCEPOST_POINT_COLUMNS_INIT;
  points.latitudes = points.longitudes = &zero, points.latitude_stride = points.longitude_stride = 0;
  points.altitudes_m = heights, points.ground_heights_m = &ground, points.ground_height_stride = 0;
  CHECK((own.containing(points, 2).offsets == std::vector<std::int64_t>{0, 2, 3}));
  zone.altitude_max_m = -1;
  CHECK(status_of([&] { own.ensure({zone}); }) == FENCEPOST_E_INVALID_ARGUMENT &&
        own.shape("low").altitude_max_m == 120);
}

// Doubted fixes are counted and explained; enough of them corroborate each other.
void doubts() {
  fencepost::options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.plausible_speed_mps = 60, options.corroboration_count = 3, options.corroboration_time_us = 2 * second;
  fencepost::monitor monitor(options);
  monitor.add_circular_condition("a", 0, 0, 1000, exact());
  monitor.feed(at(true, 0));
  CHECK(monitor.explain("a").corroborations == 0 && std::isnan(monitor.explain("a").doubted_distance_m));
  // 0.1 degrees of longitude in a second are more than 11 km/s. A doubted fix causes no error and changes nothing.
  const fencepost::fix away = at(false, 1);
  CHECK(monitor.feed(std::vector<fencepost::fix>{away}).doubted == 1);
  monitor.feed(at(false, 2));
  const fencepost::explanation doubted = monitor.explain("a");
  CHECK(doubted.corroborations == 2 && doubted.corroborations_needed == 3 && doubted.doubted_limit_mps == 60);
  CHECK(doubted.doubted_seconds == 2 && doubted.doubted_distance_m > 11131 && doubted.doubted_distance_m < 11132);
  CHECK(monitor.state("a") == FENCEPOST_STATE_SATISFIED && monitor.statistics().clock_us == start);
  CHECK(monitor.statistics().doubted_fixes == 2 && monitor.statistics().accepted_fixes == 1);
  CHECK(fencepost::monitor::restore(monitor.snapshot()).explain("a").corroborations == 2);
  fencepost::monitor back = monitor.fork();
  back.feed(at(true, 3));
  CHECK(back.explain("a").corroborations == 0 && back.state("a") == FENCEPOST_STATE_SATISFIED);
  monitor.feed(at(false, 3));
  CHECK(monitor.state("a") == FENCEPOST_STATE_UNSATISFIED && monitor.explain("a").corroborations == 0);
  CHECK(monitor.statistics().accepted_fixes == 2 && monitor.statistics().clock_us == start + 3 * second);
  options.corroboration_count = 1;
  CHECK(status_of([&] { fencepost::monitor refused(options); }) == FENCEPOST_E_INVALID_ARGUMENT);

  fencepost::conditions zones;
  zones.add({exact(fencepost_circle("a", 0, 0, 1000))});
  fencepost::options shared = FENCEPOST_FLEET_OPTIONS_INIT;
  shared.plausible_speed_mps = 60;
  fencepost::fleet fleet(zones, shared);
  const fencepost::device van = fleet.device("van"), bus = fleet.device("bus");
  fleet.feed(van, at(true, 0));
  fleet.feed(van, at(false, 1));
  fleet.feed(bus, at(false, 1));
  CHECK(fleet.statistics().doubted_fixes == 1 && fleet.statistics(bus).doubted_fixes == 0);
  CHECK(fleet.explain(van, "a").corroborations == 1 && fleet.position(van)->longitude == 0);
}

void snapshots() {
  fencepost::monitor monitor("kept");
  monitor.add_circular_condition("a", 0, 0, 1000, exact());
  monitor.feed(at(true, 0));
  monitor.checkpoint();
  const std::vector<std::uint8_t> bytes = monitor.snapshot();
  fencepost::monitor restored = fencepost::monitor::restore(bytes);
  CHECK(name_of(restored) == "kept" && restored.snapshot() == bytes);
  CHECK(restored.poll_event()->state == FENCEPOST_STATE_SATISFIED);
  monitor.close();
  CHECK(status_of([] { fencepost::monitor::restore({1, 2, 3}); }) == FENCEPOST_E_SNAPSHOT_INVALID);
}

void planning() {
  fencepost::monitor monitor;
  CHECK(!monitor.next_deadline() && monitor.safe_distance(0, 0) > 1e9);
  for (int i = 0; i < 9; i++) monitor.add_circular_condition(std::to_string(i), 0, i, 1000);
  monitor.feed(at(true, 0));
  CHECK(monitor.state("0") == FENCEPOST_STATE_SATISFIED && monitor.state("8") == FENCEPOST_STATE_UNSATISFIED);
  CHECK(monitor.safe_distance(0, 0) > 999.99 && monitor.safe_distance(0, 0) < 1000);
  fencepost::plan_options options = FENCEPOST_PLAN_OPTIONS_INIT;
  options.slots = 4;
  const fencepost::plan plan = monitor.plan(0, 0, 5, {1, 9, 77}, options);
  CHECK(plan.armed.size() == 3 && plan.summary.has_wake_up == 1 && std::string(plan.armed[0].identifier) == "0");
  CHECK((plan.keep == std::vector<bool>{true, false, false}));
  CHECK(monitor.plan(0, 0, 5).armed.size() == 9);
  options.slots = 0;
  CHECK(status_of([&] { monitor.plan(0, 0, 5, {}, options); }) == FENCEPOST_E_INVALID_ARGUMENT);
  monitor.feed(at(false, 1));
  CHECK(monitor.next_deadline() == start + 21 * second);

  CHECK(fencepost::distance(fencepost_circle(nullptr, 0, 0, 1000), 0, 0) == -1000);
  fencepost::significant_change_filter filter = FENCEPOST_SIGNIFICANT_CHANGE_FILTER_INIT;
  CHECK(fencepost::accept(filter, at(true, 0)) && !fencepost::accept(filter, at(false, 1)));
  CHECK(fencepost::accept(filter, at(false, 300)));
  CHECK(fencepost::best_fix({at(true, 0), at(true, 5), at(true, 3)}, start + 6 * second) == std::size_t{1});
  CHECK(!fencepost::best_fix({}, start));
}

void questions() {
  fencepost::monitor monitor;
  const fencepost::conditions table = monitor.conditions();
  CHECK(table.containing(0, 0).empty() && table.nearest(0, 0, 3).empty());
  for (int i = 0; i < 20; i++) monitor.add_circular_condition(std::to_string(i), 0, 0, 1000 + i);
  monitor.conditions().remove("3");
  const std::vector<fencepost::located_condition> all = table.containing(0, 0);
  CHECK(all.size() == 19 && all[3].identifier == "4" && all[3].generation == 5 && all[3].distance_m == -1004);
  const std::vector<fencepost::located_condition> near = table.nearest(0, 0, 2);
  CHECK(near.size() == 2 && near[0].identifier == "0" && near[1].identifier == "1" && near[1].distance_m == -1001);
  const double latitudes[] = {0, 10, 0}, longitude = 0;
  fencepost::point_columns columns = FENCEPOST_POINT_COLUMNS_INIT;
  columns.latitudes = latitudes;
  columns.longitudes = &longitude;
  columns.longitude_stride = 0;
  const fencepost::containing_conditions rows = table.containing(columns, 3, true);
  CHECK((rows.offsets == std::vector<std::int64_t>{0, 19, 19, 38}) && rows.generations.size() == 38);
  CHECK(rows.generations[22] == 5 && rows.distances_m[22] == -1004);
  CHECK(table.containing(columns, 3).distances_m.empty() && table.containing(columns, 0).offsets.size() == 1);
  const fencepost::nearest_conditions lines = table.nearest(columns, 3, 30);
  CHECK(lines.count == 19 && lines.stride == 30 && lines.generations[60] == 1 && lines.distances_m[30] > 1e6);
  CHECK((table.identifiers({5, 4, 1, 5}) == std::vector<std::string>{"4", "", "0", "4"}));
  CHECK(status_of([&] { table.nearest(columns, 3, SIZE_MAX); }) == FENCEPOST_E_INVALID_ARGUMENT);
  for (int i = 20; i < 150; i++) monitor.add_circular_condition(std::to_string(i), 0, 0, 1);
  CHECK(monitor.list_conditions().size() == 149 && monitor.list_conditions().back().identifier == std::string("149"));
  CHECK(monitor.list_conditions(FENCEPOST_STATE_SATISFIED).empty());
  CHECK(status_of([&] { table.containing(91, 0); }) == FENCEPOST_E_INVALID_ARGUMENT);
}

void geodesy() {
  const fencepost::inverse line = fencepost::geodesic_inverse(0, 0, 0, 1);
  CHECK(line.distance_m > 111319.490 && line.distance_m < 111319.491 && line.azimuth1 == 90);
  const fencepost::direct end = fencepost::geodesic_direct(0, 0, 90, line.distance_m);
  CHECK(end.longitude > 0.9999999999 && end.longitude < 1.0000000001);
  CHECK(status_of([] { fencepost::geodesic_inverse(91, 0, 0, 0); }) == FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(status_of([] { fencepost::parse_uuid("no"); }) == FENCEPOST_E_INVALID_ARGUMENT);
}

void tables_and_fleets() {
  fencepost::conditions zones;
  const fencepost::uuid uuid = fencepost::parse_uuid("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0");
  zones.add({exact(fencepost_circle("zone", 0, 0, 1000), 7), fencepost_beacon("beacon", uuid.data(), -1, -1)});
  const fencepost::sync_result ensured =
      zones.ensure({exact(fencepost_circle("zone", 0, 0, 1000), 7), fencepost_beacon("beacon", uuid.data(), 1, -1)});
  CHECK(ensured.kept == 1 && ensured.replaced == 1);
  const double latitudes[] = {1, 1, 2}, longitudes[] = {1, 2, 1};
  fencepost::geometry triangle = FENCEPOST_GEOMETRY_INIT;
  triangle.latitudes = latitudes, triangle.longitudes = longitudes, triangle.vertex_count = 3;
  zones.add({fencepost_polygon("polygon", &triangle)});
  const std::vector<fencepost::located_condition> holding = zones.containing(1.1, 1.1);
  CHECK(holding.size() == 1 && holding[0].identifier == "polygon" && holding[0].distance_m < 0);
  CHECK(zones.nearest(0, 0.001, 2).front().identifier == "zone" && zones.identifiers({1}).front() == "zone");
  CHECK(zones.nearest_boundary_point("zone", 0, 0.5)->longitude < 0.01);
  const double zero = 0, accuracy = 1000;
  fencepost::measured_columns measured = FENCEPOST_MEASURED_COLUMNS_INIT;
  measured.latitudes = measured.longitudes = &zero, measured.accuracies_m = &accuracy;
  const double inside = zones.probability("zone", measured, 1).front();
  CHECK(inside > 0.6799999 && inside < 0.6800001 && zones.probability("zone", measured, 0).empty());
  CHECK(status_of([&] { zones.probability("zone", measured, 1, 2); }) == FENCEPOST_E_INVALID_ARGUMENT);
  const std::vector<std::uint8_t> bytes = zones.geometry("polygon");
  zones.add({fencepost_corridor("corridor", &triangle, 30), fencepost_wkb("wkb", bytes.data(), bytes.size(), 0)});
  CHECK(zones.shape("wkb").vertex_count == 3 && zones.condition("corridor").radius_m == 30);
  CHECK((zones.identifiers() == std::vector<std::string>{"zone", "beacon", "polygon", "corridor", "wkb"}));
  CHECK(zones.remove("wkb") && zones.remove(std::vector<std::string>{"wkb", "corridor"}) == 1);

  fencepost::conditions columns;
  CHECK(columns.put_circles(FENCEPOST_PUT_ADD, {{"x", "y"}, {1, 2}, {3, 4}, {50, 60}}).added == 2);
  CHECK(columns.put_circles(FENCEPOST_PUT_ENSURE, {{"x", "y"}, {1, 2}, {3, 4}, {50, 60}}).kept == 2);
  CHECK(columns.put_beacons(FENCEPOST_PUT_ADD, {{"b", "c"}, {{uuid}, {uuid, 1, 2}}}).added == 2);
  CHECK(columns.put_beacons(FENCEPOST_PUT_ENSURE, {{"b", "c"}, {{uuid}, {uuid, 1, 2}}}).kept == 2);
  fencepost::shape_columns shapes{{"p"}, triangle};
  const fencepost::condition_definition kinds[] = {
      fencepost_polygon(nullptr, nullptr), fencepost_corridor(nullptr, nullptr, 9), fencepost_line(nullptr, nullptr)};
  for (const fencepost::condition_definition &kind : kinds) {
    const fencepost::sync_result put = columns.put_geometries(FENCEPOST_PUT_ADD, shapes, kind);
    CHECK(put.added + put.replaced == 1);
    CHECK(columns.put_geometries(FENCEPOST_PUT_ENSURE, shapes, kind).kept == 1);
  }
  const fencepost::wkb_columns wkbs{{"w"}, {bytes}};
  CHECK(columns.put_wkb(FENCEPOST_PUT_ADD, wkbs).added == 1);
  CHECK(columns.put_wkb(FENCEPOST_PUT_ENSURE, wkbs).kept == 1);
  CHECK(fencepost::conditions::restore(columns.snapshot()).version().generation == columns.version().generation);
  CHECK(columns.sync({}).removed == 6);
  CHECK(status_of([&] { columns.put_beacons(FENCEPOST_PUT_ADD, {{"b"}, {}}); }) == FENCEPOST_E_INVALID_ARGUMENT);

  const char *const parts[] = {"zone", "missing"};
  fencepost::conditions ruled;
  ruled.add({fencepost_circle("zone", 0, 0, 1000), fencepost_rule("rule", FENCEPOST_RULE_ANY, parts, 2)});
  fencepost::fleet followers(ruled);
  const fencepost::device tram = followers.device("tram");
  followers.feed(tram, at(true, 0));
  const std::vector<fencepost::condition_state> counted = followers.explain_parts(tram, "rule");
  CHECK(counted.size() == 2 && std::string(counted[0].identifier) == "zone" && counted[1].generation == 0);
  CHECK(counted[0].state == FENCEPOST_STATE_SATISFIED && counted[1].state == FENCEPOST_STATE_UNKNOWN);
  CHECK(followers.explain_parts(tram, "zone").empty() && followers.state(tram, "rule") == FENCEPOST_STATE_SATISFIED);

  fencepost::fleet fleet(zones);
  static_assert(!std::is_convertible_v<std::uint64_t, fencepost::device>, "a row is not taken for a device");
  CHECK(!fleet.find("truck"));
  const fencepost::device truck = fleet.device("truck");
  CHECK(truck.number() == 1 && truck.place() == 0 && fleet.find("truck") == truck && truck != fencepost::device());
  const fencepost::device bus = fleet.device("bus");
  CHECK((fleet.devices({"bus", "truck"}) == std::vector<fencepost::device>{bus, truck}));
  CHECK(fleet.device_identifier(bus) == "bus" && fleet.list_devices().size() == 2);
  fleet.feed(truck, at(true, 0));
  const double zeros[] = {0, 0}, there[] = {0.1, 0};
  const std::int64_t times[] = {start + second, start + 2 * second};
  const std::uint8_t indices[] = {0, 1};
  const std::vector<fencepost_device> dictionary = fencepost::numbers({truck, bus});
  fencepost::fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
  fixes.latitudes = zeros, fixes.longitudes = there, fixes.times_us = times;
  fencepost::fleet_columns rows = FENCEPOST_FLEET_COLUMNS_INIT;
  rows.devices = indices, rows.device_width = 1, rows.device_stride = 1;
  rows.dictionary = dictionary.data(), rows.dictionary_count = 2, rows.fixes = &fixes;
  CHECK(fleet.feed(rows, 2).accepted == 2);
  CHECK(fleet.statistics().pending_events == 3 && fleet.statistics(truck).accepted_fixes == 2);
  int wakes = 0;
  fleet.set_wakeup([](void *context) { ++*static_cast<int *>(context); }, &wakes);
  fleet.set_wakeup(nullptr);
  CHECK(wakes == 1);
  try {
    for (const fencepost::event &event : fleet.events()) throw std::runtime_error(event.identifier);
    CHECK(false);
  } catch (const std::runtime_error &) {
  }
  const std::optional<fencepost::event> first = fleet.poll_event();
  CHECK(first && first->position == 1 && first->device == truck.number() && first->tag == 7);
  CHECK(fleet.poll_events(nullptr, 0) == 2);
  CHECK(fleet.json(*first).find("{\"device\":\"truck\",") == 0);
  fleet.abandon();
  std::uint64_t position = 0;
  for (const fencepost::event &event : fleet.events()) CHECK(event.position == ++position);
  CHECK(position == 3);
  fleet.acknowledge();
  CHECK(fleet.state(bus, "zone") == FENCEPOST_STATE_SATISFIED && fleet.list_conditions(bus).size() == 1);
  CHECK(fleet.list_conditions(truck).empty() && fleet.explain(truck, "zone").reason == FENCEPOST_REASON_OUTSIDE);
  CHECK(fleet.safe_distance(truck, 60, 60) > 1000 && !fleet.plan(truck, 60, 60, 0).armed.empty());
  CHECK(fleet.position(bus)->longitude == 0 && !fleet.position(fleet.device("van")));
  fleet.remove_devices({fleet.device("van")});
  fencepost::fleet other(fleet.conditions());
  const auto entered = other.import_devices({"bus", "car"}, fleet.export_devices({bus, truck}));
  CHECK(entered.size() == 2 && other.list_conditions(entered[0]).size() == 1);
  CHECK(fleet.list_devices_inside("zone").size() == 1 && fleet.list_devices_inside("zone")[0].device == bus.number());
  CHECK(fleet.list_devices_inside().size() == 1 && fleet.list_devices_inside()[0].tag == 7);
  CHECK(status_of([&] { fleet.list_devices_inside("nowhere"); }) == FENCEPOST_E_NOT_FOUND);
  zones.add({fencepost_circle("late", 1, 1, 10)});
  CHECK(status_of([&] { other.import_devices({"x"}, {fleet.export_devices({bus})[0]}); }) == FENCEPOST_OK);
  fencepost::fleet elsewhere;
  CHECK(elsewhere.conditions().identifiers().empty() && elsewhere.fork().statistics().device_count == 0);
  CHECK(fencepost::fleet::restore(fleet.snapshot()).statistics().device_count == 2);
  CHECK(fencepost::fleet::restore(fleet.snapshot(), zones).statistics().device_count == 2);
  CHECK(status_of([&] { elsewhere.import_devices({"x"}, fleet.export_devices({bus})); }) == FENCEPOST_E_TABLE_MISMATCH);
  CHECK(elsewhere.import_devices({"x"}, fleet.export_devices({bus}, true), true).size() == 1);
  fleet.feed_sightings(truck, {}, start + 3 * second);
  fleet.set_beacon_scanning(truck, false, start + 3 * second);
  fleet.set_host_capabilities(truck, FENCEPOST_DIAGNOSTIC_ACCURACY_LIMITED, 0, start + 3 * second);
  fleet.set_host_capabilities(truck, 0, 0, start + 3 * second);
  fleet.advance(start + 4 * second, truck);
  CHECK(!fleet.next_deadline() && !fleet.next_deadline(bus));
  fleet.advance(start + 5 * second);
  fleet.advance(start + 5 * second, fencepost::all_devices, true);
  fleet.rewind(start + 5 * second, truck);
  fleet.rewind(start + 5 * second);
  fleet.set_arrival_time(start);
  CHECK(fleet.expire_devices(start, FENCEPOST_EXPIRY_ARRIVAL).empty());
  CHECK((fleet.expire_devices(start + 3 * second) == std::vector<fencepost::device>{bus}));
  fleet.remove_devices({truck}, true);
  CHECK(fleet.statistics().device_count == 0);
  CHECK(status_of([&] { fleet.feed(truck, at(true, 9)); }) == FENCEPOST_E_NO_SUCH_DEVICE);
  fencepost::fleet moved = fencepost::fleet::adopt(fleet.release());
  CHECK(fleet.get() == nullptr && moved.get() != nullptr);
}

} // namespace

namespace {

/* A table obtained from a monitor: changing the table changes the monitor, and the table outlives the monitor. */
void table_of_a_monitor() {
  std::optional<fencepost::monitor> monitor(std::in_place);
  fencepost::conditions table = monitor->conditions();
  fencepost::condition_definition home = FENCEPOST_CONDITION_DEFINITION_INIT;
  home.identifier = "home", home.radius_m = 100;
  table.add({home});
  CHECK(monitor->conditions().condition("home").radius_m == 100);
  CHECK(table.ensure({home}).kept == 1 && table.version().generation == 1);
  CHECK(status_of([&] { fencepost::fleet fleet(table); }) == FENCEPOST_E_INVALID_ARGUMENT);
  monitor.reset();
  home.radius_m = 200;
  CHECK(table.ensure({home}).replaced == 1 && table.condition("home").radius_m == 200);
}

} // namespace

int main() {
  tables_and_fleets();
  table_of_a_monitor();
  owning();
  conditions();
  events();
  handlers_that_throw();
  paths();
  sets_and_times();
  shapes();
  inputs();
  error_ellipses();
  timings();
  heights();
  doubts();
  snapshots();
  planning();
  questions();
  geodesy();
  std::puts("the C++ wrapper holds");
  return 0;
}

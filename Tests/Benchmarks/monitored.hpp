// Uses a monitor as a C program does: conditions from columns, fixes in batches of 1 000, every event polled.
#pragma once
#include "fencepost.h"
#include "world.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

[[noreturn]] inline void fail(const std::string &why) {
  std::fprintf(stderr, "bench: %s\n", why.c_str());
  std::exit(1);
}

// Summarizes a program's events, for comparison with the events of another program; the order of the events does not
// matter.
struct Answer {
  uint64_t events = 0, sum = 0;
  void add(uint64_t circle, bool isInside, int64_t time) {
    events++;
    sum += (circle + 1) * (isInside ? 3 : 5) * (uint64_t(time) / 1000 + 11);
  }
  bool operator==(const Answer &) const = default;
};

// A set of circles as columns; building the columns is not part of the measured time.
struct Columns {
  std::vector<std::string> texts;
  std::vector<const char *> identifiers;
  std::vector<double> latitudes, longitudes, radii;
  std::vector<uint64_t> tags;
  size_t identifierBytes = 0;

  explicit Columns(const std::vector<Circle> &circles) {
    for (size_t i = 0; i < circles.size(); i++) {
      texts.push_back("circle-" + std::to_string(i));
      identifierBytes += texts.back().size();
      latitudes.push_back(circles[i].latitude);
      longitudes.push_back(circles[i].longitude);
      radii.push_back(circles[i].radius);
      tags.push_back(i);
    }
    for (const std::string &text : texts) identifiers.push_back(text.c_str());
  }
};

enum class Policy {
  exact,
  standard,
  probable // without margins and dwells, with probabilities
};

class Monitored {
 public:
  double farEvidence = 0; // counts events whose fix is farther than 20 km from the centre

  // Returns the options of a monitor with a path; the path connects fixes that are at most a minute apart.
  static fencepost_options onPath() {
    fencepost_options all = FENCEPOST_MONITOR_OPTIONS_INIT;
    all.path = FENCEPOST_PATH_GEODESIC;
    all.max_gap_us = 60000000;
    return all;
  }
  // Creates a monitor in memory, or opens one by name in a store's directory.
  explicit Monitored(Policy kind = Policy::exact, const char *name = nullptr, const char *directory = nullptr,
                     fencepost_options all = FENCEPOST_MONITOR_OPTIONS_INIT)
      : events(4096) {
    if (kind != Policy::standard) policy = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
    if (kind == Policy::probable) policy.entry_probability = 0.9, policy.exit_probability = 0.1;
    options.assuming = FENCEPOST_STATE_UNSATISFIED;
    options.policy = &policy;
    all.store_directory = directory;
    check(fencepost_monitor_create(name, &all, &monitor, &error));
    check(fencepost_monitor_conditions(monitor, &conditions, &error));
  }
  Monitored(const std::vector<Circle> &circles, Policy kind = Policy::exact,
            fencepost_options all = FENCEPOST_MONITOR_OPTIONS_INIT)
      : Monitored(kind, nullptr, nullptr, all) {
    add(Columns(circles));
  }
  Monitored(const Monitored &) = delete;
  ~Monitored() {
    fencepost_conditions_destroy(conditions);
    fencepost_monitor_destroy(monitor);
  }

  void add(const Columns &columns) {
    check(fencepost_conditions_put_circles(conditions, FENCEPOST_PUT_ADD, &options, columns.identifiers.data(),
                                           columns.latitudes.data(), columns.longitudes.data(), columns.radii.data(),
                                           columns.tags.data(), columns.texts.size(), nullptr, &error));
  }
  // Adds circles that are active in one of several lists of intervals; circle i has the list i modulo their number.
  void add(const std::vector<Circle> &circles, const std::vector<std::vector<fencepost_interval>> &lists) {
    for (size_t list = 0; list < lists.size(); list++) {
      fencepost_timing timing = FENCEPOST_TIMING_INIT;
      timing.active = lists[list].data(), timing.active_count = lists[list].size();
      options.timing = &timing;
      for (size_t i = list; i < circles.size(); i += lists.size())
        add(("circle-" + std::to_string(i)).c_str(), circles[i]);
    }
    options.timing = nullptr;
  }
  // Adds a rule for each three circles of the columns: it is satisfied inside of one of them. Its tag is the number of
  // circles.
  void addRules(const Columns &columns) {
    const size_t count = columns.identifiers.size();
    for (size_t i = 0; i + 3 <= count; i += 3) {
      const std::string identifier = "rule-" + std::to_string(i);
      fencepost_condition_definition rule =
          fencepost_rule(identifier.c_str(), FENCEPOST_RULE_ANY, &columns.identifiers[i], 3);
      rule.tag = count;
      rule.policy = &policy;
      check(fencepost_conditions_add(conditions, &rule, 1, &error));
    }
  }
  void advance(int64_t time) { check(fencepost_monitor_advance(monitor, time, &error)); }
  // Adds polygons from the columns of `Polygons`.
  template <class Shapes>
  void addPolygons(const Shapes &shapes) {
    fencepost_geometry geometry = shapes.geometry();
    fencepost_condition_definition common = options;
    common.kind = FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC;
    check(fencepost_conditions_put_geometries(conditions, FENCEPOST_PUT_ADD, &common, shapes.identifiers.data(),
                                              &geometry, nullptr, nullptr, shapes.tags.data(), shapes.count(), nullptr,
                                              &error));
  }
  void addPolygon(const char *identifier, const fencepost_geometry &geometry) {
    fencepost_condition_definition definition = options;
    definition.kind = FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC;
    definition.identifier = identifier;
    definition.geometry = &geometry;
    check(fencepost_conditions_add(conditions, &definition, 1, &error));
  }
  void add(const char *identifier, const Circle &circle) {
    check(fencepost_monitor_add_circular_condition(monitor, identifier, circle.latitude, circle.longitude,
                                                   circle.radius, &options, &error));
  }
  void remove(const char *identifier) {
    size_t removed = 0;
    check(fencepost_conditions_remove(conditions, &identifier, 1, &removed, &error));
    if (removed == 0) fail(std::string("there was no ") + identifier);
  }

  Answer feed(const std::vector<fencepost_fix> &fixes) {
    Answer answer;
    constexpr size_t batch = 1000;
    for (size_t i = 0; i < fixes.size(); i += batch) {
      check(fencepost_monitor_feed_fixes(monitor, &fixes[i], std::min(batch, fixes.size() - i), nullptr, &error));
      poll(answer);
    }
    return answer;
  }
  // Finds the circles that contain each point. Returns the number of (point, circle) pairs.
  size_t ask(const std::vector<fencepost_fix> &points) {
    fencepost_point_columns columns = FENCEPOST_POINT_COLUMNS_INIT;
    columns.latitudes = &points[0].latitude, columns.longitudes = &points[0].longitude;
    columns.latitude_stride = columns.longitude_stride = sizeof points[0];
    offsets.resize(points.size() + 1);
    size_t size = std::max(generations.size(), points.size());
    for (generations.resize(size);; generations.resize(size)) {
      fencepost_status status =
          fencepost_conditions_containing_columns(conditions, &columns, points.size(), offsets.data(),
                                                  generations.data(), nullptr, generations.size(), &size, &error);
      if (status == FENCEPOST_OK) return size;
      if (status != FENCEPOST_E_BUFFER_TOO_SMALL) check(status);
    }
  }
  // Finds the conditions that contain each point, and summarizes them for comparison with another program's answers.
  Answer sets(const std::vector<fencepost_fix> &points) {
    ask(points);
    Answer answer;
    for (size_t row = 0; row < points.size(); row++)
      for (int64_t at = offsets[row]; at < offsets[row + 1]; at++)
        // Each condition's generation is its index + 1, because no condition was removed.
        answer.add(generations[size_t(at)] - 1, true, points[row].time_us);
    return answer;
  }
  // Finds the boundary nearest to each point, and returns the sum of the distances to these boundaries.
  double nearest(const std::vector<fencepost_fix> &points) {
    fencepost_point_columns columns = FENCEPOST_POINT_COLUMNS_INIT;
    columns.latitudes = &points[0].latitude, columns.longitudes = &points[0].longitude;
    columns.latitude_stride = columns.longitude_stride = sizeof points[0];
    std::vector<double> distances(points.size());
    generations.resize(std::max(generations.size(), points.size()));
    size_t found = 0;
    check(fencepost_conditions_nearest_columns(conditions, &columns, points.size(), 1, generations.data(),
                                               distances.data(), &found, &error));
    double sum = 0;
    for (double distance : distances) sum += distance < 0 ? -distance : distance;
    return sum;
  }
  // Polls `times` times while no event is waiting.
  void pollNothing(double times) {
    for (double i = 0; i < times; i++) {
      fencepost_event event;
      uint32_t available;
      check(fencepost_monitor_poll_event(monitor, &event, &available, &error));
      if (available) fail("an event waits where none should");
    }
  }
  Answer feedOneByOne(const std::vector<fencepost_fix> &fixes) {
    Answer answer;
    for (size_t i = 0; i < fixes.size(); i++) {
      check(fencepost_monitor_feed_fix(monitor, &fixes[i], &error));
      if (i % 1000 == 999) poll(answer);
    }
    poll(answer);
    return answer;
  }
  void feedOne(const fencepost_fix &fix) {
    check(fencepost_monitor_feed_fix(monitor, &fix, &error));
    Answer ignored;
    poll(ignored);
  }
  // Returns the number of circles in a plan with 20 slots.
  size_t plan(double latitude, double longitude) {
    fencepost_plan plan = FENCEPOST_PLAN_INIT;
    size_t count = 0;
    check(fencepost_monitor_plan(monitor, latitude, longitude, 5, nullptr, nullptr, 0, nullptr, armed.data(),
                                 armed.size(), &count, &plan, &error));
    return count;
  }
  double safeDistance(double latitude, double longitude) {
    double distance = 0;
    check(fencepost_monitor_safe_distance(monitor, latitude, longitude, &distance, &error));
    return distance;
  }
  void feedAlone(const fencepost_fix &fix) { check(fencepost_monitor_feed_fix(monitor, &fix, &error)); }
  std::vector<char> snapshot() {
    size_t size = 0;
    check(fencepost_monitor_snapshot(monitor, nullptr, 0, &size, &error));
    std::vector<char> bytes(size);
    check(fencepost_monitor_snapshot(monitor, bytes.data(), bytes.size(), &size, &error));
    return bytes;
  }
  void drain(Answer &answer) { poll(answer); }
  void close() { check(fencepost_monitor_close(monitor, &error)); }
  size_t count() {
    fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
    check(fencepost_monitor_statistics(monitor, &statistics, &error));
    return statistics.condition_count;
  }
  // Feeds the same fixes again and counts the events whose fix is far from the centre of the circle.
  double countFarEvidence(const std::vector<fencepost_fix> &fixes, const std::vector<Circle> &circles) {
    far = &circles;
    farEvidence = 0;
    feed(fixes);
    far = nullptr;
    return farEvidence;
  }

 private:
  fencepost_monitor *monitor = nullptr;
  fencepost_conditions *conditions = nullptr;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  std::vector<fencepost_event> events;
  std::vector<int64_t> offsets;
  std::vector<uint64_t> generations;
  std::vector<fencepost_armed_condition> armed = std::vector<fencepost_armed_condition>(20);
  const std::vector<Circle> *far = nullptr;

  void check(fencepost_status status) {
    if (status != FENCEPOST_OK) fail(error.message);
  }
  void poll(Answer &answer) {
    size_t count;
    do {
      check(fencepost_monitor_poll_events(monitor, events.data(), events.size(), &count, &error));
      for (size_t i = 0; i < count; i++) {
        const fencepost_event &event = events[i];
        answer.add(event.tag, event.state == FENCEPOST_STATE_SATISFIED, event.date_us);
        if (far) farEvidence += event.boundary_distance_m + (*far)[event.tag].radius > 20000;
      }
    } while (count == events.size());
  }
};

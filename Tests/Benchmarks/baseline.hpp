// An implementation of geofences without Fencepost, written with care: a Boost R-tree of boxes, then a filter of
// squared chords with exact bounds, then GeographicLib for points between the bounds. A device's events are the
// differences between the set of circles around its previous position and the set around its present position.
#pragma once
#define BOOST_ALLOW_DEPRECATED_HEADERS
#include "monitored.hpp"
#include "world.hpp"

#include <GeographicLib/Geodesic.hpp>
#include <algorithm>
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>
#include <cmath>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

class Baseline {
 public:
  explicit Baseline(const std::vector<Circle> &all) : circles(all) {
    std::vector<Entry> entries;
    entries.reserve(circles.size());
    rows.reserve(circles.size());
    for (const Circle &circle : circles) {
      entries.push_back({box(circle), uint32_t(rows.size())});
      // A geodesic of length s has a curvature between those of the two extreme radii R, so its chord is between the
      // values of s - s^3/(24 R^2) for these radii; a micrometre is added for rounding.
      double s = circle.radius, cube = s * s * s / 24;
      double least = s - cube / (leastRadius * leastRadius) - 1e-6;
      double greatest = s - cube / (greatestRadius * greatestRadius) * 0.999 + 1e-6;
      rows.push_back({vector(circle.latitude, circle.longitude), least * least, greatest * greatest});
    }
    tree = Tree(entries.begin(), entries.end());
  }

  Answer feed(const std::vector<fencepost_fix> &fixes) {
    Answer answer;
    for (const fencepost_fix &fix : fixes) {
      look(fix);
      difference([&](uint32_t circle, bool isInside) { answer.add(circle, isInside, fix.time_us); });
    }
    return answer;
  }

  // Finds only the sets of circles that contain the points, without events.
  Answer sets(const std::vector<fencepost_fix> &points) {
    Answer answer;
    for (const fencepost_fix &point : points) {
      look(point);
      for (uint32_t circle : found) answer.add(circle, true, point.time_us);
    }
    return answer;
  }

  // Produces events in the form in which Fencepost delivers them. Each event has the exact distance from its fix to the
  // boundary. The events are numbered, queued, and delivered in batches with the identifiers of their circles. Each
  // event is then acknowledged in the record of its circle.
  Answer tell(const std::vector<fencepost_fix> &fixes) {
    Answer answer;
    if (records.empty()) {
      records.resize(circles.size());
      for (size_t i = 0; i < circles.size(); i++) identifiers.push_back("circle-" + std::to_string(i));
    }
    for (size_t row = 0; row < fixes.size(); row++) {
      const fencepost_fix &fix = fixes[row];
      look(fix);
      difference([&](uint32_t circle, bool isInside) {
        double distance;
        GeographicLib::Geodesic::WGS84().Inverse(fix.latitude, fix.longitude, circles[circle].latitude,
                                                 circles[circle].longitude, distance);
        queue.push_back({0, circle, isInside, fix, distance - circles[circle].radius});
      });
      if (row % 1000 == 999 || row + 1 == fixes.size()) handOut(answer);
    }
    return answer;
  }

 private:
  using Point = boost::geometry::model::point<double, 2, boost::geometry::cs::cartesian>;
  using Box = boost::geometry::model::box<Point>;
  using Entry = std::pair<Box, uint32_t>;
  using Tree = boost::geometry::index::rtree<Entry, boost::geometry::index::rstar<16>>;
  struct Vector {
    double x, y, z;
  };
  struct Row {
    Vector centre;
    double least, greatest; // squared chords: below the first, the point is inside; above the second, it is outside
  };
  static constexpr double major = 6378137, flattening = 1 / 298.257223563;
  static constexpr double squareOfEccentricity = flattening * (2 - flattening);
  static constexpr double leastRadius = major * (1 - squareOfEccentricity);
  static constexpr double greatestRadius = major / (1 - flattening);

  // The data that an event's consumer receives, and the data of a circle's record.
  struct Told {
    uint64_t sequence;
    uint32_t circle;
    bool isInside;
    fencepost_fix fix;
    double distance;
  };
  const std::vector<Circle> circles;
  std::vector<Row> rows;
  Tree tree;
  std::vector<uint32_t> inside, found;
  std::vector<std::string> identifiers;
  std::deque<Told> queue;
  std::vector<Told> records;
  std::vector<fencepost_event> handed;
  uint64_t sequence = 0;

  static Vector vector(double latitude, double longitude) {
    constexpr double degree = 0.017453292519943295;
    double s = std::sin(latitude * degree), c = std::cos(latitude * degree);
    double n = major / std::sqrt(1 - squareOfEccentricity * s * s);
    return {n * c * std::cos(longitude * degree), n * c * std::sin(longitude * degree),
            n * (1 - squareOfEccentricity) * s};
  }
  static Box box(const Circle &circle) {
    double north = circle.radius / 110574 * 1.0005; // a degree of latitude is longer than 110574 m everywhere
    double widest = std::cos((std::fabs(circle.latitude) + north) * 0.017453292519943295);
    double east = circle.radius / (111319 * widest) * 1.0005;
    return Box(Point(circle.longitude - east, circle.latitude - north),
               Point(circle.longitude + east, circle.latitude + north));
  }
  bool contains(uint32_t index, const Vector &at, const fencepost_fix &fix) const {
    const Row &row = rows[index];
    double x = at.x - row.centre.x, y = at.y - row.centre.y, z = at.z - row.centre.z;
    double square = x * x + y * y + z * z;
    if (square <= row.least) return true;
    if (square > row.greatest) return false;
    double distance;
    const Circle &circle = circles[index];
    GeographicLib::Geodesic::WGS84().Inverse(fix.latitude, fix.longitude, circle.latitude, circle.longitude, distance);
    return distance <= circle.radius;
  }
  void look(const fencepost_fix &fix) {
    found.clear();
    Vector at;
    bool isKnown = false;
    tree.query(boost::geometry::index::intersects(Point(fix.longitude, fix.latitude)),
               boost::make_function_output_iterator([&](const Entry &entry) {
                 if (!isKnown) at = vector(fix.latitude, fix.longitude), isKnown = true;
                 if (contains(entry.second, at, fix)) found.push_back(entry.second);
               }));
  }
  void handOut(Answer &answer) {
    handed.resize(std::max(handed.size(), queue.size()));
    size_t count = 0;
    for (Told &told : queue) {
      told.sequence = ++sequence;
      fencepost_event &event = handed[count++];
      event = {};
      event.sequence = told.sequence;
      event.tag = told.circle;
      event.state = told.isInside ? FENCEPOST_STATE_SATISFIED : FENCEPOST_STATE_UNSATISFIED;
      event.date_us = event.evidence_date_us = told.fix.time_us;
      event.latitude = told.fix.latitude, event.longitude = told.fix.longitude;
      event.accuracy_m = told.fix.accuracy_m, event.boundary_distance_m = told.distance;
      std::memcpy(event.identifier, identifiers[told.circle].data(), identifiers[told.circle].size());
    }
    for (const Told &told : queue) records[told.circle] = told;
    queue.clear();
    for (size_t i = 0; i < count; i++)
      answer.add(handed[i].tag, handed[i].state == FENCEPOST_STATE_SATISFIED, handed[i].date_us);
  }
  template <class Say>
  void difference(Say say) {
    std::sort(found.begin(), found.end());
    if (found == inside) return;
    size_t before = 0, now = 0;
    while (before < inside.size() || now < found.size()) {
      if (now == found.size() || (before < inside.size() && inside[before] < found[now])) say(inside[before++], false);
      else if (before == inside.size() || found[now] < inside[before]) say(found[now++], true);
      else before++, now++;
    }
    inside.swap(found);
  }
};

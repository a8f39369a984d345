// Measures Fencepost through its C header against other implementations, in alternating turns: ours, theirs, ours,
// theirs. The program fails if the compared implementations give different answers. A missed performance target is
// reported, but the program does not fail.
#include "allocations.hpp"
#include "baseline.hpp"
#include "clock.hpp"
#include "fleets.hpp"
#include "limit.hpp"
#include "monitored.hpp"
#include "polygons.hpp"
#include "report.hpp"
#include "stored.hpp"
#include "waiting.hpp"
#include "world.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <malloc.h>
#include <memory>
#include <sched.h>
#include <thread>
#include <tuple>

namespace {

using Fixes = std::vector<fencepost_fix>;
using Circles = std::vector<Circle>;
using Sense = Row::Sense;

Report report;
bool quick = false;
int repetitions() { return quick ? 3 : 5; }

// Returns processor time in nanoseconds.
template <class Work>
double timed(Work work) {
  auto start = ThreadClock::now();
  work();
  return std::chrono::duration<double, std::nano>(ThreadClock::now() - start).count();
}
double rank(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, size_t(share * double(values.size())))];
}
double median(const std::vector<double> &values) { return rank(values, 0.5); }
std::string format(const char *pattern, double a, double b = 0, double c = 0) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, pattern, a, b, c);
  return buffer;
}

// Moves the fixes to later times, so that the same track can be fed again.
void repeat(Fixes &fixes) {
  int64_t span = fixes.back().time_us - fixes.front().time_us + 1000000;
  for (fencepost_fix &fix : fixes) fix.time_us += span;
}

struct Medians {
  double ours, theirs;
};
// Runs two implementations in turn over the same fixes. Returns the nanoseconds per fix. The first turn is a
// warm-up: its answers are compared, but its time is not counted.
Medians interleave(Fixes &fixes, const std::function<Answer()> &ours, const std::function<Answer()> &theirs,
                   const char *name, bool isSame = true) {
  std::vector<double> a, b;
  for (int i = 0; i <= repetitions(); i++) {
    Answer mine, other;
    double first = timed([&] { mine = ours(); }), second = timed([&] { other = theirs(); });
    if (isSame && !(mine == other))
      fail(std::string(name) + ": the answers differ: " + std::to_string(mine.events) + " events, the baseline has " +
           std::to_string(other.events));
    if (i > 0) a.push_back(first / double(fixes.size())), b.push_back(second / double(fixes.size()));
    repeat(fixes);
  }
  return {median(a), median(b)};
}

void againstBaseline(const std::string &name, const Circles &circles, Fixes fixes, double target) {
  Monitored monitor(circles);
  Baseline baseline(circles);
  Medians time =
      interleave(fixes, [&] { return monitor.feed(fixes); }, [&] { return baseline.feed(fixes); }, name.c_str());
  if (target > 0)
    report.add({name, "boost", time.ours, time.theirs, time.theirs / time.ours, Sense::atLeast, target, "x faster"});
  else report.note(name + format(": %.1f ns a fix, boost %.1f (as one device, no target)", time.ours, time.theirs));
}

// Measures the time for processing unrelated points and their events. Compares this time with that of the baseline,
// which does the same work for each event.
void eventsOfPoints(const std::string &name, const Circles &circles, Fixes points) {
  Monitored monitor(circles);
  Baseline baseline(circles);
  Medians time =
      interleave(points, [&] { return monitor.feed(points); }, [&] { return baseline.tell(points); }, name.c_str());
  report.add(
      {name, "boost, same work", time.ours, time.theirs, time.theirs / time.ours, Sense::atLeast, 2.2, "x faster"});
}

// Measures queries for the sets of circles that contain unrelated points, without events.
void setsOfPoints(const std::string &name, const Circles &circles, Fixes points) {
  Monitored monitor(circles);
  Baseline baseline(circles);
  Medians time =
      interleave(points, [&] { return monitor.sets(points); }, [&] { return baseline.sets(points); }, name.c_str());
  report.add({name, "boost", time.ours, time.theirs, time.theirs / time.ours, Sense::atLeast, 2, "x faster"});
}

void setsAgainstLimit(const std::string &name, const Limit &limit, size_t count) {
  if (!limit.isPresent()) return report.add({name, "limit B16", -1, -1, -1, Sense::atMost, 1.5, "x limit"});
  Monitored monitor(limit.circles(count));
  const Fixes points = limit.fixes("W4");
  std::vector<double> ours, theirs;
  for (int i = 0; i <= (quick ? 3 : 5); i++) {
    size_t pairs = 0;
    double time = timed([&] { pairs = monitor.ask(points); });
    Limit::Figure other = limit.run("W4", count, 1);
    if (other.events != pairs)
      fail(name + ": the answers differ: " + std::to_string(pairs) + " pairs, the limit has " +
           std::to_string(other.events));
    if (i > 0) ours.push_back(time / double(points.size())), theirs.push_back(other.nanoseconds);
  }
  double mine = median(ours), best = median(theirs);
  report.add({name, "limit B16", mine, best, mine / best, Sense::atMost, 1.5, "x limit"});
}

void againstLimit(const std::string &name, const Limit &limit, const char *workload, size_t count, double target) {
  if (!limit.isPresent()) return report.add({name, "limit", -1, -1, -1, Sense::atMost, target, "x limit"});
  Monitored monitor(limit.circles(count));
  Fixes fixes = limit.fixes(workload);
  std::vector<double> ours, theirs;
  int inner = quick ? 1 : 3, turns = quick ? 1 : 5;
  for (int i = 0; i <= turns; i++) {
    for (int k = 0; k < (i ? inner : 1); k++) {
      Answer answer;
      double time = timed([&] { answer = monitor.feed(fixes); });
      repeat(fixes);
      if (i > 0) ours.push_back(time / double(fixes.size()));
      else if (uint64_t events = limit.run(workload, count, 1).events; events != answer.events)
        fail(name + ": the answers differ: " + std::to_string(answer.events) + " events, the limit has " +
             std::to_string(events));
    }
    if (i > 0) theirs.push_back(limit.run(workload, count, inner).nanoseconds);
  }
  double mine = median(ours), best = median(theirs);
  report.add({name, "limit", mine, best, mine / best, Sense::atMost, target, "x limit"});
}

// Compares a device that is assumed to move along the geodesic between its fixes with a device that is known only at
// its fixes.
void paths(const std::string &name, Monitored &onPath, Monitored &atFixes, Fixes fixes, double target) {
  Answer more, fewer;
  Medians time = interleave(
      fixes, [&] { return more = onPath.feed(fixes); }, [&] { return fewer = atFixes.feed(fixes); }, name.c_str(),
      false);
  if (more.events < fewer.events) fail("path-" + name + ": fewer events on the path than at its fixes");
  report.add(
      {"path-" + name, "fixes", time.ours, time.theirs, time.ours / time.theirs, Sense::atMost, target, "x fixes"});
  report.note("path-" + name +
              format(": %.0f events, %.0f of them at its fixes alone", double(more.events), double(fewer.events)));
}
void paths(const std::string &name, const Circles &circles, Fixes fixes, double target) {
  Monitored onPath(circles, Policy::exact, Monitored::onPath()), atFixes(circles);
  paths(name, onPath, atFixes, fixes, target);
}

void policies(const std::string &name, const Circles &circles, Fixes fixes) {
  Monitored exact(circles), standard(circles, Policy::standard);
  Medians time =
      interleave(fixes, [&] { return standard.feed(fixes); }, [&] { return exact.feed(fixes); }, name.c_str(), false);
  report.add({"standard-" + name, "exact policy", time.ours, time.theirs, time.ours / time.theirs, Sense::atMost, 1.5,
              "x exact"});
}

// Measures the options of a monitor that doubt or weigh fixes, against a monitor without them.
void uncertainty(const std::string &name, const Circles &circles, Fixes fixes) {
  fencepost_options plausible = FENCEPOST_MONITOR_OPTIONS_INIT;
  plausible.plausible_speed_mps = 60;
  Monitored plain(circles), checked(circles, Policy::exact, plausible), weighed(circles, Policy::probable);
  for (auto &[option, monitor, target] :
       {std::tuple{"plausible-", &checked, 1.1}, std::tuple{"probability-", &weighed, 1.5}}) {
    Medians time =
        interleave(fixes, [&] { return monitor->feed(fixes); }, [&] { return plain.feed(fixes); }, name.c_str(), false);
    report.add({option + name, "options off", time.ours, time.theirs, time.ours / time.theirs, Sense::atMost, target,
                "x off"});
  }
}

// Measures a week of 100 000 circles that share 10 weekly schedules, each with 10 intervals a week.
void schedules(const Circles &circles, const fencepost_fix &fix) {
  const int64_t hour = 3600000000, day = 24 * hour, week = 7 * day;
  const int weeks = quick ? 2 : 5;
  std::vector<std::vector<fencepost_interval>> lists;
  for (int64_t list = 0; list < 10; list++) {
    std::vector<fencepost_interval> hours;
    for (int64_t at = 0; at < weeks; at++)
      for (int64_t weekday = 0; weekday < 5; weekday++) {
        const int64_t start = at * week + weekday * day + 8 * hour + list * 60000000;
        hours.push_back({start, start + 4 * hour});
        hours.push_back({start + 5 * hour, start + 9 * hour});
      }
    lists.push_back(hours);
  }
  Monitored monitor;
  monitor.add(circles, lists);
  monitor.feedOne(fix);
  std::vector<double> times;
  for (int at = 1; at <= weeks; at++) times.push_back(timed([&] { monitor.advance(at * week); }));
  report.add({"hours-100k-week", "", median(times), -1, median(times) / 1e9, Sense::atMost, 1, "s"});
}

// Measures the events of unrelated points with and without 100 000 rules, each of three circles.
void rules(const Circles &circles, Fixes points) {
  Columns columns(circles);
  Monitored with(circles), without(circles);
  with.addRules(columns);
  Answer more, fewer;
  Medians time = interleave(
      points, [&] { return more = with.feed(points); }, [&] { return fewer = without.feed(points); }, "rules", false);
  const double crossings = double(points.size()) / double(fewer.events);
  const double share = double(more.events - fewer.events) / double(fewer.events);
  if (share < 0.5 || share > 1) fail("rules-100k: crossings of circles do not change their rules");
  report.add({"rules-100k", "no rules", time.ours * crossings, time.theirs * crossings, time.ours / time.theirs,
              Sense::atMost, 3, "x without"});
  report.note(format("rules-100k: times per crossing of a circle, with %.2f events of rules for each crossing", share));
}

// Measures a monitor with a million conditions, only 20 of them near the device.
void locality(const Circles &near, size_t count, Fixes fixes) {
  Circles all = World(otherContinent).circles(count);
  std::copy(near.begin(), near.end(), all.begin());
  Monitored many(all), few(near);
  Medians time = interleave(fixes, [&] { return many.feed(fixes); }, [&] { return few.feed(fixes); }, "locality");
  report.add({"locality-1M", "W1-20", time.ours, time.theirs, time.ours / time.theirs, Sense::atMost, 1.5, "x W1-20"});
}

size_t heap() {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Measures a million conditions: adding them from columns, their memory, and adding or removing one of them.
void changes(const Circles &circles, const Fixes &fixes) {
  Columns columns(circles);
  std::vector<double> times;
  double bytes = 0;
  for (int i = 0; i < (quick ? 1 : 3); i++) {
    size_t before = heap();
    Monitored monitor;
    times.push_back(timed([&] {
      monitor.add(columns);
      monitor.feedOne(fixes[0]); // the first fix does the work that adding the conditions deferred
    }));
    bytes = (double(heap()) - double(before) - double(columns.identifierBytes)) / double(circles.size());
  }
  double total = median(times);
  report.add({"add-1M", "", total, -1, total / 1e9, Sense::atMost, 1.5, "s"});
  report.add({"memory", "", -1, -1, bytes, Sense::atMost, 200, "B/cond."});

  Monitored monitor;
  monitor.add(columns);
  Random random(23);
  std::vector<double> adds, removes, after;
  std::vector<size_t> order(circles.size());
  for (size_t i = 0; i < order.size(); i++) order[i] = i;
  size_t turns = quick ? 20000 : 100000;
  for (size_t i = 0; i < turns; i++) {
    std::swap(order[i], order[i + random.next() % (order.size() - i)]);
    const Circle &like = circles[random.next() % circles.size()];
    Circle circle = {like.latitude + random.uniform(-0.01, 0.01), like.longitude + random.uniform(-0.01, 0.01),
                     like.radius};
    std::string identifier = "new-" + std::to_string(i);
    adds.push_back(timed([&] { monitor.add(identifier.c_str(), circle); }));
    after.push_back(timed([&] { monitor.feedOne(fixes[i]); }));
    removes.push_back(timed([&] { monitor.remove(columns.identifiers[order[i]]); }));
  }
  for (auto &[name, values] : {std::pair{"add-one", &adds}, std::pair{"remove-one", &removes}}) {
    double middle = median(*values), late = rank(*values, 0.999);
    report.add({name, "", middle, -1, middle / 1e3, Sense::atMost, 20, "us median"});
    report.add({std::string(name) + "-p99.9", "", late, -1, late / 1e6, Sense::atMost, 5, "ms"});
  }
  report.note(format("the worst add took %.3f ms, the worst remove %.3f ms; the next fix after an add %.2f us (median)",
                     rank(adds, 1) / 1e6, rank(removes, 1) / 1e6, median(after) / 1e3));
}

// Measures the planning of a rotation of 20 slots among a million circles, along a drive and at unrelated points.
void planning(const Circles &circles, const Fixes &drive, const Fixes &points) {
  Monitored monitor(circles);
  monitor.feedOne(points[0]);
  for (auto &[name, fixes] : {std::pair{"plan-1M", &drive}, std::pair{"plan-1M-anywhere", &points}}) {
    std::vector<double> plans, distances;
    size_t turns = quick ? 2000 : 10000;
    for (size_t i = 0; i < turns; i++) {
      const fencepost_fix &fix = (*fixes)[i * (fixes->size() / turns)];
      plans.push_back(timed([&] {
        if (monitor.plan(fix.latitude, fix.longitude) != 19) fail("a plan does not fill its slots");
      }));
      distances.push_back(timed([&] { monitor.safeDistance(fix.latitude, fix.longitude); }));
    }
    double late = rank(plans, 0.999);
    report.add({std::string(name) + "-p99.9", "", late, -1, late / 1e6, Sense::atMost, 1, "ms"});
    report.note(std::string(name) +
                format(": %.1f us a plan (median), the worst %.1f us; %.1f us a safe distance (median)",
                       median(plans) / 1e3, rank(plans, 1) / 1e3, median(distances) / 1e3));
  }
}

// Returns the nanoseconds per inverse geodesic problem between points all over the globe.
double geodesics(const Circles &circles) {
  double global = 0;
  const auto &geographicLib = GeographicLib::Geodesic::WGS84();
  for (bool isNear : {true, false}) {
    size_t count = quick ? 50000 : 200000;
    Random random(29);
    std::vector<Place> from, to;
    for (size_t i = 0; i < count; i++) {
      const Circle &a = circles[i % circles.size()], &b = circles[(i * 7919 + 13) % circles.size()];
      from.push_back({a.latitude, a.longitude});
      to.push_back(isNear ? from.back().moved(random.uniform(-7e3, 7e3), random.uniform(-7e3, 7e3))
                          : Place{b.latitude, b.longitude});
    }
    std::vector<double> ours, theirs, mine(count), other(count);
    for (int turn = 0; turn <= repetitions(); turn++) {
      double a = timed([&] {
        for (size_t i = 0; i < count; i++)
          fencepost_geodesic_inverse(from[i].latitude, from[i].longitude, to[i].latitude, to[i].longitude, &mine[i],
                                     nullptr, nullptr, nullptr);
      });
      double b = timed([&] {
        for (size_t i = 0; i < count; i++)
          geographicLib.Inverse(from[i].latitude, from[i].longitude, to[i].latitude, to[i].longitude, other[i]);
      });
      if (turn > 0) ours.push_back(a / double(count)), theirs.push_back(b / double(count));
    }
    for (size_t i = 0; i < count; i++)
      if (!(std::fabs(mine[i] - other[i]) <= 30e-9)) fail("a geodesic differs from GeographicLib's by more than 30 nm");
    double a = median(ours), b = median(theirs);
    report.add(
        {isNear ? "inverse-near" : "inverse-global", "GeographicLib", a, b, a / b, Sense::atMost, 1, "x its time"});
    global = a;
  }
  return global;
}

void allocationsOf(const Circles &circles, Fixes fixes) {
  Monitored monitor(circles);
  monitor.feed(fixes);
  repeat(fixes);
  uint64_t before = allocations();
  Answer answer = monitor.feed(fixes);
  double count = double(allocations() - before) * 1e6 / double(fixes.size());
  report.add({"allocations-W1-1k", "", -1, -1, count, Sense::atMost, 0, "per M fixes"});
  report.note(format("W1-1k handed out %.0f events in its %.0f fixes", double(answer.events), double(fixes.size())));
}

void singleCalls(const Circles &circles, Fixes fixes) {
  Monitored single(circles), batched(circles);
  Medians time = interleave(
      fixes, [&] { return single.feedOneByOne(fixes); }, [&] { return batched.feed(fixes); }, "single calls");
  report.add({"single-W1-1k", "a batch's row", time.ours, time.theirs, std::max(0.0, time.ours - time.theirs),
              Sense::atMost, 30, "ns more"});
  const double polls = 1e6;
  std::vector<double> empty;
  for (int turn = 0; turn <= repetitions(); turn++) empty.push_back(timed([&] { single.pollNothing(polls); }) / polls);
  double poll = median(empty);
  report.add({"poll-empty", "", poll, -1, poll, Sense::atMost, 30, "ns"});
}

void evidence(const char *name, const Circles &circles, Fixes fixes, double inverse) {
  Monitored monitor(circles);
  double perFix = monitor.countFarEvidence(fixes, circles) / double(fixes.size());
  report.note(std::string(name) +
              format(": %.2f events a fix with evidence farther than 20 km; their exact distances take "
                     "about %.0f ns of a fix (%.0f ns each)",
                     perFix, perFix * inverse, inverse));
}

// Row W3: 10 000 polygons and one device at 1 Hz; every event has its exact signed distance.
void polygonsAgainst(const PolygonProgram &limit, const PolygonProgram &peers, const PolygonProgram &tg,
                     const std::string &data, const Limit &fixesOf) {
  if (!limit.isPresent()) return report.add({"W3-10k", "limit F+", -1, -1, -1, Sense::atMost, 2.5, "x limit"});
  const Polygons polygons = Polygons::load(data + "/w3_polys.bin");
  Monitored monitor;
  monitor.addPolygons(polygons);
  Fixes fixes = fixesOf.fixes("W1");
  std::vector<double> ours, theirs;
  for (int i = 0; i <= (quick ? 1 : 5); i++) {
    Answer answer;
    double time = timed([&] { answer = monitor.feed(fixes); });
    repeat(fixes);
    Limit::Figure other = limit.run("limit F+", 1);
    if (i == 0 && other.events != answer.events)
      fail("W3: the answers differ: " + std::to_string(answer.events) + " events, the limit has " +
           std::to_string(other.events));
    if (i > 0) ours.push_back(time / double(fixes.size())), theirs.push_back(other.nanoseconds);
  }
  double mine = median(ours);
  report.add({"W3-10k", "limit F+", mine, median(theirs), mine / median(theirs), Sense::atMost, 2.5, "x limit"});
  Monitored onPath(Policy::exact, nullptr, nullptr, Monitored::onPath()), atFixes;
  onPath.addPolygons(polygons);
  atFixes.addPolygons(polygons);
  fixes.resize(std::min(fixes.size(), size_t(100000)));
  paths("W3-10k", onPath, atFixes, fixes, 2.5);
  if (quick) return;
  struct Rival {
    const PolygonProgram &program;
    const char *name, *label;
    double target;
  };
  const Rival rivals[] = {{peers, "S2 = events", "S2", 3.5},
                          {peers, "GEOS prepared = events", "GEOS", 4},
                          {tg, "tg = events", "tg", 3.5},
                          {peers, "Boost rtree + exact geodesic side = events", "Boost", 9}};
  for (const Rival &rival : rivals) {
    if (!rival.program.isPresent()) { // run.sh could not find or build the peer, and says why
      report.add({"W3-10k", rival.label, mine, -1, -1, Sense::atLeast, rival.target, "x faster"});
      continue;
    }
    double time = rival.program.run(rival.name, 3).nanoseconds;
    report.add({"W3-10k", rival.label, mine, time, time / mine, Sense::atLeast, rival.target, "x faster"});
  }
}

// Compares the search for the nearest of 1 000 polygons with the search for the nearest of the circles around them,
// both for polygons that are far apart and for many that overlap.
void nearestOfPolygons(const Circles &circles) {
  Random random(5);
  Circles crowd;
  for (size_t i = 0; i < circles.size(); i++) {
    Place place = Place{47.38, 8.54}.moved(random.normal() * 8e3, random.normal() * 8e3);
    crowd.push_back({place.latitude, place.longitude, random.uniform(50, 450)});
  }
  const std::pair<const char *, const Circles *> worlds[] = {{"", &circles}, {"-crowd", &crowd}};
  for (auto &[world, of] : worlds) {
    Fixes points = World::points(*of, quick ? 20000 : 100000);
    Monitored round(*of);
    for (size_t corners : {12, 200}) {
      Monitored monitor;
      monitor.addPolygons(Polygons::stars(*of, corners, 0.5));
      std::vector<double> ours, theirs;
      for (int turn = 0; turn <= repetitions(); turn++) {
        double far = 0, other = 0;
        double time = timed([&] { far = monitor.nearest(points); });
        double its = timed([&] { other = round.nearest(points); });
        if (!(far > 0 && other > 0)) fail("nearest: no distances");
        if (turn > 0) ours.push_back(time / double(points.size())), theirs.push_back(its / double(points.size()));
      }
      double mine = median(ours), best = median(theirs);
      report.add({"nearest-" + std::to_string(corners) + world, "circles", mine, best, mine / best, Sense::atMost, 3,
                  "x circles"});
    }
  }
}

// Measures adding polygons of 127 corners, their memory, and a country with many corners whose boundary is far away.
void polygonsOfOurs(const Circles &circles, const Circles &twenty, Fixes drive) {
  Polygons polygons = Polygons::stars(Circles(circles.begin(), circles.begin() + 10000), 127, 0.4);
  std::vector<double> adding, ones;
  double bytes = 0;
  for (int i = 0; i < (quick ? 1 : 3); i++) {
    size_t before = heap();
    Monitored monitor;
    adding.push_back(timed([&] { monitor.addPolygons(polygons); }));
    bytes = double(heap()) - double(before) - double(polygons.identifierBytes) - 200.0 * double(polygons.count());
    for (size_t k = 0; k < (quick ? 200 : 1000); k++)
      ones.push_back(timed([&] { monitor.addPolygon(("new-" + std::to_string(k)).c_str(), polygons.geometry(k)); }));
  }
  double all = median(adding), one = median(ones);
  report.add({"polygons-add-10k", "", all, -1, all / 1e9, Sense::atMost, 3, "s"});
  report.add({"polygons-add-one", "", one, -1, one / 1e6, Sense::atMost, 1, "ms median"});
  report.add({"polygons-memory", "", -1, -1, bytes / double(polygons.vertices()), Sense::atMost, 60, "B/vertex"});

  Circle around = {drive[0].latitude, drive[0].longitude, 500e3};
  Polygons country = Polygons::stars({around}, 12000, 0.995);
  Monitored far, few(twenty);
  far.addPolygons(country);
  Medians time =
      interleave(drive, [&] { return far.feed(drive); }, [&] { return few.feed(drive); }, "a country", false);
  report.add(
      {"country-12k-far", "W1-20", time.ours, time.theirs, time.ours / time.theirs, Sense::atMost, 2, "x W1-20"});
}

// Measures the time of fixes that change nothing, with and without a store, and compares a durable change with an
// SQLite transaction.
void storing(const Circles &circles, Fixes fixes) {
  StoreDirectory directory;
  const Circle &home = circles[0];
  for (fencepost_fix &fix : fixes) fix.latitude = home.latitude, fix.longitude = home.longitude;
  Monitored memory(circles), stored(Policy::exact, "feed", directory.text().c_str());
  stored.add(Columns(circles));
  std::vector<double> with, without;
  for (int i = 0; i <= repetitions(); i++) {
    Answer one, two;
    double a = elapsed([&] { one = stored.feed(fixes); }), b = elapsed([&] { two = memory.feed(fixes); });
    if (!(one == two)) fail("with a store the answers differ");
    if (i > 0) with.push_back(a / double(fixes.size())), without.push_back(b / double(fixes.size()));
    repeat(fixes);
  }
  double a = median(with), b = median(without);
  report.add({"store-feed", "in memory", a, b, a / b, Sense::atMost, 1.1, "x without"});

  BareCommit bare(directory.text());
  std::vector<double> changes, commits;
  fencepost_fix here = fixes[0], away = here;
  away.latitude += away.latitude > 0 ? -60 : 60;
  for (int i = 0; i < (quick ? 100 : 400); i++) {
    fencepost_fix fix = i % 2 ? here : away;
    fix.time_us += int64_t(i + 1) * 1000000;
    changes.push_back(elapsed([&] { stored.feedAlone(fix); }));
    commits.push_back(elapsed([&] { bare(i); }));
    Answer ignored;
    if (i % 20 == 0) stored.drain(ignored);
  }
  a = median(changes), b = median(commits);
  report.add({"store-change", "SQLite commit", a, b, a / b, Sense::atMost, 1.5, "x a commit"});
}

// Measures a million conditions in a store: the time to open it, its file size, its snapshot.
void storedMillion(const Circles &circles, const Fixes &fixes) {
  StoreDirectory directory;
  Columns columns(circles);
  double count = double(circles.size());
  {
    Monitored monitor(Policy::exact, "million", directory.text().c_str());
    double adding = elapsed([&] { monitor.add(columns); });
    double settling = elapsed([&] { monitor.feedOne(fixes[0]); });
    monitor.close();
    report.note(format("a million circles with a store: added in %.2f s, settled by the first fix in %.2f s",
                       adding / 1e9, settling / 1e9));
  }
  report.add({"store-file", "", -1, -1, (directory.size("million") - double(columns.identifierBytes)) / count,
              Sense::atMost, 200, "B/cond."});
  std::vector<double> opening, saving;
  size_t bytes = 0;
  for (int i = 0; i < (quick ? 1 : 3); i++) {
    std::unique_ptr<Monitored> monitor;
    opening.push_back(
        elapsed([&] { monitor = std::make_unique<Monitored>(Policy::exact, "million", directory.text().c_str()); }));
    if (monitor->count() != circles.size()) fail("the store lost conditions");
    saving.push_back(elapsed([&] { bytes = monitor->snapshot().size(); }));
  }
  report.add({"store-open-1M", "", median(opening), -1, median(opening) / 1e9, Sense::atMost, 3, "s"});
  report.add({"snapshot-1M", "", median(saving), -1, median(saving) / 1e9, Sense::atMost, 1, "s"});
  report.note(format("the snapshot of a million circles has %.0f bytes", double(bytes)));
}

// Measures 10 000 polygons of 127 corners in a store: its file size, and the time to open it, which rebuilds each
// polygon from its vertices.
void storedPolygons(const Circles &circles) {
  StoreDirectory directory;
  Polygons polygons = Polygons::stars(Circles(circles.begin(), circles.begin() + 10000), 127, 0.4);
  {
    Monitored monitor(Policy::exact, "polygons", directory.text().c_str());
    monitor.addPolygons(polygons);
    monitor.close();
  }
  std::vector<double> opening;
  for (int i = 0; i < (quick ? 1 : 3); i++) {
    std::unique_ptr<Monitored> monitor;
    opening.push_back(
        timed([&] { monitor = std::make_unique<Monitored>(Policy::exact, "polygons", directory.text().c_str()); }));
    if (monitor->count() != polygons.count()) fail("the store lost polygons");
  }
  double bytes = directory.size("polygons") - double(polygons.identifierBytes) - 200.0 * double(polygons.count());
  report.add({"polygons-open-10k", "", median(opening), -1, median(opening) / 1e9, Sense::atMost, 3, "s"});
  report.add({"polygons-file", "", -1, -1, bytes / double(polygons.vertices()), Sense::atMost, 20, "B/vertex"});
}

// Runs a fleet on the tracks that all compared programs share, and counts its events. The targets are in the table
// "fleets" in Tests/Benchmarks/README.md. Returns the nanoseconds that a device's first fix takes.
double fleetOn(const FleetPeers &peers, const Limit &limit, const Zones &zones, size_t devices, size_t each,
               const std::string &name, double target) {
  const DeviceRows rows = deviceRows(limit, devices, each);
  std::vector<double> all, first;
  uint64_t events = 0;
  for (int i = 0; i < (devices > 10000 ? 1 : 3); i++) {
    Fleets fleet(zones, uint32_t(devices));
    double a = timed([&] { fleet.feed(rows, 0, devices); });
    double b = timed([&] { fleet.feed(rows, devices, rows.count()); });
    first.push_back(a / double(devices)), all.push_back((a + b) / double(rows.count()));
    events = fleet.events;
  }
  malloc_trim(0);
  Limit::Figure theirs = peers.limit(devices, each, 3);
  if (events != theirs.events)
    fail(name + ": " + std::to_string(events) + " events, the limit has " + std::to_string(theirs.events));
  report.add({name, "limit", median(all), theirs.nanoseconds, median(all), Sense::atMost, target, "ns"});
  return median(first);
}

// Nanoseconds per fix.
double fleetTime(const Zones &zones, const DeviceRows &rows, bool isSingle) {
  std::vector<double> times;
  for (int i = 0; i < repetitions(); i++) {
    Fleets fleet(zones, rows.deviceCount);
    times.push_back(timed([&] { isSingle ? fleet.feedAlone(rows) : fleet.feed(rows, 0, rows.count()); }) /
                    double(rows.count()));
  }
  return median(times);
}

// Measures the memory of a million devices, including identifiers of 16 bytes, and the memory that does not depend on
// their number.
void manyDevices(const Limit &limit, Zones &zones, const StoreDirectory &directory) {
  const uint32_t devices = quick ? 100000 : 1000000;
  const DeviceRows rows = deviceRows(limit, devices, 2);
  {
    double before = allocated();
    Fleets plain(zones, devices);
    plain.feed(rows, 0, rows.count());
    report.add({"fleet-bytes", "", -1, -1, (allocated() - before) / devices, Sense::atMost, 250, "bytes"});
  }
  Fleets fleet(zones, devices, directory.text().c_str());
  fleet.feed(rows, 0, rows.count());
  std::vector<double> adding, waiting;
  for (int i = 0; i < 200; i++)
    adding.push_back(timed([&] { zones.addOne("added-" + std::to_string(i), 40 + i * 0.01, 10); }));
  int64_t time = rows.times.back();
  for (int i = 0; i < 200; i++) waiting.push_back(timed([&] { fleet.advance(time + i); }));
  report.add({"fleet-add", "", median(adding), -1, median(adding) / 1000, Sense::atMost, 20, "us"});
  report.add({"fleet-advance", "", median(waiting), -1, median(waiting) / 1000, Sense::atMost, 1, "us"});
  // Measures the cost of saving; this cost has no target.
  double saving = timed([&] { fleet.checkpoint(); });
  fleet.close();
  double opening = 0;
  {
    Zones empty;
    auto start = ThreadClock::now();
    Fleets again(empty, 0, directory.text().c_str());
    opening = std::chrono::duration<double, std::nano>(ThreadClock::now() - start).count();
  }
  report.note(format(("fleet-open: " + std::to_string(devices) +
                      " devices saved in %.2f s and opened in %.2f s of the processor, %.0f bytes each on the disk")
                         .c_str(),
                     saving / 1e9, opening / 1e9, directory.size("bench") / devices));
}

// Measures exporting and importing one device, and all devices.
void carriedDevices(const Zones &zones, const DeviceRows &rows) {
  Fleets fleet(zones, rows.deviceCount);
  fleet.feed(rows, 0, rows.count());
  std::vector<double> exporting, importing;
  std::vector<uint64_t> offsets;
  for (int i = 0; i < repetitions(); i++) {
    std::vector<uint8_t> bytes;
    exporting.push_back(timed([&] { bytes = fleet.exported(offsets); }) / rows.deviceCount);
    Fleets other(zones, 0);
    importing.push_back(other.imported(bytes, offsets) / rows.deviceCount);
  }
  std::vector<double> lengths;
  for (size_t d = 0; d < rows.deviceCount; d++) lengths.push_back(double(offsets[d + 1] - offsets[d]));
  report.add({"fleet-export", "", median(exporting), -1, median(exporting) / 1000, Sense::atMost, 1, "us"});
  report.add({"fleet-import", "", median(importing), -1, median(importing) / 1000, Sense::atMost, 1, "us"});
  report.add({"fleet-device-bytes", "", -1, -1, median(lengths), Sense::atMost, 128, "bytes"});
}

// Runs two fleets over one table on two threads; each fleet has half of the devices. The result is the time of one
// fleet with all devices, divided by the time of the slower of the two threads. Both times are processor times: they
// exclude other programs, but include waiting for memory and for the table.
void twoFleets(const Zones &zones, const DeviceRows &rows) {
  DeviceRows halves[2];
  for (size_t i = 0; i < rows.count(); i++)
    halves[rows.devices[i] % 2].append(rows.devices[i] / 2, rows.latitudes[i], rows.longitudes[i], rows.accuracies[i],
                                       rows.times[i]);
  std::vector<double> ones, twos;
  for (int i = 0; i < repetitions(); i++) {
    Fleets one(zones, rows.deviceCount);
    ones.push_back(timed([&] { one.feed(rows, 0, rows.count()); }));
    double times[2];
    std::vector<std::thread> threads;
    for (int k = 0; k < 2; k++)
      threads.emplace_back([&, k] {
        onEveryCore();
        Fleets half(zones, halves[k].deviceCount);
        times[k] = timed([&] { half.feed(halves[k], 0, halves[k].count()); });
      });
    for (std::thread &thread : threads) thread.join();
    twos.push_back(std::max(times[0], times[1]));
  }
  report.add({"fleet-two-cores", "one fleet", median(twos), median(ones), median(ones) / median(twos), Sense::atLeast,
              1.7, "x faster"});
}

// The rows have the order of the table "fleets" in Tests/Benchmarks/README.md.
void fleets(const FleetPeers &peers, const Limit &limit) {
  const Columns circles(limit.circles(100000));
  const DeviceRows rows = deviceRows(limit, 10000, 100);
  Zones exact(circles, Policy::exact), standard(circles, Policy::standard);
  double first = fleetOn(peers, limit, exact, 10000, 100, "fleet-W2", 90);
  double held = fleetTime(standard, rows, false), alone = fleetTime(exact, rows, true);
  report.add({"fleet-W2-standard", "", held, -1, held, Sense::atMost, 120, "ns"});
  report.add({"fleet-W2-single", "", alone, -1, alone, Sense::atMost, 150, "ns"});
  if (!quick) {
    fleetOn(peers, limit, exact, 100000, 20, "fleet-100k", 100);
    fleetOn(peers, limit, exact, 1000000, 20, "fleet-1M", 150);
  }
  double boost = peers.boost(quick ? 1 : 3), again = fleetTime(exact, rows, false);
  report.add({"fleet-W2", "Boost + delta", again, boost, boost / again, Sense::atLeast, 5, "x faster"});
  report.add({"fleet-first-fix", "", first, -1, first / 1000, Sense::atMost, 1, "us"});
  {
    const StoreDirectory directory;
    Zones fresh(circles, Policy::exact);
    manyDevices(limit, fresh, directory);
  }
  carriedDevices(exact, rows);
  twoFleets(exact, rows);
  report.note(
      "fleet-Tile38: not measured, no package of Debian or PyPI holds the server; fleets.md has 19 220 ns of its time "
      "for each of these fixes");
}

} // namespace

int main(int count, char **arguments) {
  std::string json, limitProgram, limitData, polygonLimit, polygonPeers, tgPeer, fleetLimit, boost;
  for (int i = 1; i < count; i++) {
    if (!std::strcmp(arguments[i], "--quick")) quick = true;
    else if (!std::strcmp(arguments[i], "--json") && i + 1 < count) json = arguments[++i];
    else if (!std::strcmp(arguments[i], "--limit") && i + 2 < count)
      limitProgram = arguments[++i], limitData = arguments[++i];
    else if (!std::strcmp(arguments[i], "--polygon-limit") && i + 1 < count) polygonLimit = arguments[++i];
    else if (!std::strcmp(arguments[i], "--polygon-peers") && i + 1 < count) polygonPeers = arguments[++i];
    else if (!std::strcmp(arguments[i], "--tg-peer") && i + 1 < count) tgPeer = arguments[++i];
    else if (!std::strcmp(arguments[i], "--fleet-limit") && i + 2 < count)
      fleetLimit = arguments[++i], boost = arguments[++i];
    else
      fail(
          "usage: bench [--quick] [--json FILE] [--limit PROGRAM DATA] [--polygon-limit PROGRAM] [--polygon-peers "
          "PROGRAM] [--fleet-limit PROGRAM BOOST]");
  }

  World world;
  const size_t length = quick ? 200000 : 1000000;
  const Circles million = world.circles(1000000), hundredThousand(million.begin(), million.begin() + 100000);
  const Circles thousand = world.circles(1000), twenty = world.circles(20);
  const Fixes drive = world.drive(length), points = World::points(million, length);

  const Limit limit(limitProgram, limitData);
  againstLimit("W1-20", limit, "W1", 20, 3);
  againstLimit("W1-1k", limit, "W1", 1000, 2);
  againstLimit("W1-100k", limit, "W1", 100000, 2);
  againstLimit("W1-1M", limit, "W1", 1000000, 1.8);
  setsAgainstLimit("W4-100k-sets", limit, 100000);
  setsAgainstLimit("W4-1M-sets", limit, 1000000);
  if (!limit.isPresent()) report.note("the limit programs (../shared/bench) are not here: those rows are not measured");

  againstBaseline("W1-20", twenty, drive, 2);
  againstBaseline("W1-1k", thousand, drive, 4);
  againstBaseline("W1-100k", hundredThousand, drive, 5);
  againstBaseline("W1-1M", million, drive, 3);
  setsOfPoints("W4-100k-sets", hundredThousand, points);
  setsOfPoints("W4-1M-sets", million, points);
  eventsOfPoints("W4-100k", hundredThousand, points);
  eventsOfPoints("W4-1M", million, points);
  againstBaseline("W2-100k", hundredThousand, world.fleet(10000, length / 10000), 0);

  policies("W1-1k", thousand, drive);
  policies("W1-100k", hundredThousand, drive);
  uncertainty("W1-1k", thousand, drive);
  schedules(hundredThousand, drive[0]);
  rules(Circles(million.begin(), million.begin() + 300000), Fixes(points.begin(), points.begin() + length / 5));
  paths("W1-1k", thousand, drive, 1.4);
  paths("W1-100k", hundredThousand, drive, 1.45);
  locality(twenty, million.size(), drive);
  changes(million, points);
  planning(million, drive, points);
  double inverse = geodesics(million);
  allocationsOf(thousand, drive);
  singleCalls(thousand, drive);
  storing(thousand, drive);
  storedMillion(million, drive);
  evidence("W4-100k", hundredThousand, points, inverse);
  evidence("W4-1M", million, points, inverse);
  polygonsAgainst({polygonLimit, limitData}, {polygonPeers, limitData}, {tgPeer, limitData}, limitData, limit);
  nearestOfPolygons(thousand);
  polygonsOfOurs(million, twenty, drive);
  storedPolygons(million);

  waiting(report, thousand, quick ? 500 : 2000);
  if (!fleetLimit.empty()) fleets({fleetLimit, boost, limitData}, limit);

  report.print();
  if (!json.empty() && !report.write(json)) fail("cannot write " + json);
}

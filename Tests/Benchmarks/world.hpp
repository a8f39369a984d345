// Generates the benchmark's own data: a world of cities and circles, and tracks through it. The numbers are the same on
// every machine, because they come from an integer generator, and no function of the math library is used.
#pragma once
#include "fencepost.h"

#include <cstdint>
#include <vector>

struct Circle {
  double latitude, longitude, radius;
};

class Random {
 public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() { // splitmix64
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double uniform() { return double(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal() { // a sum of uniform numbers (Irwin-Hall), close enough to Gaussian, with exact arithmetic
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += uniform();
    return sum;
  }

 private:
  uint64_t state;
};

constexpr double metresPerDegree = 111320;

inline double cosineOfDegrees(double degrees) {
  double x = degrees * 0.017453292519943295, z = x * x;
  return 1 - z / 2 * (1 - z / 12 * (1 - z / 30 * (1 - z / 56 * (1 - z / 90 * (1 - z / 132 * (1 - z / 182))))));
}

struct Place {
  double latitude, longitude;
  Place moved(double north, double east) const {
    return {latitude + north / metresPerDegree, longitude + east / (metresPerDegree * cosineOfDegrees(latitude))};
  }
};

// The region in which the cities of a world lie. No region reaches a pole or the antimeridian, because the bounding
// boxes of the baseline do not work there.
struct Region {
  double south, north, west, east;
};
constexpr Region globe = {-45, 62, -174, 174}, otherContinent = {-38, -16, 115, 150};

class World {
 public:
  explicit World(Region region = globe) : region(region) {
    Random random(7);
    for (int i = 0; i < 1000; i++) {
      Place place = {random.uniform(region.south, region.north), random.uniform(region.west, region.east)};
      cities.push_back({place, random.uniform(6e3, 20e3)});
    }
    if (region.west == globe.west) { // the device's home and four destinations
      cities[home] = {{47.38, 8.54}, 14e3};
      const double offsets[4][2] = {{40e3, 35e3}, {-45e3, 40e3}, {10e3, -55e3}, {80e3, 20e3}};
      for (int i = 0; i < 4; i++) cities[home + 1 + i] = {cities[home].place.moved(offsets[i][0], offsets[i][1]), 8e3};
    }
  }

  // If there are at most 20 circles, all of them lie around the home; if there are 21 to 1 000 circles, half of them
  // lie around the home or one of the four destinations. All other circles lie at random places: 70 % at cities, 20 %
  // within a few degrees of the home, and 10 % anywhere in the region. For more than 1 000 circles, the random numbers
  // do not depend on the count, so a larger set begins with the circles of a smaller one.
  std::vector<Circle> circles(size_t count) const {
    Random random(11 + (count <= 1000 ? count : 0));
    std::vector<Circle> result;
    result.reserve(count);
    for (size_t i = 0; i < count; i++) {
      Place place;
      if (count <= 20) place = cities[home].place.moved(random.normal() * 8e3, random.normal() * 8e3);
      else if (count <= 1000 && i < count / 2) place = around(home + (i % 5 < 3 ? 0 : i % 4 + 1), random);
      else place = anywhere(random);
      result.push_back({place.latitude, place.longitude, radius(random)});
    }
    return result;
  }

  // Returns row W1 of the benchmarks, one device with a fix per second: legs on foot or by car, smooth changes of
  // speed, wandering, stops, and noise of 5-20 m.
  std::vector<fencepost_fix> drive(size_t count) const {
    Random random(13);
    Walk walk{cities[home].place, home};
    std::vector<fencepost_fix> fixes;
    fixes.reserve(count);
    while (fixes.size() < count) fixes.push_back(noisy(step(walk, random, 1), int64_t(fixes.size()) * 1000000, random));
    return fixes;
  }

  // Makes `devices` walks with one fix every 10 s, interleaved in time order, as in row W2 of the benchmarks.
  std::vector<fencepost_fix> fleet(size_t devices, size_t each) const {
    Random random(17);
    std::vector<Walk> walks;
    for (size_t i = 0; i < devices; i++) {
      int city = pick(random);
      walks.push_back({around(city, random), city});
    }
    std::vector<fencepost_fix> fixes;
    fixes.reserve(devices * each);
    for (size_t tick = 0; tick < each; tick++)
      for (size_t i = 0; i < devices; i++)
        fixes.push_back(noisy(step(walks[i], random, 10), int64_t(tick * 10000000 + i * 10000000 / devices), random));
    return fixes;
  }

  // Returns unrelated points (row W4 of the benchmarks), distributed as densely as the circles.
  static std::vector<fencepost_fix> points(const std::vector<Circle> &circles, size_t count) {
    Random random(19);
    std::vector<fencepost_fix> fixes;
    fixes.reserve(count);
    while (fixes.size() < count) {
      const Circle &circle = circles[random.next() % circles.size()];
      Place place = Place{circle.latitude, circle.longitude}.moved(random.normal() * 2e3, random.normal() * 2e3);
      fixes.push_back({place.latitude, place.longitude, random.uniform(5, 20), int64_t(fixes.size()) * 1000000});
    }
    return fixes;
  }

 private:
  struct City {
    Place place;
    double spread;
  };
  struct Walk {
    Place place;
    int city;
    Place target{};
    double left = 0, speed = 0, factor = 1, wander = 0;
    double stop = 0;
  };
  static constexpr int home = 10;
  Region region;
  std::vector<City> cities;

  int pick(Random &random) const { // cities are sorted: the largest come first
    double u = random.uniform();
    return int(u * u * double(cities.size()));
  }
  Place around(int city, Random &random) const {
    const City &c = cities[size_t(city)];
    double north = random.normal() * c.spread, east = random.normal() * c.spread;
    return c.place.moved(north, east);
  }
  Place anywhere(Random &random) const {
    double kind = random.uniform();
    if (kind < 0.7) return around(pick(random), random);
    const Place &at = cities[home].place;
    if (kind < 0.9) return {at.latitude + random.uniform(-6, 6), at.longitude + random.uniform(-8, 8)};
    return {random.uniform(region.south, region.north), random.uniform(region.west, region.east)};
  }
  static double radius(Random &random) { // 50 m to 5 km; 100 to 200 m is as frequent as 200 to 400 m
    double octave = random.uniform(0, 6.643856), scale = 50;
    while (octave >= 1) octave -= 1, scale *= 2;
    return scale * (1 + octave);
  }
  Place step(Walk &walk, Random &random, double seconds) const {
    if (walk.stop > 0) {
      walk.stop -= seconds;
      return walk.place;
    }
    if (walk.left <= 0) {
      int next = walk.city;
      if (walk.city >= home && walk.city <= home + 4 && random.uniform() < 0.1) next = home + int(random.next() % 5);
      bool isFar = next != walk.city, onFoot = !isFar && random.uniform() < 0.2;
      walk.city = next;
      walk.target = around(next, random);
      if (onFoot) walk.target = walk.place.moved(random.normal() * 800, random.normal() * 800);
      walk.speed = onFoot ? random.uniform(0.8, 2) : isFar ? random.uniform(20, 33) : random.uniform(6, 17);
      walk.left = 1; // a placeholder: each step computes the value
      walk.wander = random.uniform(-0.5, 0.5);
    }
    double north = (walk.target.latitude - walk.place.latitude) * metresPerDegree;
    double east =
        (walk.target.longitude - walk.place.longitude) * metresPerDegree * cosineOfDegrees(walk.place.latitude);
    walk.factor += (1 - walk.factor) * 0.02 * seconds + random.normal() * 0.05;
    walk.factor = walk.factor < 0.1 ? 0.1 : walk.factor > 1.7 ? 1.7 : walk.factor;
    double pace = walk.speed * walk.factor * seconds, far = __builtin_sqrt(north * north + east * east);
    walk.left = far - pace;
    if (walk.left <= 0) {
      walk.place = walk.target;
      if (random.uniform() < 0.7) walk.stop = random.uniform(30, 1200);
    } else { // the track curves towards the destination
      double ahead = pace / far, aside = far > 500 ? walk.wander * pace / far : 0;
      walk.place = walk.place.moved(north * ahead + east * aside, east * ahead - north * aside);
    }
    return walk.place;
  }
  static fencepost_fix noisy(Place place, int64_t time, Random &random) {
    // In the plane, 68 % of a Gaussian distribution lie within 1.5152 sigma.
    double accuracy = random.uniform(5, 20), sigma = accuracy / 1.5152;
    double north = random.normal() * sigma, east = random.normal() * sigma;
    place = place.moved(north, east);
    return {place.latitude, place.longitude, accuracy, time};
  }
};

// Provides the benchmark's own polygons. If the programs for table row W3 are present in ../shared/bench, this header
// also provides the polygons of that row. The programs of ../shared/bench read the same flat files.
#pragma once
#include "limit.hpp"
#include "monitored.hpp"
#include "world.hpp"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// Holds polygons with one ring each, in the columns that the C function takes.
class Polygons {
 public:
  std::vector<double> latitudes, longitudes;
  std::vector<int32_t> rings{0}, parts{0};
  std::vector<std::string> texts;
  std::vector<const char *> identifiers;
  std::vector<uint64_t> tags;
  size_t identifierBytes = 0;

  // Creates a star around the centre of each circle. A star has `corners` corners on average; each corner's distance
  // from the centre is the radius times a factor from `least` to 1.
  static Polygons stars(const std::vector<Circle> &circles, size_t corners, double least) {
    Polygons polygons;
    Random random(31);
    for (const Circle &circle : circles) {
      size_t count = corners / 2 + random.next() % (corners + 1);
      for (size_t corner = 0; corner < count; corner++) {
        double angle = 360.0 * double(corner) / double(count), reach = circle.radius * random.uniform(least, 1);
        Place at = Place{circle.latitude, circle.longitude}.moved(reach * cosine(angle), reach * cosine(angle - 90));
        polygons.latitudes.push_back(at.latitude);
        polygons.longitudes.push_back(at.longitude);
      }
      polygons.end();
    }
    polygons.close();
    return polygons;
  }

  // Reads the polygons of row W3 of the benchmark's table from a file, which contains the counts, the start of each
  // ring, then alternating latitudes and longitudes.
  static Polygons load(const std::string &path) {
    FILE *file = std::fopen(path.c_str(), "rb");
    int64_t counts[2];
    if (!file || std::fread(counts, 8, 2, file) != 2) fail("cannot read " + path);
    std::vector<int64_t> offsets(size_t(counts[0]) + 1);
    std::vector<double> vertices(2 * size_t(counts[1]));
    if (std::fread(offsets.data(), 8, offsets.size(), file) != offsets.size() ||
        std::fread(vertices.data(), 8, vertices.size(), file) != vertices.size())
      fail("cannot read " + path);
    std::fclose(file);
    Polygons polygons;
    for (size_t i = 0; i < size_t(counts[0]); i++) {
      for (int64_t at = offsets[i]; at < offsets[i + 1]; at++) {
        polygons.latitudes.push_back(vertices[2 * size_t(at)]);
        polygons.longitudes.push_back(vertices[2 * size_t(at) + 1]);
      }
      polygons.end();
    }
    polygons.close();
    return polygons;
  }

  size_t count() const { return texts.size(); }
  size_t vertices() const { return latitudes.size(); }

  fencepost_geometry geometry() const { return geometry(0, count()); }

  // Returns the geometry of the polygon `index`.
  fencepost_geometry geometry(size_t index) const { return geometry(index, 1); }

 private:
  void end() {
    rings.push_back(int32_t(latitudes.size()));
    parts.push_back(int32_t(parts.size()));
    texts.push_back("polygon-" + std::to_string(texts.size()));
    identifierBytes += texts.back().size();
    tags.push_back(tags.size());
  }
  void close() {
    for (const std::string &text : texts) identifiers.push_back(text.c_str());
  }
  fencepost_geometry geometry(size_t first, size_t count) const {
    fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
    geometry.latitudes = latitudes.data();
    geometry.longitudes = longitudes.data();
    geometry.vertex_count = latitudes.size();
    geometry.ring_offsets = rings.data();
    geometry.ring_count = texts.size();
    geometry.part_offsets = parts.data() + first;
    geometry.part_count = count;
    return geometry;
  }
  // For -90 to 360 degrees.
  static double cosine(double degrees) {
    if (degrees > 180) degrees = 360 - degrees;
    if (degrees < 0) degrees = -degrees;
    return degrees <= 90 ? cosineOfDegrees(degrees) : -cosineOfDegrees(180 - degrees);
  }
};

// Runs a program that prints a line of JSON for each of its measurements.
class PolygonProgram {
 public:
  PolygonProgram(std::string program, std::string data) : program(std::move(program)), data(std::move(data)) {}
  bool isPresent() const { return !program.empty(); }

  // Runs the measurement with this name. Returns the median time of its repetitions, and its number of answers.
  Limit::Figure run(const std::string &name, int repetitions) const {
    std::string command = "BENCH_DATA='" + data + "' BENCH_REPS=" + std::to_string(repetitions) + " BENCH_ONLY='" +
                          name + "' '" + program + "' w3 2>/dev/null";
    FILE *pipe = popen(command.c_str(), "r");
    if (!pipe) fail("cannot run " + program);
    char line[4096], found[4096] = "";
    while (std::fgets(line, sizeof line, pipe))
      if (std::strstr(line, name.c_str())) std::strcpy(found, line);
    if (pclose(pipe) != 0 || !*found) fail("no figure from: " + command);
    return {figure(found, "\"ns_med\":"), uint64_t(figure(found, "\"answers\":"))};
  }

 private:
  std::string program, data;
};

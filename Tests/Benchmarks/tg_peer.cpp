// Runs tg on the polygons of the table row W3 (../shared/bench). A packed R-tree of boxes finds candidate polygons, and
// tg tests which of them contain the point. If the set of polygons that contain the device changes, each difference is
// an event. Edges are straight lines in longitude and latitude. The macro TG_LIBRARY is the path of the library that
// contains tg; the package sqlite-tg includes this library. Prints a line of JSON, as the other peers do.
#include "common.hpp"

#include <boost/geometry.hpp>
#include <boost/geometry/geometries/box.hpp>
#include <boost/geometry/geometries/point.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>
#include <dlfcn.h>

struct tg_point {
  double x, y;
};
struct tg_ring;
struct tg_poly;
struct tg_geom;

template <class Function>
static Function *loaded(void *library, const char *name) {
  void *function = dlsym(library, name);
  if (!function) {
    std::fprintf(stderr, "tg_peer: there is no %s\n", name);
    std::exit(1);
  }
  return reinterpret_cast<Function *>(function);
}

int main() {
  void *library = dlopen(TG_LIBRARY, RTLD_LAZY);
  if (!library) {
    std::fprintf(stderr, "tg_peer: %s\n", dlerror());
    return 1;
  }
  auto newRing = loaded<tg_ring *(const tg_point *, int, int)>(library, "tg_ring_new_ix");
  auto newPolygon = loaded<tg_poly *(const tg_ring *, const tg_ring *const *, int)>(library, "tg_poly_new");
  auto newGeometry = loaded<tg_geom *(const tg_poly *)>(library, "tg_geom_new_polygon");
  auto intersects = loaded<bool(const tg_geom *, double, double)>(library, "tg_geom_intersects_xy");
  constexpr int stripes = 3; // the fastest of tg's indexes for point queries

  namespace bg = boost::geometry;
  namespace bgi = boost::geometry::index;
  using Corner = bg::model::point<double, 2, bg::cs::cartesian>;
  using Box = bg::model::box<Corner>;
  using Entry = std::pair<Box, uint32_t>;
  std::vector<Fix> fixes = load<Fix>("w1_fixes.bin");
  Polys polygons = load_polys();
  double memory = heap_mb(), start = now();
  std::vector<tg_geom *> geometries;
  std::vector<Entry> entries;
  for (int64_t i = 0; i < polygons.n; i++) {
    std::vector<tg_point> ring;
    Box box;
    bg::assign_inverse(box);
    for (int64_t at = polygons.off[size_t(i)]; at < polygons.off[size_t(i) + 1]; at++) {
      ring.push_back({polygons.v[2 * size_t(at) + 1], polygons.v[2 * size_t(at)]});
      bg::expand(box, Corner(ring.back().x, ring.back().y));
    }
    ring.push_back(ring[0]);
    geometries.push_back(newGeometry(newPolygon(newRing(ring.data(), int(ring.size()), stripes), nullptr, 0)));
    entries.push_back({box, uint32_t(i)});
  }
  bgi::rtree<Entry, bgi::rstar<16>> tree(entries.begin(), entries.end());
  double build = now() - start;
  static uint32_t found[65536];
  std::vector<Fix> some = blocks(fixes, 200000);
  measure({"tg = events", "w3", long(polygons.n), build, heap_mb() - memory}, some.size(), "planar edges", [&] {
    Delta delta(1);
    for (const Fix &fix : some) {
      int count = 0;
      tree.query(bgi::intersects(Corner(fix.lon, fix.lat)),
                 boost::make_function_output_iterator([&](const Entry &entry) {
                   if (intersects(geometries[entry.second], fix.lon, fix.lat)) found[count++] = entry.second;
                 }));
      delta.step(fix, found, count);
    }
    return delta.events;
  });
}

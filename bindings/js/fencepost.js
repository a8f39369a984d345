/**
 * Fencepost: geofencing in the page, worker or server. The engine is the same as in the C, Swift and Python packages,
 * compiled to WebAssembly.
 *
 * ```js
 * import { load, Monitor } from "fencepost";
 * await load();
 * const monitor = new Monitor();
 * monitor.add("office", { latitude: 37.3349, longitude: -122.009, radius: 200 });
 * monitor.feed({ latitude: 37.3349, longitude: -122.0091, accuracy: 5, time: Date.now() });
 * for (const event of monitor.events()) console.log(event.identifier, event.state);
 * ```
 *
 * Coordinates are WGS84 degrees, distances are metres, and durations are seconds. A time is a Date, milliseconds since
 * 1970 as a number, or microseconds as a BigInt. Every error is a FencepostError with a `status`.
 */
import { engine } from "./lib/engine.js";
import { number } from "./lib/values.js";

export { fromGeoJSON, POLICIES } from "./lib/conditions.js";
export { load } from "./lib/engine.js";
export {
  AheadOfClockError, DisposedError, EngineLostError, FencepostError, InvalidArgumentError, LateInputError, NoSuchDeviceError,
  NotFoundError, NotLoadedError, OutOfMemoryError, QueueFullError, SnapshotInvalidError, TableMismatchError,
} from "./lib/errors.js";
export { DeviceEvent, Event } from "./lib/events.js";
export { Fleet } from "./lib/fleet.js";
export { Monitor } from "./lib/monitor.js";
export { Zones } from "./lib/zones.js";

/** The version of the engine, such as "0.3.0". */
export function version() {
  const { x } = engine();
  return engine().text(x.fencepost_version_string());
}

/**
 * The geodesic from one place to another (Karney 2013): its length in metres, and its azimuths at both ends in degrees
 * clockwise from north.
 *
 * @returns {{distance: number, azimuth1: number, azimuth2: number}}
 */
export function inverse(latitude1, longitude1, latitude2, longitude2) {
  const owner = engine();
  const places = { latitude1, longitude1, latitude2, longitude2 };
  const values = Object.entries(places).map(([name, value]) => number(value, name));
  return owner.within((take) => {
    const out = take(24);
    owner.call("fencepost_geodesic_inverse", ...values, out, out + 8, out + 16);
    const [distance, azimuth1, azimuth2] = [0, 8, 16].map((offset) => owner.numbers.getFloat64(out + offset, true));
    return { distance, azimuth1, azimuth2 };
  });
}

/**
 * The end of a geodesic with the given start, azimuth (degrees) and length (metres).
 *
 * @returns {{latitude: number, longitude: number, azimuth2: number}}
 */
export function direct(latitude, longitude, azimuth, distance) {
  const owner = engine();
  const values = Object.entries({ latitude, longitude, azimuth, distance }).map(([name, value]) => number(value, name));
  return owner.within((take) => {
    const out = take(24);
    owner.call("fencepost_geodesic_direct", ...values, out, out + 8, out + 16);
    const [north, east, azimuth2] = [0, 8, 16].map((offset) => owner.numbers.getFloat64(out + offset, true));
    return { latitude: north, longitude: east, azimuth2 };
  });
}

// Contains programs that the type declarations must accept. The programs are compiled, but not run.
import {
  DeviceEvent, Event, Fleet, InvalidArgumentError, Monitor, QueueFullError, Zones, direct, fromGeoJSON, inverse, load, version,
} from "../../../../.build/js/fencepost.js";

export async function main(bytes: Uint8Array): Promise<unknown[]> {
  await load();
  await load(new URL("https://example.org/fencepost.wasm"), { memoryLimit: 2 ** 28 });
  const monitor = new Monitor({ path: "geodesic", maxGap: 60, delivery: "every", conditionLimit: null });
  monitor.add("a", { latitude: 1, longitude: 2, radius: 3 }, { policy: { entryDwell: 1, notify: ["entry"] }, tag: 5n });
  monitor.add("p", { type: "Polygon", coordinates: [[[1, 2], [2, 3], [3, 4]]] }, { edges: "planar", assuming: "unsatisfied" });
  monitor.add("b", { uuid: "3d402d15-5d8c-4c0f-9ab4-6f0bd1f3d4a1", major: 1 });
  monitor.add("h", { latitude: 1, longitude: 2, radius: 3 }, { timing: { active: [[new Date(), 5n]], maxEvents: 1 } });
  monitor.feed({ latitude: 1, longitude: 2, time: new Date() });
  const result = monitor.feedMany({ latitudes: [1], longitudes: Float64Array.of(1), times: BigInt64Array.of(1n) });
  const accepted: number = result.accepted;
  const kinds: ("enter" | "exit" | "cross" | "determined" | "repeat" | "diagnostic" | "unmonitored" | "none")[] = [];
  for (const event of monitor.events()) kinds.push(event.kind);
  const event: Event | null = monitor.poll();
  const date: Date | null | undefined = event?.date;
  const metres: number = monitor.explain("a").metresToDecide ?? 0;
  const zones = new Zones();
  zones.sync(fromGeoJSON({}));
  const fleet = Fleet.restore(bytes, zones);
  const events: DeviceEvent[] = fleet.pollMany();
  const counts: number = fleet.statistics().zoneCount + fleet.statistics("a").inputCount;
  try {
    fleet.feed("a", { latitude: 1, longitude: 1, accuracy: 5, time: 1 });
  } catch (error) {
    if (error instanceof QueueFullError) return [error.result?.late, error.status, error.position];
  }
  monitor.dispose();
  const lengths: number[] = [inverse(1, 2, 3, 4).distance, direct(1, 2, 3, 4).latitude];
  return [accepted, date, metres, events, counts, lengths, version(), new InvalidArgumentError("x").code];
}

// Contains programs that the type declarations must refuse: each line below has one error.
import { Monitor } from "../../../../.build/js/fencepost.js";

const monitor = new Monitor();
new Monitor({ delivery: "sometimes" });
monitor.feed({ latitude: "1", longitude: 2, time: 1 });
monitor.feed({ latitude: 1, longitude: 2 });
monitor.add("a", { latitude: 1, longitude: 2 });
monitor.add("a", { type: "Point", coordinates: [1, 2] });
monitor.add("a", { latitude: 1, longitude: 2, radius: 3 }, { policy: "strict" });
export const count: number = monitor.poll();
monitor.feedMany({ latitudes: [1], longitudes: [2] });

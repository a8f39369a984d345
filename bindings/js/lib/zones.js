// A table of zones that several fleets may share.

import { Holder, restored } from "./holder.js";
import { engine as loaded } from "./engine.js";
import { TABLE_VERSION } from "./layout.js";
import { countOf } from "./values.js";

const names = {
  lines: false,
  snapshot: "fencepost_conditions_snapshot",
};

/** A table of zones, which answers queries about points and can be shared by fleets. The type declarations describe its
    members. */
export class Zones extends Holder {
  constructor(adopted) {
    const owner = adopted instanceof AdoptedZones ? adopted.engine : loaded();
    let place = adopted instanceof AdoptedZones ? adopted.place : 0;
    if (place === 0) {
      owner.room(0);
      owner.call("fencepost_conditions_create", owner.flag);
      place = owner.numbers.getUint32(owner.flag, true);
    }
    super(owner, place, "fencepost_conditions_destroy", names);
  }

  /** A table from a snapshot. */
  static restore(snapshot) {
    const engine = loaded();
    return new Zones(new AdoptedZones(engine, restored(engine, "fencepost_conditions_restore", snapshot)));
  }

  /** The version of the table: two tables of the same version accept each other's exported devices unchanged. */
  get version() {
    const { engine } = this;
    return engine.within((take) => {
      const place = take(TABLE_VERSION.size);
      engine.numbers.setUint32(place, TABLE_VERSION.size, true);
      engine.call("fencepost_conditions_version", this.place, place);
      const digest = place + TABLE_VERSION.digest;
      return {
        count: countOf(engine.numbers, place + TABLE_VERSION.count),
        generation: countOf(engine.numbers, place + TABLE_VERSION.generation),
        digest: Array.from(engine.memory.slice(digest, digest + 16), (byte) => byte.toString(16).padStart(2, "0")).join(""),
      };
    });
  }
}

/** Wraps a table that the engine has already created. */
export class AdoptedZones {
  constructor(engine, place) {
    this.engine = engine;
    this.place = place;
  }
}

// A Web Mercator map on a canvas. Points are pairs of coordinates in a plane that is one unit wide and high.
const EARTH = 40075016.686;
const isDark = matchMedia("(prefers-color-scheme: dark)");
const plane = (latitude, longitude) => {
  const sine = Math.sin(Math.max(-85.05, Math.min(85.05, latitude)) * Math.PI / 180);
  return [longitude / 360 + .5, .5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
};
const latitudeOf = (y) => Math.atan(Math.sinh((.5 - y) * 2 * Math.PI)) * 180 / Math.PI;
const metres = (latitude, length) => length / (EARTH * Math.max(.05, Math.cos(latitude * Math.PI / 180)));

/** Decodes a Base64 VLQ text to signed numbers. */
function numbers(word) {
  const found = [];
  let value = 0, place = 1;
  for (let at = 0; at < word.length; at += 1) {
    const code = word.charCodeAt(at);
    const digit = code > 96 ? code - 71 : code > 64 ? code - 65 : code > 47 ? code + 4 : code === 43 ? 62 : 63;
    value += (digit & 31) * place;
    place *= 32;
    if (digit & 32) continue;
    found.push(value % 2 ? -(value - 1) / 2 : value / 2);
    value = 0;
    place = 1;
  }
  return found;
}

/** Decodes a text of encoded differences to points; each point is a list of `size` numbers. */
function points(word, size = 2) {
  const steps = numbers(word), found = [], sum = Array(size).fill(0);
  for (let at = 0; at < steps.length; at += size) {
    for (let part = 0; part < size; part += 1) sum[part] += steps[at + part];
    found.push([...sum]);
  }
  return found;
}

class FenceMap {
  /** paint(map, context) draws the content; pick(target, point) and hover(target, point) get the target at a point, or null. */
  constructor(box, paint, {pick = () => {}, hover = null} = {}) {
    this.canvas = box.querySelector("canvas");
    this.context = this.canvas.getContext("2d");
    Object.assign(this, {box, paint, pick, hover, centre: [.5, .5], scale: 300, isDue: false, isPrinted: false, tiles: null, colours: new Map()});
    this.measure();
    this.listen();
  }

  measure() { [this.width, this.height] = [this.canvas.clientWidth, this.canvas.clientHeight]; }

  toScreen([x, y]) { return [(x - this.centre[0]) * this.scale + this.width / 2, (y - this.centre[1]) * this.scale + this.height / 2]; }
  isSeen([x, y], margin = 0) { return x >= -margin && y >= -margin && x <= this.width + margin && y <= this.height + margin; }

  /** Returns a colour of `tokens.css` for the current scheme, light or dark. */
  colour(name) {
    const key = `${name} ${isDark.matches && !this.isPrinted}`;
    if (!this.colours.has(key)) {
      const value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`), pair = value.match(/light-dark\(\s*([^,]+),\s*([^)]+)\)/);
      this.colours.set(key, pair[key.endsWith("true") ? 2 : 1].trim());
    }
    return this.colours.get(key);
  }

  /** Makes the map show a box of the plane, given by its west, north, east and south edges. */
  fit([west, north, east, south], share = .88, least = 2e-6) {
    if (!(west <= east && north <= south)) return;
    this.measure();
    this.centre = [(west + east) / 2, (north + south) / 2];
    this.scale = this.bounded(share * Math.min(this.width / Math.max(east - west, least), this.height / Math.max(south - north, least)));
    this.placedFor = "";
    this.due();
  }

  bounded(scale) { return Math.max(100, Math.min(1e9, scale)); }

  zoom(factor, at = [this.width / 2, this.height / 2]) {
    const x = at[0] - this.width / 2, y = at[1] - this.height / 2, next = this.bounded(this.scale * factor);
    this.centre = [this.centre[0] + x / this.scale - x / next, this.centre[1] + y / this.scale - y / next];
    this.scale = next;
    this.due();
  }

  move(x, y) {
    this.centre = [this.centre[0] - x / this.scale, this.centre[1] - y / this.scale];
    this.due();
  }

  due() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => { this.isDue = false; this.draw(); });
  }

  draw() {
    this.measure();
    const {canvas, context, width, height} = this, ratio = window.devicePixelRatio || 1;
    if (!width || !height) return;
    const size = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    const style = getComputedStyle(document.body);
    this.font = `12px ${style.fontFamily}`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.globalAlpha = 1;
    this.labels = [];
    this.targets = [];
    this.obstacles = []; // boxes where no label may be drawn
    this.marks = []; // labels avoid these boxes if they can
    this.drawGround();
    if (this.tiles) this.drawTiles();
    context.font = this.font;
    this.paint(this, context);
    this.placeLocator();
    this.obstacles.push(...this.furniture());
    this.drawLabels();
    this.drawScale();
    if (this.hasLocator) this.drawLocator();
    canvas.dataset.frames = Number(canvas.dataset.frames || 0) + 1;
  }

  get hasLocator() { return this.metresPerPixel < 300; }

  /** The place of the overview map on the canvas: left, top, width, height. */
  get locator() {
    const width = this.width < 500 ? 84 : 132, height = width * .7;
    if (this.isLocatorLeft) return [10, this.height - height - 44, width, height]; // this is above the scale bar
    return [this.width - width - 10, this.height - height - (this.tiles ? 28 : 10), width, height];
  }

  /** Puts the overview map in the lower right corner, or in the lower left corner if it covers fewer of the pointer's
   *  targets there. The overview map changes its corner only after `fit` and after a change of the canvas's size, not
   *  while the user moves the map. */
  placeLocator() {
    const size = `${this.width} ${this.height}`;
    if (this.placedFor === size) return;
    this.placedFor = size;
    const [right, left] = [false, true].map((isLeft) => {
      this.isLocatorLeft = isLeft;
      const [west, north, width, height] = this.locator;
      const isHidden = ([x, y, radius]) => x + radius > west && x - radius < west + width && y + radius > north && y - radius < north + height;
      return this.targets.filter(isHidden).length;
    });
    this.isLocatorLeft = left < right;
  }

  /** The bounding boxes of the buttons, the scale bar and the overview map. */
  furniture() {
    const {width, height} = this, found = [[width - 60, 0, width, 156], [0, height - 34, Math.min(150, width / 3 + 20), height]];
    if (this.hasLocator) { const [left, top, wide, high] = this.locator; found.push([left, top, left + wide, top + high]); }
    return found;
  }

  get metresPerPixel() { return EARTH * Math.cos(latitudeOf(this.centre[1]) * Math.PI / 180) / this.scale; }

  /** The outline of the land is accurate to 10 km, so it fades out at zooms where this inaccuracy would be visible. */
  drawGround() {
    const {context, width, height} = this, share = Math.max(0, Math.min(1, (this.metresPerPixel - 150) / 450));
    context.fillStyle = this.colour("land");
    context.fillRect(0, 0, width, height);
    if (!share) return;
    context.globalAlpha = share;
    context.fillStyle = this.colour("sea");
    context.fillRect(0, 0, width, height);
    context.globalAlpha = 1;
    this.fillLand(this.centre, this.scale, [0, 0, width, height]);
  }

  fillLand(centre, scale, [left, top, width, height]) {
    const {context} = this;
    if (!FenceMap.land) {
      FenceMap.land = new Path2D();
      for (const word of LAND.split(" ")) {
        points(word).forEach(([x, y], at) => FenceMap.land[at ? "lineTo" : "moveTo"](...plane(y / 20, x / 20)));
        FenceMap.land.closePath();
      }
    }
    context.fillStyle = this.colour("land");
    const first = Math.floor(centre[0] - width / 2 / scale), last = Math.floor(centre[0] + width / 2 / scale);
    for (let turn = first; turn <= last; turn += 1) {
      context.save();
      context.translate(left + width / 2 + (turn - centre[0]) * scale, top + height / 2 - centre[1] * scale);
      context.scale(scale, scale);
      context.fill(FenceMap.land, "evenodd");
      context.restore();
    }
  }

  /** Draws a small overview map with the current position. */
  drawLocator() {
    const {context} = this, [left, top, width, height] = this.locator;
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    context.fillStyle = this.colour("sea");
    context.fillRect(left, top, width, height);
    this.fillLand(this.centre, width * 6, [left, top, width, height]);
    context.restore();
    context.strokeStyle = this.colour("outside");
    context.lineWidth = 1;
    context.strokeRect(left + .5, top + .5, width, height);
    context.strokeStyle = this.colour("leave");
    context.lineWidth = 2;
    context.strokeRect(left + width / 2 - 4, top + height / 2 - 4, 8, 8);
  }

  drawScale() {
    const {context, height} = this, per = this.metresPerPixel, wanted = per * Math.min(120, this.width / 3);
    const power = 10 ** Math.floor(Math.log10(wanted)), length = [5, 2, 1].map((one) => one * power).find((one) => one <= wanted);
    const text = length >= 1000 ? `${(length / 1000).toLocaleString("en")} km` : `${length} m`, x = 12.5, y = height - 12.5;
    context.font = this.font;
    context.lineWidth = 5;
    context.strokeStyle = this.colour("land");
    for (let turn = 0; turn < 2; turn += 1) {
      context.beginPath();
      context.moveTo(x, y - 5);
      context.lineTo(x, y);
      context.lineTo(x + length / per, y);
      context.lineTo(x + length / per, y - 5);
      context.stroke();
      context.lineWidth = 1.5;
      context.strokeStyle = this.colour("text");
    }
    this.write(text, x + 5, y - 5);
    this.canvas.dataset.scale = text;
  }

  write(text, x, y, align = "left") {
    const {context} = this;
    context.textAlign = align;
    context.lineJoin = "round";
    context.lineWidth = 3;
    context.strokeStyle = this.colour("land");
    context.strokeText(text, x, y);
    context.fillStyle = this.colour("text");
    context.fillText(text, x, y);
  }

  /** Adds a label centred above a point, or below `foot` if only this place is free. If two labels would overlap, only
   *  the label with the higher weight is drawn. If there are many labels, they are drawn some distance apart, so that
   *  the map below them stays visible. */
  label(name, [x, y], weight = 0, foot = y) { if (this.isSeen([x, y], 40)) this.labels.push({name, x, y, weight, foot}); }

  /** Adds a mark that labels avoid if they can. */
  avoid([x, y], radius) { if (this.marks.length < 300) this.marks.push([x - radius, y - radius, x + radius, y + radius]); }

  drawLabels() {
    const {context} = this, placed = [], gap = this.labels.length > 200 ? 28 : 0;
    const meets = (box, other, by = 0) => box[0] - by < other[2] && box[2] + by > other[0] && box[1] - by < other[3] && box[3] + by > other[1];
    const isFree = (box) => box[1] >= 0 && box[3] <= this.height && !this.obstacles.some((other) => meets(box, other)) && !placed.some((other) => meets(box, other, gap));
    const isClear = (box) => !this.marks.some((mark) => meets(box, mark));
    this.labels.sort((a, b) => b.weight - a.weight);
    for (const {name, x, y, foot} of this.labels.slice(0, 600)) {
      const text = short(name, 28), half = context.measureText(text).width / 2 + 3;
      const centre = Math.max(half, Math.min(this.width - half, x));
      const boxes = [y, foot + 16, y - 10, foot + 26].map((low) => [centre - half, low - 16, centre + half, low]).filter(isFree);
      const box = boxes.find(isClear) ?? boxes[0];
      if (!box) continue;
      placed.push(box);
      this.write(text, centre, box[3] - 4, "center");
    }
    this.canvas.dataset.labels = placed.length;
    this.placed = placed;
  }

  /** Adds a target for the pointer. */
  target(what, [x, y], radius = 8) { this.targets.push([x, y, radius, what]); }

  found([x, y]) {
    let best = null, least = Infinity;
    for (const [left, top, radius, what] of this.targets) {
      const away = Math.hypot(left - x, top - y);
      if (away <= radius + 4 && away - radius < least) [best, least] = [what, away - radius];
    }
    return best;
  }

  // Draws tiles from another server; the last thousand tiles stay in memory.
  drawTiles() {
    const {context, width, height, centre, scale} = this;
    const z = Math.max(0, Math.min(19, Math.round(Math.log2(scale / 256)))), many = 2 ** z;
    const first = [centre[0] - width / 2 / scale, centre[1] - height / 2 / scale].map((each) => Math.floor(each * many));
    const last = [centre[0] + width / 2 / scale, centre[1] + height / 2 / scale].map((each) => Math.floor(each * many));
    let drawn = 0;
    context.globalAlpha = isDark.matches ? .5 : .9;
    for (let y = Math.max(0, first[1]); y <= Math.min(many - 1, last[1]); y += 1) {
      for (let x = first[0]; x <= last[0]; x += 1) {
        const found = this.picture(z, ((x % many) + many) % many, y);
        if (!found.complete || !found.naturalWidth) continue;
        const [left, top] = this.toScreen([x / many, y / many]).map(Math.round);
        const [right, bottom] = this.toScreen([(x + 1) / many, (y + 1) / many]).map(Math.round); // no seams
        context.drawImage(found, left, top, right - left, bottom - top);
        drawn += 1;
      }
    }
    context.globalAlpha = 1;
    this.canvas.dataset.drawnTiles = drawn;
  }

  picture(z, x, y) {
    const address = this.tiles.replace(/\{z\}/i, z).replace(/\{x\}/i, x).replace(/\{y\}/i, y), kept = this.pictures ??= new Map();
    let found = kept.get(address);
    if (found) kept.delete(address);
    else {
      found = new Image();
      found.addEventListener("load", () => this.due());
      found.src = address;
    }
    kept.set(address, found); // this makes the most recently used tile the last one to be evicted
    if (kept.size > 1000) kept.delete(kept.keys().next().value);
    return found;
  }

  /** Shows the attribution of the tiles. */
  credit(text, address) {
    const shown = this.box.querySelector(".credit");
    shown.hidden = !text;
    if (!address) { shown.textContent = text; return; }
    const link = element("a", text);
    link.href = address;
    link.rel = "noopener";
    shown.replaceChildren(link);
  }

  listen() {
    const {canvas} = this, pointers = new Map();
    let pressed = null;
    const at = (event) => [event.offsetX, event.offsetY];
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, at(event));
      pressed = pointers.size === 1 ? at(event) : null;
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId), now = at(event);
      if (!before) {
        const what = this.found(now);
        canvas.style.cursor = what === null ? "" : "pointer";
        this.hover?.(what, now);
        return;
      }
      if (pressed && Math.hypot(now[0] - pressed[0], now[1] - pressed[1]) > 4) pressed = null;
      if (pointers.size === 2) {
        const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
        this.zoom(Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.max(1, Math.hypot(before[0] - other[0], before[1] - other[1])), other);
      } else this.move(now[0] - before[0], now[1] - before[1]);
      pointers.set(event.pointerId, now);
    });
    canvas.addEventListener("pointerup", (event) => { if (pressed) this.pick(this.found(at(event)), at(event)); });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", () => this.hover?.(null, [0, 0]));
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(Math.exp(-event.deltaY / 400), at(event)); }, {passive: false});
    canvas.addEventListener("keydown", (event) => {
      const move = {ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60]}[event.key];
      if (move) this.move(...move);
      else if (event.key === "+" || event.key === "=") this.zoom(1.5);
      else if (event.key === "-") this.zoom(1 / 1.5);
      else if (event.key === "0") this.all();
      else return;
      event.preventDefault();
    });
    const [nearer, farther, all] = this.box.querySelectorAll(".buttons button");
    nearer.addEventListener("click", () => this.zoom(1.5));
    farther.addEventListener("click", () => this.zoom(1 / 1.5));
    all.addEventListener("click", () => this.all());
    window.addEventListener("resize", () => this.due());
    isDark.addEventListener("change", () => this.due());
    const print = (isPrinted) => { this.isPrinted = isPrinted; this.draw(); };
    window.addEventListener("beforeprint", () => print(true));
    window.addEventListener("afterprint", () => print(false));
  }

  /** Zooms to the whole content; each page overrides this function. */
  all() {}
}

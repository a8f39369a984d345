// Shows tables of any length: only the visible rows are in the DOM. All rows have the same height, so a long name is
// cut and ends with an ellipsis; the title attribute contains the full name.
const byId = (id) => document.getElementById(id);
const ROW = 32, byNumber = new Intl.Collator(undefined, {numeric: true});

function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

/** Shortens a name for a sentence or label to at most `most` letters, and isolates its writing direction from the text
 * that follows. */
function short(name, most = 60) {
  const letters = [...name.slice(0, 2 * most + 2)];
  return `\u2068${letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : name}\u2069`;
}

/** Formats seconds with at most two units: 95 -> "1 min 35 s". */
function span(seconds) {
  const whole = Math.round(seconds), units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const first = units.findIndex(([size]) => whole >= size);
  if (first < 0) return "0 s";
  const [size, unit] = units[first], [next, small] = units[first + 1] || [1, ""];
  const rest = small ? Math.floor((whole % size) / next) : 0;
  return `${Math.floor(whole / size)} ${unit}${rest ? ` ${rest} ${small}` : ""}`;
}

const count = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

class Table {
  /** Each column has a `title`, a function `text(row)` or `fill(cell, row)` for the contents of its cells,
   * `value(row)` if rows can be sorted by it, and `number` if it contains numbers. The first column contains the row's
   * name, as a button that calls pick(row). key(row) identifies a row. */
  constructor(box, columns, {key, pick, kind = () => "", chosen = () => false, empty = "Nothing yet."}) {
    Object.assign(this, {box, columns, key, pick, kind, chosen, empty, rows: [], order: null, made: new Map()});
    this.none = element("p", empty, "empty");
    this.table = element("table");
    const head = this.table.appendChild(element("thead")).insertRow();
    columns.forEach((column, number) => {
      const cell = head.appendChild(element("th", undefined, column.number ? "number" : "")), button = element("button", column.title);
      cell.scope = "col";
      button.type = "button";
      if (column.value) button.addEventListener("click", () => this.sort(number));
      cell.append(column.value ? button : column.head || column.title);
    });
    this.head = head;
    this.body = this.table.appendChild(element("tbody"));
    box.append(this.none, this.table);
    box.addEventListener("scroll", () => this.draw());
    window.addEventListener("resize", () => this.draw());
    this.set([]);
  }

  /** Replaces the rows; keeps the current sort order. */
  set(rows) {
    this.rows = rows;
    this.arrange();
  }

  sort(number, isDown) {
    const [before, was] = this.order || [];
    this.order = [number, isDown ?? (before === number ? !was : Boolean(this.columns[number].number))];
    this.arrange();
  }

  arrange() {
    if (this.order) {
      const [number, isDown] = this.order, value = this.columns[number].value, sign = isDown ? -1 : 1;
      const order = (a, b) => (typeof a === "string" ? byNumber.compare(a, b) : a - b);
      this.rows = this.rows.map((row) => [value(row), row]).sort((a, b) => sign * order(a[0], b[0])).map((pair) => pair[1]);
      [...this.head.cells].forEach((cell, at) => {
        if (at === number) cell.setAttribute("aria-sort", isDown ? "descending" : "ascending");
        else cell.removeAttribute("aria-sort");
      });
    }
    if (this.unfold) this.rows = this.unfold(this.rows);
    this.none.hidden = this.rows.length > 0;
    this.table.hidden = !this.rows.length;
    this.table.setAttribute("aria-rowcount", this.rows.length + 1);
    this.draw();
  }

  line(row) {
    const key = this.key(row);
    let made = this.made.get(key);
    if (!made) {
      made = element("tr");
      this.columns.forEach((column, number) => {
        const cell = made.appendChild(element(number ? "td" : "th", undefined, column.number ? "number" : ""));
        if (number) return;
        cell.scope = "row";
        const button = cell.appendChild(element("button"));
        button.type = "button";
        button.addEventListener("click", () => this.pick(made.row));
      });
    }
    made.row = row;
    made.className = `${this.kind(row)}${this.chosen(row) ? " chosen" : ""}`;
    this.columns.forEach((column, number) => {
      const cell = made.cells[number];
      if (column.fill && number) { column.fill(cell, row); return; }
      const text = column.text(row), target = number ? cell : cell.firstChild;
      if (target.textContent !== text) target.textContent = text;
      if (!number) { target.title = text; column.fill?.(target, row); }
    });
    return [key, made];
  }

  draw() {
    const isPrinted = this.isPrinted, height = isPrinted ? 500 * ROW : this.box.clientHeight || 400;
    const from = isPrinted ? 0 : Math.max(Math.min(Math.floor(this.box.scrollTop / ROW) - 6, this.rows.length - 1), 0);
    const to = Math.min(from + Math.ceil(height / ROW) + 12, this.rows.length);
    const lines = this.rows.slice(from, to).map((row) => this.line(row));
    this.made = new Map(lines);
    const gap = (rows) => {
      const made = element("tr", undefined, "gap"), cell = made.insertCell();
      made.setAttribute("aria-hidden", "true");
      cell.colSpan = this.columns.length;
      cell.style.height = `${rows * ROW}px`;
      return made;
    };
    const wanted = lines.map(([, made], at) => { made.setAttribute("aria-rowindex", from + at + 2); return made; });
    if (from) wanted.unshift(gap(from));
    if (to < this.rows.length) wanted.push(gap(this.rows.length - to));
    const there = [...this.body.children], isSame = there.length === wanted.length && wanted.every((made, at) => made === there[at]);
    if (isSame) return;
    const focused = this.body.contains(document.activeElement) ? document.activeElement : null;
    this.body.replaceChildren(...wanted);
    if (focused?.isConnected) focused.focus({preventScroll: true});
  }
}

/** Creates a group of buttons; exactly one of them is pressed. */
function choice(box, names, change) {
  box.hidden = names.length < 2;
  const buttons = names.map((name) => {
    const button = box.appendChild(element("button", name));
    button.type = "button";
    button.addEventListener("click", () => choose(name));
    return button;
  });
  function choose(name) {
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(names[at] === name)));
    change(name);
  }
  choose(names[0]);
}

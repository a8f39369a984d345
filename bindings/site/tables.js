// Prepares wide tables of prose for a phone, which shows each row as a block: the heading of a column becomes a label
// in each of its cells. Tables of numbers and short words keep their columns; readers scroll them sideways.
"use strict";

for (const table of document.querySelectorAll("article table.docutils:not(.genindextable)")) {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent.trim());
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
  const length = rows.reduce((sum, row) => sum + row.textContent.trim().length, 0) / (rows.length * heads.length);
  if (heads.length < 3 || length < 9) continue;
  table.classList.add("blocks");
  for (const row of rows) [...row.cells].forEach((cell, column) => { cell.dataset.head = column && cell.textContent.trim() ? heads[column] : ""; });
}

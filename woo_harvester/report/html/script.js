
"use strict";
// Everything is there without this script: it only adds sorting, finding, and opening what is printed.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const pattern = table.dataset.sort;
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = cell.textContent;
    if (pattern) button.title = pattern.replace("{column}", cell.textContent);
    cell.textContent = "";
    cell.append(button);
    cell.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const down = cell.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      const keyed = [...body.rows].map(row => {
        const found = row.cells[column];
        return [found.dataset.v === undefined ? found.textContent : Number(found.dataset.v), row];
      });
      const order = new Intl.Collator(document.documentElement.lang, {numeric: true}).compare;
      keyed.sort(([a], [b]) => (typeof a === "number" ? a - b : order(a, b)) * (down ? -1 : 1));
      body.append(...keyed.map(([, row]) => row));
    });
  });
}
for (const place of document.querySelectorAll(".filter")) {
  const rows = document.getElementById(place.dataset.table).tBodies[0].rows;
  if (rows.length < 10) continue;
  const label = document.createElement("label");
  const input = document.createElement("input");
  const found = document.createElement("span");
  input.type = "search";
  input.id = place.dataset.table.replace("tabel", "zoek");
  input.autocomplete = "off";
  label.htmlFor = input.id;
  label.textContent = place.dataset.label;
  found.className = "muted";
  found.setAttribute("role", "status");
  place.append(label, input, found);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const text = (row.cells[0].textContent + " " + row.cells[1].textContent).toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
      if (!row.hidden) count += 1;
    }
    found.textContent = words.length ? place.dataset.found.replace("{n}", count) : "";
  });
}
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details:not([open])")) each.open = each.dataset.opened = true;
});
addEventListener("afterprint", () => {
  for (const each of document.querySelectorAll("details[data-opened]")) each.removeAttribute("open");
});

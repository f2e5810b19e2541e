
"use strict";
// Everything is there without this script: it adds sorting, finding, showing the first rows of a long table, and opening
// what is printed.
const language = document.documentElement.lang;
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name].toLocaleString(language));
const plain = text => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
const made = (name, values) => Object.assign(document.createElement(name), values);

// Show the first rows that are not hidden by the filter, until someone asks for all of them.
function firstRows(table) {
  const first = Number(table.dataset.first);
  const rows = table.tBodies[0].rows;
  if (!first || rows.length <= first) return () => {};
  const line = made("p", {className: "more"});
  const button = made("button", {type: "button"});
  const count = made("span", {className: "muted"});
  line.append(button, count);
  table.parentElement.after(line);
  let all = false;
  const show = () => {
    let found = 0;
    for (const row of rows) {
      if (!row.hidden) found += 1;
      row.classList.toggle("later", !all && !row.hidden && found > first);
    }
    line.hidden = all || found <= first;
    button.textContent = filled(table.dataset.all, {n: found});
    count.textContent = filled(table.dataset.shown, {n: first, of: found});
  };
  button.addEventListener("click", () => {
    const next = table.querySelector("tr.later a");
    all = true;
    show();
    if (next) next.focus();
  });
  show();
  return show;
}

function sortable(table, show) {
  const body = table.tBodies[0];
  const order = new Intl.Collator(language, {numeric: true}).compare;
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    const button = made("button", {type: "button", textContent: cell.textContent});
    if (table.dataset.sort) button.title = filled(table.dataset.sort, {column: cell.textContent});
    cell.dataset.name = button.textContent;
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
      keyed.sort(([a], [b]) => (typeof a === "number" ? a - b : order(a, b)) * (down ? -1 : 1));
      body.append(...keyed.map(([, row]) => row));
      show();
    });
  });
}

function filter(place, table, show) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 10) return;
  const id = table.id.replace("tabel", "zoek");
  const label = made("label", {htmlFor: id, textContent: place.dataset.label});
  const input = made("input", {type: "search", id, autocomplete: "off"});
  const found = made("span", {className: "muted"});
  found.setAttribute("role", "status");
  place.append(label, input, found);
  const texts = rows.map(row => plain([...row.cells].filter(cell => !("v" in cell.dataset))
    .map(cell => cell.textContent).join(" ")));
  input.addEventListener("input", () => {
    const words = plain(input.value).split(/\s+/).filter(Boolean);
    let count = 0;
    rows.forEach((row, number) => {
      row.hidden = !words.every(word => texts[number].includes(word));
      if (!row.hidden) count += 1;
    });
    found.textContent = words.length ? filled(place.dataset.found, {n: count}) : "";
    show();
  });
}

const limits = new Map();
for (const table of document.querySelectorAll("table.sortable")) {
  limits.set(table, firstRows(table));
  sortable(table, limits.get(table));
}
for (const place of document.querySelectorAll(".filter")) {
  const table = document.getElementById(place.dataset.table);
  filter(place, table, limits.get(table));
}
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details:not([open])")) each.open = each.dataset.opened = true;
});
addEventListener("afterprint", () => {
  for (const each of document.querySelectorAll("details[data-opened]")) {
    each.removeAttribute("open");
    delete each.dataset.opened;
  }
});

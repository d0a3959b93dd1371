// Tables: the plain one, and the one in pages.

import { fill, h } from "./dom.js";
import { rich } from "./rich.js";

function content(cell) {
  if (cell.type === "rich_text") return h("div", { class: "plain" }, rich(cell));
  return cell.text;
}

function line(cells, tag, settings = []) {
  return h("tr", {}, cells.map((cell, at) => {
    const how = settings[at] ?? {};
    return h(tag, { class: [how.align, how.is_wrapped && "wrapped"].filter(Boolean).join(" ") || undefined }, content(cell));
  }));
}

/** A table block; its first row is the head. */
export function table(block) {
  const [head, ...rows] = block.rows;
  return h("div", { class: "table" }, h("table", {},
    h("thead", {}, line(head, "th", block.column_settings)),
    h("tbody", {}, rows.map((one) => line(one, "td", block.column_settings)))));
}

/** A data_table block: a caption, and so many rows at a time. */
export function dataTable(block) {
  const [head, ...rows] = block.rows;
  const size = block.page_size ?? 5;
  const pages = Math.ceil(rows.length / size);
  const body = h("tbody");
  const where = h("span");
  let at = 0;
  const show = (to) => {
    at = Math.max(0, Math.min(pages - 1, to));
    fill(body, rows.slice(at * size, (at + 1) * size).map((one) => line(one, "td")));
    where.textContent = `${at + 1} of ${pages}`;
  };
  show(0);
  const turn = (label, by) => h("button", { class: "button", type: "button", on: { click: () => show(at + by) } }, label);
  return h("div", { class: "table" },
    h("table", {}, h("caption", {}, block.caption), h("thead", {}, line(head, "th")), body),
    pages > 1 ? h("div", { class: "pager" }, turn("Previous", -1), where, turn("Next", 1)) : null);
}

// rich_text blocks, and standard Markdown for `markdown` blocks.

import { h, link } from "./dom.js";
import { emoji, withEmoji } from "./emoji.js";
import { channel, mention } from "./mrkdwn.js";
import { stamp, whole } from "./times.js";

/** A rich_text block. */
export function rich(block) {
  return h("div", { class: "rich text" }, group(block.elements));
}

/** Lists of the same kind that follow one another are one list. */
function group(parts) {
  return parts.map((part) => {
    switch (part.type) {
      case "rich_text_section":
        return h("div", {}, leaves(part.elements));
      case "rich_text_preformatted":
        return h("pre", { class: "code" }, leaves(part.elements, true));
      case "rich_text_quote":
        return h("blockquote", {}, leaves(part.elements));
      default:
        return list(part);
    }
  });
}

function list(part) {
  const items = part.elements.map((item) => h("li", {}, leaves(item.elements)));
  const made = h(part.style === "ordered" ? "ol" : "ul", part.offset ? { start: part.offset + 1 } : {}, items);
  made.style.marginLeft = `${(part.indent ?? 0) * 24}px`;
  return made;
}

const LEAVES = {
  text: (leaf) => broken(leaf.text),
  link: (leaf) => link(leaf.url, leaf.text || leaf.url),
  user: (leaf) => mention(leaf.user_id),
  usergroup: () => h("span", { class: "mention" }, "@group"),
  channel: (leaf) => channel(leaf.channel_id),
  team: (leaf) => leaf.team_id,
  emoji: (leaf) => emoji(leaf.name),
  broadcast: (leaf) => h("span", { class: "mention loud" }, `@${leaf.range}`),
  color: (leaf) => leaf.value,
  date: (leaf) => dated(leaf),
};

function dated(leaf) {
  const made = h("span", { class: "stamp", title: whole(leaf.timestamp) }, stamp(leaf.timestamp, leaf.format, leaf.fallback ?? ""));
  return leaf.url ? link(leaf.url, made) : made;
}

function broken(text) {
  return text.split("\n").flatMap((line, index) => [index ? h("br") : null, line]);
}

const STYLES = { bold: "b", italic: "i", strike: "s", underline: "u", code: "code" };

function leaves(elements, preformatted = false) {
  return elements.map((leaf) => {
    if (preformatted && leaf.type === "text") return leaf.text;
    const made = LEAVES[leaf.type]?.(leaf) ?? "";
    return Object.entries(STYLES).reduce(
      (inner, [name, tag]) => (leaf.style?.[name] ? h(tag, {}, inner) : inner),
      made,
    );
  });
}

/** Standard Markdown: headings, lists, quotes, fences, tables, emphasis, links. */
export function markdown(source) {
  const out = h("div", { class: "text" });
  const rows = source.split("\n");
  for (let at = 0; at < rows.length; ) at = paragraph(rows, at, out);
  return out;
}

function take(rows, at, fits) {
  let end = at;
  while (end < rows.length && fits(rows[end])) end += 1;
  return end;
}

function paragraph(rows, at, out) {
  const row = rows[at];
  if (!row.trim()) return at + 1;
  if (row.startsWith("```")) {
    const end = take(rows, at + 1, (one) => !one.startsWith("```"));
    out.append(h("pre", { class: "code" }, rows.slice(at + 1, end).join("\n")));
    return end + 1;
  }
  const heading = /^#{1,6} +(.*)$/.exec(row);
  if (heading) {
    out.append(h("div", { class: "header" }, spans(heading[1])));
    return at + 1;
  }
  for (const [sign, tag] of [[/^\s*[-*+] +/, "ul"], [/^\s*\d+[.)] +/, "ol"]]) {
    if (!sign.test(row)) continue;
    const end = take(rows, at, (one) => sign.test(one));
    out.append(h(tag, {}, rows.slice(at, end).map((one) => h("li", {}, spans(one.replace(sign, ""))))));
    return end;
  }
  if (row.startsWith(">")) {
    const end = take(rows, at, (one) => one.startsWith(">"));
    out.append(h("blockquote", {}, rows.slice(at, end).flatMap((one, n) => [n ? h("br") : null, spans(one.replace(/^> ?/, ""))])));
    return end;
  }
  if (row.includes("|") && /^[\s|:-]+$/.test(rows[at + 1] ?? "")) {
    const end = take(rows, at, (one) => one.includes("|"));
    out.append(grid(rows.slice(at, end)));
    return end;
  }
  out.append(h("p", {}, spans(row)));
  return at + 1;
}

function grid(rows) {
  const cells = (row) => row.replace(/^\s*\||\|\s*$/g, "").split("|").map((one) => one.trim());
  const line = (row, tag) => h("tr", {}, cells(row).map((one) => h(tag, {}, spans(one))));
  return h("div", { class: "table" }, h("table", {}, line(rows[0], "th"), rows.slice(2).map((one) => line(one, "td"))));
}

const SPAN = /`([^`]+)`|\*\*([^*]+)\*\*|__([^_]+)__|~~([^~]+)~~|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

function spans(text) {
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(SPAN)) {
    const [all, code, bold, bold2, gone, slanted, label, url] = found;
    nodes.push(withEmoji(text.slice(end, found.index)));
    if (code !== undefined) nodes.push(h("code", {}, code));
    else if (label !== undefined) nodes.push(link(url, label));
    else if (gone !== undefined) nodes.push(h("s", {}, gone));
    else if (slanted !== undefined) nodes.push(h("i", {}, spans(slanted)));
    else nodes.push(h("b", {}, spans(bold ?? bold2)));
    end = found.index + all.length;
  }
  nodes.push(withEmoji(text.slice(end)));
  return nodes;
}

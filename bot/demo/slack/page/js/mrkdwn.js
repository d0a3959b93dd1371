// Slack's mrkdwn, to nodes. Control sequences are read first, then code, then emphasis.

import { h, link } from "./dom.js";
import { emoji } from "./emoji.js";
import { channelOf, nameOf, store } from "./store.js";
import { stamp, whole } from "./times.js";

const decode = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** Nodes for mrkdwn text; `verbatim` leaves bare addresses alone. */
export function mrkdwn(text, verbatim = false) {
  const nodes = [];
  for (const [index, piece] of text.split("```").entries()) {
    const closed = index % 2 === 1 && index < text.split("```").length - 1;
    if (closed) nodes.push(h("pre", { class: "code" }, bare(piece.replace(/^\n/, "").replace(/\n$/, ""))));
    else nodes.push(...lines(index % 2 === 1 ? `\`\`\`${piece}` : piece, verbatim));
  }
  return nodes;
}

/** Text in a fence: no emphasis, mentions by name. */
function bare(text) {
  return decode(text.replace(/<([^<>]*)>/g, (whole_, inner) => tokenText(inner) ?? whole_));
}

function lines(text, verbatim) {
  const nodes = [];
  let quote = null;
  const all = text.split("\n");
  for (const [index, line] of all.entries()) {
    const quoted = /^(?:&gt;|>) ?(.*)$/.exec(line);
    if (quoted) {
      if (quote) quote.append(h("br"));
      else nodes.push((quote = h("blockquote")));
      quote.append(...inline(quoted[1], verbatim));
      continue;
    }
    const afterQuote = quote !== null;
    quote = null;
    if (index > 0 && !afterQuote) nodes.push(h("br"));
    nodes.push(...inline(line, verbatim));
  }
  return nodes;
}

const MARKS = { "*": "b", _: "i", "~": "s" };
const NEXT = /<([^<>]+)>|`([^`]+)`|:([a-z0-9_+-]+):|(https?:\/\/[^\s<>|]+)|([*_~])/g;

function inline(text, verbatim) {
  const nodes = [];
  let end = 0;
  const next = new RegExp(NEXT);
  let found;
  while ((found = next.exec(text)) !== null) {
    const node = piece(text, found, verbatim);
    if (node === null) continue;
    nodes.push(decode(text.slice(end, found.index)), node.made);
    end = node.end;
    next.lastIndex = end;
  }
  nodes.push(decode(text.slice(end)));
  return nodes;
}

function piece(text, found, verbatim) {
  const [whole_, token, code, name, url, mark] = found;
  const end = found.index + whole_.length;
  if (token !== undefined) {
    const made = tokenNode(token);
    return made === null ? null : { made, end };
  }
  if (code !== undefined) return { made: h("code", {}, bare(code)), end };
  if (name !== undefined) return emoji(name).startsWith(":") ? null : { made: emoji(name), end };
  if (url !== undefined) return verbatim ? null : { made: link(decode(url), decode(url)), end };
  return emphasis(text, found.index, mark, verbatim);
}

/** `*bold*` stands between spaces or signs, and does not begin or end with a space. */
function emphasis(text, start, mark, verbatim) {
  if (start > 0 && /[\p{L}\p{N}]/u.test(text[start - 1])) return null;
  if (/\s/.test(text[start + 1] ?? " ") || text[start + 1] === mark) return null;
  for (let at = text.indexOf(mark, start + 1); at !== -1; at = text.indexOf(mark, at + 1)) {
    const closes = !/\s/.test(text[at - 1]) && !/[\p{L}\p{N}]/u.test(text[at + 1] ?? " ");
    if (closes) {
      return { made: h(MARKS[mark], {}, ...inline(text.slice(start + 1, at), verbatim)), end: at + 1 };
    }
  }
  return null;
}

/** What a control sequence says, as text; nothing if it is none. */
function tokenText(token) {
  const [body, label] = split(token);
  if (body.startsWith("@")) return `@${label ?? nameOf(body.slice(1))}`;
  if (body.startsWith("#")) return `#${label ?? channelOf(body.slice(1))?.name ?? body.slice(1)}`;
  if (body.startsWith("!date^")) return label ?? "";
  if (body.startsWith("!subteam^")) return label ?? "@group";
  if (body.startsWith("!")) return `@${label?.replace(/^@/, "") ?? body.slice(1)}`;
  if (/^(https?|mailto|tel):/.test(body)) return label ?? body.replace(/^(mailto|tel):/, "");
  return null;
}

function split(token) {
  const bar = token.indexOf("|");
  return bar === -1 ? [token, undefined] : [token.slice(0, bar), token.slice(bar + 1)];
}

function tokenNode(token) {
  const [body] = split(token);
  const said = tokenText(token);
  if (said === null) return null;
  if (body.startsWith("!date^")) return dateNode(token);
  if (body.startsWith("#")) return channel(body.slice(1), said);
  if (body.startsWith("@")) return mention(body.slice(1), said);
  if (body.startsWith("!")) return h("span", { class: "mention loud" }, decode(said));
  return link(decode(body), decode(said));
}

function dateNode(token) {
  const [body, fallback] = split(token);
  const [, timestamp, format, url] = body.split("^");
  const made = h("span", { class: "stamp", title: whole(timestamp) }, stamp(timestamp, decode(format ?? ""), decode(fallback ?? "")));
  return url ? link(decode(url), made) : made;
}

/** A mention of a person; loud when it is the reader. */
export function mention(id, said = `@${nameOf(id)}`) {
  return h("span", { class: id === store.user ? "mention loud" : "mention" }, decode(said));
}

/** A link to a channel. */
export function channel(id, said = `#${channelOf(id)?.name ?? id}`) {
  return h("a", { class: "mention", href: `#${id}` }, decode(said));
}

/** A text object. */
export function text(object) {
  if (object.type === "mrkdwn") return mrkdwn(object.text, object.verbatim);
  const lines_ = object.text.split("\n");
  return lines_.flatMap((line, index) => [index ? h("br") : null, plain(line, object.emoji)]);
}

function plain(line, shown) {
  return shown === false ? line : line.replace(/:([a-z0-9_+-]+):/g, (_whole, name) => emoji(name));
}

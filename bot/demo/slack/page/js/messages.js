// Messages: one, and a list that keeps itself up to date.

import { avatar, h, icon, link, picture } from "./dom.js";
import { inMessage } from "./acting.js";
import { fileText, post } from "./api.js";
import { blocks } from "./blocks.js";
import { notice } from "./dialogs.js";
import { emoji } from "./emoji.js";
import { openMenu } from "./menu.js";
import { mrkdwn } from "./mrkdwn.js";
import { nameOf, store, userOf } from "./store.js";
import { day, dayKey, moment, time, whole } from "./times.js";

const NEAR = 5 * 60; // seconds within which messages of one author stand together

/** Whether a message stands below another of the same author. */
function follows(message, before) {
  return (
    before && before.user === message.user && !before.ephemeral && !message.ephemeral && !message.broadcast &&
    message.ts - before.ts < NEAR && dayKey(before.ts) === dayKey(message.ts)
  );
}

/** One message. `inThread` leaves out what leads to the thread. */
export function message(one, { before = null, inThread = false, fresh = false } = {}) {
  const near = follows(one, before);
  const classes = ["message", near && "follows", one.ephemeral && "ephemeral", fresh && "fresh"];
  return h("article", { class: classes.filter(Boolean).join(" "), "data-ts": one.ts, "aria-label": `Message by ${nameOf(one.user)}` },
    one.ephemeral ? h("div", { class: "message-only" }, icon("eye", 14), "Only visible to you") : null,
    near ? h("span", { class: "time beside", title: whole(one.ts) }, time(one.ts)) : avatar(userOf(one.user) ?? { name: nameOf(one.user) }),
    h("div", { class: "message-body" },
      near ? null : head(one),
      one.broadcast && !inThread ? h("div", { class: "broadcast" }, "replied to a ", h("a", { href: `#${one.channel}/${one.thread_ts}` }, "thread")) : null,
      body(one),
      reactions(one),
      inThread ? null : replies(one)),
    one.ephemeral ? null : tools(one, inThread));
}

function head(one) {
  const bot = userOf(one.user)?.is_bot || one.user === "USLACKBOT";
  return h("div", { class: "message-head" },
    h("span", { class: "author" }, one.username ?? nameOf(one.user)),
    bot ? h("span", { class: "badge" }, "APP") : null,
    h("time", { class: "time", title: whole(one.ts) }, time(one.ts)));
}

function body(one) {
  const edited = one.edited && !one.ephemeral ? h("span", { class: "edited", title: whole(one.edited) }, " (edited)") : null;
  const said = one.blocks?.length
    ? [blocks(one.blocks, inMessage(one)), edited]
    : h("div", { class: "words text" }, mrkdwn(one.text), edited);
  return [said, (one.attachments ?? []).map((each) => attachment(each, one)), one.files.length ? h("div", { class: "files" }, one.files.map(file)) : null];
}

function attachment(each, one) {
  const node = h("div", { class: "attachment" },
    each.pretext ? h("div", { class: "text" }, mrkdwn(each.pretext)) : null,
    each.title ? h("div", { class: "attachment-title" }, each.title) : null,
    each.text ? h("div", { class: "text" }, mrkdwn(each.text)) : null,
    each.blocks ? blocks(each.blocks, inMessage(one)) : null,
    !each.text && !each.blocks && each.fallback ? each.fallback : null);
  if (/^#[0-9a-f]{6}$/i.test(each.color ?? "")) node.style.borderLeftColor = each.color;
  return node;
}

const SHOWN_IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

function file(one) {
  const url = `/files/${encodeURIComponent(one.id)}`;
  if (SHOWN_IMAGES.includes(one.mimetype)) {
    return h("figure", { class: "file picture" }, h("figcaption", { class: "file-head" }, h("span", { class: "file-name" }, h("b", {}, one.title))), link(url, picture(url, one.title, { class: "file-image", loading: "lazy" })));
  }
  const preview = one.mimetype.startsWith("text/") ? h("pre", {}, "…") : null;
  if (preview) fileText(url, 4000).then((text) => (preview.textContent = text));
  return h("div", { class: "file" },
    h("div", { class: "file-head" },
      h("span", { class: "file-badge" }, one.filetype.slice(0, 4).toUpperCase()),
      h("span", { class: "file-name" }, h("b", {}, one.title), h("small", {}, `${one.name} · ${size(one.size)}`)),
      h("a", { href: `${url}?download=1`, download: one.name }, "Download")),
    preview);
}

const size = (bytes) => (bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

function reactions(one) {
  const all = Object.entries(one.reactions);
  if (!all.length) return null;
  return h("div", { class: "reactions" }, all.map(([name, users]) => h("span", { class: "reaction", title: users.map(nameOf).join(", ") }, emoji(name), " ", String(users.length))));
}

function replies(one) {
  if (!one.reply_count) return null;
  const said = one.reply_count === 1 ? "1 reply" : `${one.reply_count} replies`;
  return h("a", { class: "replies", href: `#${one.channel}/${one.ts}` }, said, h("small", {}, `Last reply ${moment(one.latest_reply)}`));
}

function tools(one, inThread) {
  const root = one.thread_ts ?? one.ts;
  const reply = inThread ? null : h("a", { class: "icon-button", href: `#${one.channel}/${root}`, title: "Reply in thread", "aria-label": "Reply in thread" }, icon("reply", 17));
  const more = store.info.shortcuts?.length ? shortcuts(one) : null;
  return reply || more ? h("div", { class: "message-tools" }, reply, more) : null;
}

/** The menu of what the app offers to do with a message. */
function shortcuts(one) {
  const options = store.info.shortcuts.map((each) => ({ value: each.callback_id, label: each.name, about: each.description }));
  const pick = async (callback_id) => {
    const answer = await post("shortcut", { user_id: store.user, channel_id: one.channel, message_ts: one.ts, callback_id });
    if (!answer.ok) notice(answer.message || answer.error);
  };
  const node = h("button", {
    class: "icon-button", type: "button", title: "More actions", "aria-label": "More actions", "aria-haspopup": "menu",
    on: { click: () => openMenu(node, { groups: [{ label: store.info.app.name, options }], pick }) },
  }, icon("more", 17));
  return node;
}

/** A list of messages: `show(all)` draws it, `change(ts)` draws what is different and stays at the end. */
export class MessageList {
  constructor({ inThread = false, mark = "", lead = null }) {
    this.inThread = inThread;
    this.mark = mark;
    this.inner = h("div", { class: "scroll-inner" });
    this.below = h("button", { class: "below", type: "button", hidden: true, on: { click: () => this.toEnd() } }, "New messages", icon("down", 14));
    this.node = h("div", { class: "scroll", tabindex: "-1" }, this.inner, h("div", { class: "below-edge" }, this.below));
    this.lead = lead;
    this.sticks = true; // stays at the end while the person is there, whatever grows
    this.node.addEventListener("scroll", () => this.scrolled(), { passive: true });
    new ResizeObserver(() => this.sticks && this.toEnd()).observe(this.inner);
    this.drawn = new Map(); // ts → what was drawn
  }

  /** Draw all messages; keeps those that did not change. */
  show(all) {
    const first = this.drawn.size === 0;
    const newest = [...this.drawn.keys()].reduce((one, two) => (one > two ? one : two), "");
    const nodes = [];
    const kept = new Map();
    let before = null;
    let marked = false;
    for (const [index, one] of all.entries()) {
      const lastDay = index === 0 ? null : dayKey(all[index - 1].ts);
      if (lastDay !== dayKey(one.ts)) nodes.push(h("div", { class: "day" }, h("span", {}, day(one.ts))));
      if (!marked && this.mark && one.ts > this.mark && index > 0 && one.user !== store.user) {
        nodes.push(h("div", { class: "new-mark" }, h("span", {}, "New")));
        marked = true;
      }
      const key = JSON.stringify(one) + Boolean(follows(one, before));
      const old = this.drawn.get(one.ts);
      const node = old?.key === key ? old.node : message(one, { before, inThread: this.inThread, fresh: !first && !old });
      kept.set(one.ts, { key, node });
      nodes.push(node);
      if (this.inThread && index === 0) nodes.push(this.count(all.length - 1));
      before = this.inThread && index === 0 ? null : one;
    }
    this.drawn = kept;
    this.place([this.lead, ...nodes].filter(Boolean));
    if (first) this.sticks = true;
    if (this.sticks) this.toEnd();
    else if (all.some((one) => one.ts > newest && one.user !== store.user)) this.below.hidden = false;
  }

  scrolled() {
    this.sticks = this.atEnd();
    if (this.sticks) this.below.hidden = true;
  }

  /** Put the nodes in order, touching only those that moved: what has the focus keeps it. */
  place(nodes) {
    const wanted = new Set(nodes);
    for (const node of [...this.inner.childNodes]) if (!wanted.has(node)) node.remove();
    nodes.forEach((node, at) => {
      if (this.inner.childNodes[at] !== node) this.inner.insertBefore(node, this.inner.childNodes[at] ?? null);
    });
  }

  count(replies_) {
    return replies_ ? h("div", { class: "thread-count" }, replies_ === 1 ? "1 reply" : `${replies_} replies`) : h("span");
  }

  atEnd() {
    return this.node.scrollHeight - this.node.scrollTop - this.node.clientHeight < 80;
  }

  toEnd() {
    this.node.scrollTop = this.node.scrollHeight;
  }
}


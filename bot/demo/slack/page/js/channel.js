// A channel or the app: head, messages, thread, composer.

import { fill, h, icon } from "./dom.js";
import { get, post } from "./api.js";
import { blocks } from "./blocks.js";
import { inView } from "./acting.js";
import { composer } from "./composer.js";
import { MessageList } from "./messages.js";
import { channelOf, markRead, store } from "./store.js";

const PAGE = 200;

let list = null;
let thread = null;
let limit = PAGE;

/** How many messages of a channel are kept. */
export const limitOf = (id) => (store.place.id === id ? limit : PAGE);

const above = () => h("a", { class: "icon-button back", href: "#", "aria-label": "Back" }, icon("back", 20));

const all = (id) => [...(store.messages.get(id)?.values() ?? [])].sort((one, two) => (one.ts < two.ts ? -1 : 1));
const isReply = (one) => one.thread_ts && one.thread_ts !== one.ts;

/** What was heard while an answer was on its way: it is newer than the answer. */
const heard = new Set();

/** Keep a change. */
export function note(change) {
  for (const changes of heard) changes.push(change);
  apply(store.messages.get(change.channel), change);
}

function apply(kept, change) {
  if (change.message) kept?.set(change.ts, change.message);
  else kept?.delete(change.ts);
}

async function read(id, query) {
  const changes = [];
  heard.add(changes);
  const found = await get("messages", { channel: id, user: store.user, ...query });
  heard.delete(changes);
  const kept = new Map(found.ok ? found.messages.map((one) => [one.ts, one]) : []);
  for (const change of changes) if (change.channel === id) apply(kept, change);
  return kept;
}

/** Read a channel's newest messages. */
export async function load(id) {
  store.messages.set(id, await read(id, { limit }));
}

/** Draw the whole of a channel. */
export function drawChannel(node, channel) {
  const direct = channel.kind === "im";
  limit = PAGE;
  list = new MessageList({ mark: store.mark, lead: earlier(channel) });
  const label = direct ? `Message ${store.info.app.name}` : `Message #${channel.name}`;
  const write = channel.archived ? closed() : composer(channel, null, label, () => list?.toEnd());
  fill(node, top(channel), direct ? tabs("messages") : null, offline(), list.node, write.node);
  drawMessages(channel.id);
  if (matchMedia("(hover: hover)").matches) write.focus?.();
}

const closed = () => ({ node: h("div", { class: "composer" }, h("div", { class: "composer-closed" }, "This channel has been archived.")) });

function earlier(channel) {
  const node = h("button", { class: "earlier", type: "button", hidden: true }, "Show earlier messages");
  node.addEventListener("click", async () => {
    limit *= 4;
    await load(channel.id);
    drawMessages(channel.id);
  });
  return node;
}

function top(channel) {
  const direct = channel.kind === "im";
  const sign = direct ? h("span", { class: store.info.bot.online ? "dot online" : "dot" }) : channel.kind === "private" ? icon("lock", 15) : "#";
  return h("header", { class: "top" }, above(),
    h("h1", {}, sign, h("span", {}, direct ? store.info.app.name : channel.name)),
    h("div", { class: "top-topic" }, direct ? "" : channel.topic),
    direct ? null : h("span", { class: "top-people", title: "Members" }, icon("people", 16), String(channel.members.length)));
}

function tabs(chosen) {
  const tab = (name, href, label) => h("button", { type: "button", role: "tab", "aria-selected": chosen === name ? "true" : "false", on: { click: () => (location.hash = href) } }, label);
  const direct = store.info.channels.find((one) => one.kind === "im" && one.person === store.user);
  return h("div", { class: "tabs", role: "tablist" }, store.info.home_enabled ? tab("home", "#home", "Home") : null, tab("messages", `#${direct.id}`, "Messages"));
}

function offline() {
  return h("div", { class: "offline", role: "status", hidden: store.info.bot.online }, h("span", { class: "dot" }), `${store.info.app.name} is offline: commands and buttons will fail.`);
}

/** Show or hide what says that the app is away. */
export function drawOnline() {
  for (const node of document.querySelectorAll(".offline")) node.hidden = store.info.bot.online;
  for (const node of document.querySelectorAll(".top .dot")) node.classList.toggle("online", store.info.bot.online);
}

/** Draw a channel's messages, and its thread if one is open. */
export function drawMessages(id) {
  if (!list || store.place.kind !== "channel" || store.place.id !== id) return;
  const found = all(id);
  const here = found.filter((one) => !isReply(one) || one.broadcast || (one.ephemeral && !store.place.thread));
  list.lead.hidden = found.length < limit;
  list.show(here);
  if (here.length === 0) list.place([list.lead, beginning(channelOf(id))]);
  if (document.visibilityState === "visible") markRead(id, here.at(-1)?.ts);
  drawThread();
}

function beginning(channel) {
  const direct = channel.kind === "im";
  const name = direct ? store.info.app.name : `#${channel.name}`;
  const commands = store.info.commands.map((one) => one.name).join(", ");
  return h("div", { class: "empty" }, h("h2", {}, `This is the very beginning of ${name}`), commands ? `Type / for commands: ${commands}.` : "Say something.");
}

/** Open, redraw or close the thread pane. */
export function drawThread() {
  const node = document.getElementById("thread");
  const root = store.place.thread;
  document.getElementById("app").classList.toggle("with-thread", Boolean(root));
  node.hidden = !root;
  if (!root) {
    thread = null;
    node.replaceChildren();
    return;
  }
  const channel = channelOf(store.place.id);
  const key = `${store.user}/${channel.id}/${root}`;
  if (thread?.key !== key) {
    const replies = new MessageList({ inThread: true });
    thread = { key, list: replies };
    const write = composer(channel, root, "Reply…", () => replies.toEnd());
    fill(node,
      h("header", { class: "top" },
        h("a", { class: "icon-button back", href: `#${channel.id}`, "aria-label": "Back" }, icon("back", 20)),
        h("h1", {}, h("span", {}, "Thread")), h("div", { class: "top-topic" }, channel.kind === "im" ? "" : `#${channel.name}`),
        h("a", { class: "icon-button", href: `#${channel.id}`, "aria-label": "Close thread" }, icon("close", 18))),
      thread.list.node, write.node);
    if (matchMedia("(hover: hover)").matches) write.focus();
    loadThread(channel.id, root);
  }
  thread.list.show(all(channel.id).filter((one) => one.ts === root || one.thread_ts === root));
}

/** A thread may be older than what was loaded of the channel. */
async function loadThread(id, root) {
  const found = await read(id, { thread_ts: root });
  store.messages.set(id, new Map([...(store.messages.get(id) ?? []), ...found]));
  if (store.place.thread === root) drawMessages(id);
}

/** Draw the app's Home tab, and tell the app that it was opened. */
export function drawHome(node, opened) {
  list = null;
  const home = store.views.home;
  const direct = store.info.channels.find((one) => one.kind === "im" && one.person === store.user);
  const scroll = node.querySelector(".home")?.scrollTop ?? 0;
  const body = home
    ? h("div", { class: "home" }, blocks(home.blocks, inView(home)))
    : h("div", { class: "home" }, h("div", { class: "empty" }, h("h2", {}, "Nothing here yet"), `${store.info.app.name} has not published a Home tab for you.`));
  fill(node, top(direct), tabs("home"), offline(), body);
  body.scrollTop = scroll;
  drawThread();
  if (opened) post("home", { user_id: store.user });
}

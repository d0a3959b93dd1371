// Start, keep up with changes, go from place to place.

import { h, fill } from "./dom.js";
import { get, listen } from "./api.js";
import { drawChannel, drawHome, drawMessages, drawOnline, limitOf, load, note } from "./channel.js";
import { notice } from "./dialogs.js";
import { closeMenu } from "./menu.js";
import { drawModals } from "./modals.js";
import { drawSidebar } from "./sidebar.js";
import { channelOf, isUnread, markRead, myChannels, recall, store } from "./store.js";

const app = document.getElementById("app");
const main = document.getElementById("main");
const sidebar = document.getElementById("sidebar");
let stop = () => {};

/** Act as a person from now on. */
async function become(user) {
  stop();
  store.user = user;
  sessionStorage.setItem("local-slack-user", user);
  store.messages.clear();
  recall();
  stop = await listen(user, heard, lost);
  await refresh();
}

/** Read everything anew. */
async function refresh() {
  store.info = await get("info", { user: store.user });
  store.views = await get("views", { user: store.user });
  store.messages.clear();
  await go(true);
  drawModals();
}

function drawAside() {
  drawSidebar(sidebar, become);
  const unread = store.info.channels.filter((one) => one.members.includes(store.user) && isUnread(one)).length;
  document.title = `${unread ? `(${unread}) ` : ""}${placeName()} · ${store.info.team.name}`;
}

function placeName() {
  if (store.place.kind === "home") return store.info.app.name;
  const channel = channelOf(store.place.id);
  return channel ? channel.name || store.info.app.name : store.info.app.name;
}

/** What the address after # names: a channel, a thread `C…/ts`, home, or the list. */
function target() {
  const [name, thread] = decodeURIComponent(location.hash.slice(1)).split("/");
  if (name === "home") return { kind: "home" };
  const channel = channelOf(name);
  if (channel?.members.includes(store.user)) return { kind: "channel", id: name, thread };
  return { kind: "list" };
}

/** Go where the address says. */
async function go(anew = false) {
  closeMenu();
  const before = store.place;
  let to = target();
  const wide = matchMedia("(min-width: 701px)").matches;
  app.classList.toggle("at-list", to.kind === "list");
  if (to.kind === "list" && wide) to = { kind: "channel", id: myChannels()[0]?.id };
  store.place = to;
  if (to.kind === "home") {
    drawHome(main, anew || before.kind !== "home");
  } else if (to.kind === "channel" && to.id) {
    if (anew || before.kind !== "channel" || before.id !== to.id || main.childElementCount === 0) {
      store.mark = store.read[to.id] ?? "";
      await load(to.id);
      drawChannel(main, channelOf(to.id));
    } else {
      drawMessages(to.id);
    }
  } else {
    fill(main, h("div", { class: "empty" }, "Choose a channel."));
  }
  drawAside();
}

/** A change, as the server tells it. */
async function heard(change) {
  switch (change.kind) {
    case "message":
      return message(change);
    case "view":
      store.views = await get("views", { user: store.user });
      drawModals();
      if (store.place.kind === "home" && change.type === "home") drawHome(main, false);
      return undefined;
    case "bot":
      store.info.bot.online = change.online;
      drawOnline();
      return drawAside();
    case "channel":
      store.info = await get("info", { user: store.user });
      return go(change.channel === store.place.id);
    default:
      return refresh();
  }
}

function message(change) {
  const channel = channelOf(change.channel);
  if (!channel) return;
  const kept = store.messages.get(change.channel);
  note(change);
  const one = change.message;
  const top = one && (!one.thread_ts || one.thread_ts === one.ts || one.broadcast);
  if (top && change.ts > (channel.latest ?? "")) channel.latest = change.ts;
  if (top && one.user === store.user) markRead(channel.id, change.ts);
  trim(change.channel, kept);
  drawSoon();
}

/** A page that is open for days keeps the newest messages only. */
function trim(id, kept) {
  if (!kept || kept.size <= limitOf(id) + 100) return;
  for (const ts of [...kept.keys()].sort().slice(0, kept.size - limitOf(id))) kept.delete(ts);
}

let soon = 0;

/** Many changes at once are drawn together. */
function drawSoon() {
  if (soon) return;
  soon = setTimeout(() => {
    soon = 0;
    if (store.place.kind === "channel") drawMessages(store.place.id);
    drawAside();
  }, 30);
}

let away = false;

/** The connection to the server went, or came back. */
function lost(state) {
  const now = state !== EventSource.OPEN;
  if (now && !away) notice("The connection to the local Slack is gone. Trying again…");
  if (!now && away) refresh();
  away = now;
}

async function start() {
  store.info = await get("info");
  const people = store.info.users.filter((one) => !one.is_bot);
  const asked = new URLSearchParams(location.search).get("user") ?? sessionStorage.getItem("local-slack-user");
  const user = people.find((one) => one.id === asked || one.name === asked) ?? people[0];
  addEventListener("hashchange", () => go());
  document.addEventListener("visibilitychange", () => {
    if (store.place.kind === "channel") drawMessages(store.place.id);
    drawAside();
  });
  await become(user.id);
}

start();

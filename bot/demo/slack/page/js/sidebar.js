// The list of channels, the app, and who one is.

import { avatar, fill, h, icon } from "./dom.js";
import { openMenu } from "./menu.js";
import { appChannel, isUnread, myChannels, store, userOf } from "./store.js";

/** Draw the list. `become` is called with the user to act as. */
export function drawSidebar(node, become) {
  const me = userOf(store.user);
  const direct = appChannel();
  const people = h("button", { class: "switcher", type: "button", "aria-haspopup": "listbox", title: "Act as another person" },
    avatar(me), h("span", { class: "switcher-name" }, h("b", {}, me.name), h("small", {}, me.title || "Member")), icon("down", 16));
  people.addEventListener("click", () => openMenu(people, {
    groups: [{ label: "Act as", options: store.info.users.filter((one) => !one.is_bot).map((one) => ({ value: one.id, label: one.name, about: one.title, mark: avatar(one, true) })) }],
    chosen: [store.user],
    pick: become,
  }));
  fill(node,
    h("div", { class: "sidebar-top" }, store.info.team.name),
    h("div", { class: "sidebar-list" },
      h("h2", {}, "Channels"),
      myChannels().map((one) => place(`#${one.id}`, one.kind === "private" ? icon("lock", 14) : "#", one.name, one.id === store.place.id, isUnread(one))),
      h("h2", {}, "Apps"),
      direct ? place(store.info.home_enabled ? "#home" : `#${direct.id}`, h("span", { class: store.info.bot.online ? "dot online" : "dot" }), store.info.app.name, isApp(direct), isUnread(direct)) : null),
    h("div", { class: "sidebar-foot" }, people,
      h("p", { class: "sidebar-note" }, "A local approximation of Slack.")));
}

const isApp = (direct) => store.place.kind === "home" || store.place.id === direct.id;

function place(href, sign, name, current, unread) {
  return h("a", {
    class: unread && !current ? "place unread" : "place", href, "aria-current": current ? "page" : undefined,
  }, h("span", { class: "place-sign" }, sign), h("span", { class: "place-name" }, name), unread && !current ? h("span", { class: "unread-mark", title: "Unread" }) : null);
}

// Interactive elements outside of input blocks, and the ones that fields share with them.

import { avatar, h, icon, link, safeUrl } from "./dom.js";
import { openMenu } from "./menu.js";
import { text } from "./mrkdwn.js";
import { store } from "./store.js";

/** An element. `input` is set within an input block: then nothing is sent, unless it is to dispatch. */
export function control(element, block, spot, input = null) {
  const build = BUILD[element.type];
  return build ? build(element, block, spot, input) : h("span", { class: "outside" }, element.type);
}

export async function changed(element, block, spot, input, value) {
  const before = spot.held(block, element);
  spot.hold(block, element, value);
  input?.touched?.();
  if (input && !input.dispatch) return true;
  const sent = await spot.use(block, element, value);
  if (!sent) spot.hold(block, element, before);
  return sent;
}

function button(element, block, spot) {
  const node = h("button", {
    class: ["button", element.style].filter(Boolean).join(" "),
    type: "button",
    "aria-label": element.accessibility_label,
    "data-action": element.action_id,
    "data-value": element.value,
  }, text(element.text));
  node.addEventListener("click", async () => {
    const href = element.url ? safeUrl(element.url) : undefined;
    const sent = await spot.use(block, element, element.value, () => {
      node.disabled = true;
      node.classList.add("busy");
    });
    node.disabled = false;
    node.classList.remove("busy");
    if (sent && href) open(href, "_blank", "noopener");
  });
  return node;
}

function workflowButton(element) {
  return link(element.workflow.trigger.url, h("span", { class: ["button", element.style].filter(Boolean).join(" ") }, text(element.text)));
}

function iconButton(element, block, spot) {
  return h("button", {
    class: "button icon", type: "button", "data-action": element.action_id,
    "aria-label": element.accessibility_label ?? element.text.text, title: element.text.text,
    on: { click: () => spot.use(block, element, element.value) },
  }, icon("trash", 16));
}

function feedback(element, block, spot) {
  const one = (part, shape) => h("button", {
    class: "button icon", type: "button", title: part.text.text, "data-action": element.action_id, "data-value": part.value,
    "aria-label": part.accessibility_label ?? part.text.text,
    on: { click: () => spot.use(block, element, part.value) },
  }, icon(shape, 16));
  return [one(element.positive_button, "thumbUp"), one(element.negative_button, "thumbDown")];
}

function overflow(element, block, spot) {
  const node = h("button", { class: "button icon", type: "button", "aria-label": "More actions", "aria-haspopup": "listbox", "data-action": element.action_id }, icon("more", 18));
  node.addEventListener("click", () => openMenu(node, {
    groups: [{ options: element.options.map(shown) }],
    pick: async (value) => {
      const url = element.options.find((one) => one.value === value)?.url;
      if ((await spot.use(block, element, value)) && url && safeUrl(url)) open(safeUrl(url), "_blank", "noopener");
    },
  }));
  return node;
}

/** An option as a menu shows it. */
function shown(option) {
  return { value: option.value, label: option.text.text, about: option.description?.text, whole: option };
}

const grouped = (element) =>
  element.option_groups
    ? element.option_groups.map((one) => ({ label: one.label.text, options: one.options.map(shown) }))
    : [{ options: element.options.map(shown) }];

const people = () => [{ options: store.info.users.map((one) => ({ value: one.id, label: one.name, about: one.title, mark: avatar(one, true) })) }];

function channels(kinds) {
  const mine = store.info.channels.filter((one) => one.members.includes(store.user) && kinds.includes(one.kind));
  return [{ options: mine.map((one) => ({ value: one.id, label: one.kind === "im" ? "Direct message" : `#${one.name}` })) }];
}

/** What each kind of select offers: groups, or a function of what was typed. */
function offered(element, spot) {
  const kind = element.type.replace(/^multi_/, "");
  if (kind === "users_select") return people();
  if (kind === "channels_select") return channels(["public"]);
  if (kind === "conversations_select") return channels(["public", "private", "im"]);
  if (kind !== "external_select") return grouped(element);
  return async (typed) => {
    if (typed.length < (element.min_query_length ?? 3)) return [];
    const found = await spot.suggest(element, typed);
    return found.map((one) => ({ label: one.label?.text, options: one.options.map(shown) }));
  };
}

const known = new Map(); // options of external selects, by value

function labelOf(groups, value) {
  if (typeof groups === "function") return known.get(value)?.text.text ?? value;
  return groups.flatMap((one) => one.options).find((one) => one.value === value)?.label ?? value;
}

function select(element, block, spot, input) {
  const many = element.type.startsWith("multi_");
  const groups = offered(element, spot);
  const external = typeof groups === "function";
  const plainOf = (value) => (value && typeof value === "object" && !Array.isArray(value) ? value.value : value);
  const label = h("span");
  const node = h("button", {
    class: "picker", type: "button", "aria-haspopup": "listbox", "aria-expanded": "false", "data-action": element.action_id,
  }, label, icon("down", 14));
  const show = () => {
    const value = spot.held(block, element);
    const values = (many ? (value ?? []) : value ? [value] : []).map(plainOf);
    label.className = values.length ? "" : "none";
    label.textContent = values.length ? values.map((one) => labelOf(groups, one)).join(", ") : (element.placeholder?.text ?? (many ? "Select options" : "Select an option"));
  };
  let before = null;
  const send = async (value) => {
    await changed(element, block, spot, input, value);
    show();
  };
  const pick = (value, option) => {
    if (external) known.set(option.value, option.whole);
    const given = external ? (many ? value.map((one) => known.get(one)) : known.get(value)) : value;
    if (!many) return send(given);
    before ??= spot.held(block, element) ?? [];
    spot.hold(block, element, given);
    return show();
  };
  node.addEventListener("click", () => openMenu(node, {
    groups, many, pick,
    chosen: [spot.held(block, element) ?? []].flat().map(plainOf),
    search: external || groups.flatMap((one) => one.options).length > 8,
    done: () => {
      if (before === null) return;
      before = null;
      send(spot.held(block, element));
    },
  }));
  show();
  return node;
}

function choices(element, block, spot, input) {
  const many = element.type === "checkboxes";
  const name = `${block}/${element.action_id}/${Math.random()}`;
  const boxes = element.options.map((option) => {
    const held = [spot.held(block, element) ?? []].flat();
    const box = h("input", { type: many ? "checkbox" : "radio", name, value: option.value, checked: held.includes(option.value) });
    box.addEventListener("change", async () => {
      const ticked = boxes.filter((one) => one.box.checked).map((one) => one.box.value);
      const sent = await changed(element, block, spot, input, many ? ticked : ticked[0]);
      if (!sent) for (const one of boxes) one.box.checked = [spot.held(block, element) ?? []].flat().includes(one.box.value);
    });
    const words = h("span", { class: "text" }, text(option.text), option.description ? h("small", {}, text(option.description)) : null);
    return { box, node: h("label", { class: "choice" }, box, words) };
  });
  return h("div", { class: "choices", "data-action": element.action_id }, boxes.map((one) => one.node));
}

const pad = (number) => String(number).padStart(2, "0");

function localMoment(seconds) {
  const date = new Date(seconds * 1000);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

function dated(element, block, spot, input) {
  const type = { datepicker: "date", timepicker: "time", datetimepicker: "datetime-local" }[element.type];
  const moment = type === "datetime-local";
  const held = spot.held(block, element);
  const node = h("input", {
    class: "entry date", type, "aria-label": element.placeholder?.text ?? type, "data-action": element.action_id,
    value: held === undefined || held === null ? "" : moment ? localMoment(held) : held,
  });
  node.addEventListener("change", () => {
    const value = node.value === "" ? null : moment ? Math.floor(new Date(node.value).getTime() / 1000) : node.value;
    changed(element, block, spot, input, value);
  });
  return node;
}

const SELECTS = ["static", "external", "users", "conversations", "channels"];
const BUILD = {
  button,
  workflow_button: workflowButton,
  icon_button: iconButton,
  feedback_buttons: feedback,
  overflow,
  checkboxes: choices,
  radio_buttons: choices,
  datepicker: dated,
  timepicker: dated,
  datetimepicker: dated,
  ...Object.fromEntries(SELECTS.flatMap((one) => [[`${one}_select`, select], [`multi_${one}_select`, select]])),
};


// Where a person acts: in a message or in a view. Holds what was chosen, sends what is to be sent.

import { post } from "./api.js";
import { confirmed, notice } from "./dialogs.js";
import { store } from "./store.js";

const chosen = new Map();

/** What an element holds, as the plain value that the control interface takes. */
export function rawOf(held) {
  if (!held) return undefined;
  if ("selected_option" in held) return held.selected_option?.value;
  if ("selected_options" in held) return held.selected_options.map((one) => one.value);
  const name = Object.keys(held).find((key) => key !== "type");
  return held[name] ?? undefined;
}

/** The value that an element begins with. */
export function initialOf(element) {
  if (element.initial_option) return element.initial_option.value;
  if (element.initial_options) return element.initial_options.map((one) => one.value);
  const name = Object.keys(element).find((key) => key.startsWith("initial_"));
  return name ? element[name] : undefined;
}

class Spot {
  constructor(where, key, values = {}) {
    this.where = where;
    this.key = key;
    this.values = values;
  }

  id(block, element) {
    return `${store.user}/${this.key}/${block}/${element.action_id}`;
  }

  /** What is chosen now. */
  held(block, element) {
    const id = this.id(block, element);
    if (chosen.has(id)) return chosen.get(id);
    return rawOf(this.values[block]?.[element.action_id]) ?? initialOf(element);
  }

  hold(block, element, value) {
    chosen.set(this.id(block, element), value);
  }

  /** Use an element: asks first if it says so; false when the person changed their mind. */
  async use(block, element, value, begun = () => {}) {
    if (!(await confirmed(element.confirm))) return false;
    begun();
    const body = { user_id: store.user, ...this.where, block_id: block, action_id: element.action_id };
    const answer = await post(element.type === "button" ? "click" : "select", { ...body, value: value ?? null });
    if (!answer.ok) notice(answer.message || answer.error);
    return true;
  }

  /** The options of an external select for what was typed. */
  async suggest(element, typed) {
    const answer = await post("options", { user_id: store.user, ...this.where, action_id: element.action_id, value: typed });
    const found = answer.ack ?? {};
    return found.option_groups ?? [{ options: found.options ?? [] }];
  }
}

/** Before a message. */
export const inMessage = (message) =>
  new Spot({ channel_id: message.channel, message_ts: message.ts }, `${message.channel}/${message.ts}/${message.edited ?? ""}`);

/** Before a view. */
export const inView = (view) => new Spot({ view_id: view.id }, view.id, view.state.values);

/** Everything that was entered in a view, by block and action. */
export function entered(view) {
  const values = {};
  const start = `${store.user}/${view.id}/`;
  const here = new Set(view.blocks.map((one) => one.block_id));
  for (const [id, value] of chosen) {
    if (!id.startsWith(start)) continue;
    const [block, action] = split(id.slice(start.length));
    if (here.has(block)) (values[block] ??= {})[action] = value;
  }
  return values;
}

function split(rest) {
  const slash = rest.indexOf("/");
  return [rest.slice(0, slash), rest.slice(slash + 1)];
}

/** Forget what was entered in a view that is gone. */
export function forget(viewId) {
  for (const id of chosen.keys()) if (id.startsWith(`${store.user}/${viewId}/`)) chosen.delete(id);
}


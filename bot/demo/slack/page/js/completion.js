// What the composer can complete: commands at the start, people and channels anywhere.

import { avatar, fill, h } from "./dom.js";
import { store, userOf } from "./store.js";

/** The completions for what stands left of the caret: { title, start, options }. */
export function completions(text, caret, channel, inThread) {
  const left = text.slice(0, caret);
  if (!inThread && /^\/\S*$/.test(left)) return commands(left);
  const word = /(?:^|\s)([@#])([a-z0-9._-]*)$/.exec(left);
  if (!word) return null;
  const start = caret - word[2].length - 1;
  return { start, title: "", options: word[1] === "@" ? people(word[2], channel) : channels(word[2]) };
}

function commands(typed) {
  const fits = store.info.commands.filter((one) => one.name.startsWith(typed));
  return {
    start: 0,
    title: "Commands",
    options: fits.map((one) => ({ insert: `${one.name} `, name: one.name, hint: one.usage_hint, about: `${one.description} · ${store.info.app.name}` })),
  };
}

function people(typed, channel) {
  const here = channel.members.map(userOf).filter((one) => one && one.name.startsWith(typed));
  const bot = userOf(store.info.bot.user_id);
  if (bot && !here.includes(bot) && bot.name.startsWith(typed)) here.push(bot);
  const named = here.map((one) => ({ insert: `@${one.name} `, name: one.name, mark: avatar(one, true), hint: one.title }));
  const reach = ["channel", "here"].filter((one) => typed && one.startsWith(typed));
  return [...named, ...reach.map((one) => ({ insert: `@${one} `, name: `@${one}`, hint: "Notify everyone" }))];
}

function channels(typed) {
  const fits = store.info.channels.filter((one) => one.kind !== "im" && one.name.startsWith(typed) && one.members.includes(store.user));
  return fits.map((one) => ({ insert: `#${one.name} `, name: `#${one.name}`, hint: one.topic }));
}

/** The hint for a command that is typed already. */
export function usage(text) {
  const name = /^(\/\S+)\s/.exec(text)?.[1];
  return name ? store.info.commands.find((one) => one.name === name) : undefined;
}

/** A list to choose from with the arrows. */
export class CompletionList {
  constructor(choose) {
    this.node = h("div", { class: "completions", role: "listbox", hidden: true });
    this.choose = choose;
    this.found = null;
    this.at = 0;
  }

  show(found) {
    this.found = found?.options.length ? found : null;
    this.at = 0;
    this.node.hidden = this.found === null;
    if (this.found) this.draw();
  }

  get open() {
    return this.found !== null;
  }

  draw() {
    fill(this.node,
      this.found.title ? h("div", { class: "completions-title" }, this.found.title) : null,
      this.found.options.map((one, index) => h("button", {
        class: "completion", type: "button", role: "option", "aria-selected": index === this.at ? "true" : "false",
        on: { pointerdown: (event) => event.preventDefault(), click: () => this.choose(one, this.found.start) },
      }, one.mark, h("b", {}, one.name), one.hint ? h("span", { class: "hint" }, one.hint) : null, one.about ? h("span", { class: "about" }, one.about) : null)));
    this.node.children[this.at]?.scrollIntoView({ block: "nearest" });
  }

  /** Take a key; true if it was for the list. */
  key(event) {
    if (!this.open) return false;
    const count = this.found.options.length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      this.at = (this.at + (event.key === "ArrowDown" ? 1 : count - 1)) % count;
      this.draw();
    } else if (event.key === "Tab" || event.key === "Enter") {
      this.choose(this.found.options[this.at], this.found.start);
    } else if (event.key === "Escape") {
      this.show(null);
    } else {
      return false;
    }
    event.preventDefault();
    return true;
  }
}

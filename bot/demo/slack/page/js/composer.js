// Where a person writes: messages and slash commands.

import { h, icon } from "./dom.js";
import { post, upload } from "./api.js";
import { CompletionList, completions, usage } from "./completion.js";
import { notice } from "./dialogs.js";
import { store } from "./store.js";

const drafts = new Map();

/** A composer for a channel, or for a thread of it; calls `sending` when something is sent. */
export function composer(channel, thread, label, sending) {
  const key = `${store.user}/${channel.id}/${thread ?? ""}`;
  const area = h("textarea", { rows: "1", placeholder: label, "aria-label": label, value: drafts.get(key) ?? "" });
  const send = h("button", { class: "send", type: "button", "aria-label": "Send", on: { click: () => submit() } }, icon("send", 17));
  const hint = h("div", { class: "composer-hint" });
  const chooser = h("input", { type: "file", multiple: true, hidden: true, "aria-label": "Files", on: { change: () => share() } });
  const attach = h("button", { class: "icon-button", type: "button", title: "Attach files", "aria-label": "Attach files", on: { click: () => chooser.click() } }, icon("attach", 17));
  const list = new CompletionList((option, start) => {
    const caret = area.selectionStart;
    area.value = area.value.slice(0, start) + option.insert + area.value.slice(caret);
    area.selectionStart = area.selectionEnd = start + option.insert.length;
    area.focus();
    refresh();
  });

  const refresh = () => {
    drafts.set(key, area.value);
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
    send.classList.toggle("ready", area.value.trim() !== "");
    const command = thread ? undefined : usage(area.value);
    hint.textContent = command ? `${command.name} ${command.usage_hint}` : "";
    list.show(completions(area.value, area.selectionStart, channel, thread));
  };

  const submit = async () => {
    const text = area.value.trim();
    if (!text) return;
    area.value = "";
    refresh();
    sending();
    const said = await speak(channel, thread, text);
    if (said) {
      notice(said);
      if (!area.value) area.value = text;
      refresh();
    }
  };

  /** Send the chosen files, with what is written as their comment. */
  const share = async () => {
    const who = { user_id: store.user, channel_id: channel.id, ...(thread ? { thread_ts: thread } : {}) };
    const answer = await upload({ ...who, text: area.value.trim(), typed: "1" }, chooser.files);
    chooser.value = "";
    if (!answer.ok) return notice(answer.message || answer.error);
    area.value = "";
    refresh();
    sending();
  };

  area.addEventListener("input", refresh);
  area.addEventListener("click", refresh);
  area.addEventListener("blur", () => list.show(null));
  area.addEventListener("keydown", (event) => {
    if (list.key(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      submit();
    }
  });
  const node = h("div", { class: "composer" }, list.node,
    h("div", { class: "composer-box" }, area, h("div", { class: "composer-row" }, attach, chooser, hint, send)));
  requestAnimationFrame(refresh);
  return { node, focus: () => area.focus({ preventScroll: true }) };
}

/** Send what was typed; answers why it could not be. */
async function speak(channel, thread, text) {
  const who = { user_id: store.user, channel_id: channel.id };
  const command = /^\/(\S+)\s*([^]*)$/.exec(text);
  if (command) {
    const name = `/${command[1]}`;
    if (!store.info.commands.some((one) => one.name === name)) return `${name} is not a valid command. In Slack, all messages that start with the “/” character are interpreted as commands.`;
    if (thread) return `${name} is not supported in threads. Sorry!`;
    const answer = await post("slash", { ...who, command: name, text: command[2] });
    return answer.ok ? "" : answer.message || answer.error;
  }
  const answer = await post("message", { ...who, text, typed: true, ...(thread ? { thread_ts: thread } : {}) });
  return answer.ok ? "" : answer.message || answer.error;
}

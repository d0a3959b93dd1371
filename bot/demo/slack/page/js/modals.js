// Modals: the topmost of the person's stack.

import { h } from "./dom.js";
import { entered, forget, inView } from "./acting.js";
import { post } from "./api.js";
import { blocks } from "./blocks.js";
import { dialog, notice } from "./dialogs.js";
import { closeMenu } from "./menu.js";
import { text } from "./mrkdwn.js";
import { store } from "./store.js";

let shown = null; // { id, key, shade }

/** Show the topmost modal; draws anew only what changed. */
export function drawModals() {
  const top = store.views.modals.at(-1);
  if (!top) return remove();
  const key = JSON.stringify([top.id, top.hash, top.errors, top.notice]);
  if (shown?.key === key) return undefined;
  const focus = shown?.id === top.id ? focused() : null;
  const scroll = shown?.id === top.id ? shown.shade.querySelector(".dialog-body").scrollTop : 0;
  remove(shown?.id !== top.id);
  const shade = build(top);
  document.getElementById("layer").append(shade);
  shown = { id: top.id, key, shade };
  shade.querySelector(".dialog-body").scrollTop = scroll;
  restore(shade, focus, Object.keys(top.errors ?? {})[0]);
  return undefined;
}

function remove(forgotten = true) {
  if (!shown) return;
  closeMenu();
  shown.shade.remove();
  const open = store.views.modals.some((one) => one.id === shown.id);
  if (forgotten && !open) forget(shown.id);
  shown = null;
}

function build(view) {
  const close = () => post("close", { user_id: store.user, view_id: view.id, everything: view.clear_on_close === true });
  const spot = inView(view);
  const submit = view.submit ? h("button", { class: "button primary", type: "button", "data-submit": true }, text(view.submit)) : null;
  submit?.addEventListener("click", async () => {
    submit.disabled = true;
    submit.classList.add("busy");
    const answer = await post("submit", { user_id: store.user, view_id: view.id, values: entered(view) });
    submit.disabled = false;
    submit.classList.remove("busy");
    if (!answer.ok && answer.error !== "incomplete") notice(answer.message || answer.error);
  });
  const foot = [
    view.notice ? h("div", { class: "dialog-notice", role: "alert" }, view.notice) : null,
    h("button", { class: "button", type: "button", on: { click: close } }, view.close ? text(view.close) : "Close"),
    submit,
  ];
  const title = h("span", {}, text(view.title), h("div", { class: "dialog-app" }, store.info.app.name));
  return dialog({ title, body: blocks(view.blocks, spot, view.errors), foot, onClose: close });
}

function focused() {
  const node = document.activeElement;
  const action = node?.getAttribute?.("data-action");
  return action ? { action, start: node.selectionStart, end: node.selectionEnd } : null;
}

function restore(shade, focus, wrong) {
  const at = wrong ? shade.querySelector(`[data-block="${CSS.escape(wrong)}"] [data-action]`) : null;
  const same = focus ? shade.querySelector(`[data-action="${CSS.escape(focus.action)}"]`) : null;
  const node = at ?? same ?? shade.querySelector("[autofocus]") ?? shade.querySelector(".dialog-body :is(input, textarea, .picker)") ?? shade.querySelector("[data-submit]") ?? shade.querySelector(".dialog-foot button");
  node?.focus({ preventScroll: node !== at });
  if (node === same && same && !at && typeof focus.start === "number" && node.setSelectionRange) node.setSelectionRange(focus.start, focus.end);
}

// Dialogs over the page: confirmations here, modals in modals.js.

import { h, icon } from "./dom.js";
import { text } from "./mrkdwn.js";

/** A dialog in front of everything; answers its parts and how to close it. */
export function dialog({ title, small = false, front = false, body, foot, onClose }) {
  const box = h("div", { class: small ? "dialog small" : "dialog", role: "dialog", "aria-modal": "true", "aria-label": title.textContent ?? "" },
    h("div", { class: "dialog-head" }, h("h2", {}, title), h("button", { class: "icon-button", type: "button", "aria-label": "Close", on: { click: () => onClose() } }, icon("close", 20))),
    h("div", { class: "dialog-body" }, body),
    foot ? h("div", { class: "dialog-foot" }, foot) : null,
  );
  const shade = h("div", { class: front ? "shade front" : "shade" }, box);
  shade.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onClose();
    }
    if (event.key === "Tab") keepWithin(box, event);
  });
  return shade;
}

function keepWithin(box, event) {
  const all = [...box.querySelectorAll("button, input, textarea, select, a[href]")].filter((one) => !one.disabled);
  const edge = event.shiftKey ? all[0] : all.at(-1);
  if (document.activeElement === edge) {
    event.preventDefault();
    (event.shiftKey ? all.at(-1) : all[0])?.focus();
  }
}

/** Ask as a confirm object says; true when confirmed. */
export function confirmed(object) {
  if (!object) return Promise.resolve(true);
  return new Promise((resolve) => {
    const back = document.activeElement;
    const end = (answer) => {
      shade.remove();
      back?.focus?.();
      resolve(answer);
    };
    const danger = object.style === "danger";
    const yes = h("button", { class: danger ? "button danger filled" : "button primary", type: "button", "data-confirm": "yes", on: { click: () => end(true) } }, object.confirm ? text(object.confirm) : "Yes");
    const no = h("button", { class: "button", type: "button", "data-confirm": "no", on: { click: () => end(false) } }, object.deny ? text(object.deny) : "Cancel");
    const title = h("span", {}, object.title ? text(object.title) : "Are you sure?");
    const shade = dialog({ title, small: true, front: true, body: h("div", { class: "text" }, text(object.text)), foot: [no, yes], onClose: () => end(false) });
    document.getElementById("layer").append(shade);
    yes.focus();
  });
}

/** A short word at the bottom of the page. */
export function notice(said) {
  const node = h("div", { class: "notice", role: "status" }, said);
  document.getElementById("notices").append(node);
  setTimeout(() => node.remove(), 6000);
}

// A menu that opens at a control: one choice, several, or commands.

import { fill, h } from "./dom.js";

let open = null;

/** Close the open menu, if any. */
export function closeMenu() {
  if (!open) return;
  open.node.remove();
  open.anchor.setAttribute("aria-expanded", "false");
  open.done?.();
  open = null;
}

document.addEventListener("pointerdown", (event) => {
  if (open && !open.node.contains(event.target) && !open.anchor.contains(event.target)) closeMenu();
});
document.addEventListener("keydown", (event) => {
  if (open && event.key === "Escape") {
    event.stopPropagation();
    const { anchor } = open;
    closeMenu();
    anchor.focus();
  }
}, true);

/**
 * Open a menu below `anchor`. `groups`: [{label?, options: [{value, label, about?}]}], or a
 * function of what was typed that answers them later. `many`: options are ticked until closed.
 */
export function openMenu(anchor, { groups, chosen = [], many = false, search = false, pick, done }) {
  if (open?.anchor === anchor) return closeMenu();
  closeMenu();
  const list = h("div", { class: "menu-list", role: "listbox" });
  const picked = new Set(chosen);
  const show = (found) => fill(list, found.length ? found : h("div", { class: "menu-none" }, "No results"));

  const render = async (typed) => {
    const found = typeof groups === "function" ? await groups(typed) : narrowed(groups, typed);
    show(found.flatMap((group) => [
      group.label ? h("div", { class: "menu-group" }, group.label) : null,
      ...group.options.map(row),
    ]));
  };

  const row = (option) => {
    const node = h("button", {
      class: "menu-option",
      type: "button",
      role: "option",
      "aria-checked": picked.has(option.value) ? "true" : "false",
      on: { click: () => choose(option, node) },
    }, option.mark, h("span", {}, option.label, option.about ? h("small", {}, option.about) : null));
    return node;
  };

  const choose = (option, node) => {
    if (!many) {
      closeMenu();
      pick(option.value, option);
      return;
    }
    if (!picked.delete(option.value)) picked.add(option.value);
    node.setAttribute("aria-checked", picked.has(option.value) ? "true" : "false");
    pick([...picked], option);
  };

  const field = search ? h("input", {
    class: "menu-search", placeholder: "Search", "aria-label": "Search",
    on: { input: () => render(field.value) },
  }) : null;
  const foot = many ? h("div", { class: "menu-done" }, h("button", { class: "button primary", type: "button", on: { click: closeMenu } }, "Done")) : null;
  const node = h("div", { class: "menu" }, field, list, foot);
  node.addEventListener("keydown", steer);
  document.getElementById("layer").append(node);
  anchor.setAttribute("aria-expanded", "true");
  open = { anchor, node, done };
  render("").then(() => {
    position(anchor, node);
    (field ?? list.querySelector("button"))?.focus({ preventScroll: true });
  });
  position(anchor, node);
}

function narrowed(groups, typed) {
  const wanted = typed.toLowerCase();
  return groups
    .map((group) => ({ ...group, options: group.options.filter((one) => one.label.toLowerCase().includes(wanted)) }))
    .filter((group) => group.options.length);
}

function steer(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll(".menu-option")];
  const next = all.indexOf(document.activeElement) + step;
  all[(next + all.length) % all.length]?.focus();
}

function position(anchor, node) {
  const at = anchor.getBoundingClientRect();
  const { width, height } = node.getBoundingClientRect();
  node.style.minWidth = `${Math.max(200, at.width)}px`;
  node.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
  const below = at.bottom + 4 + height <= innerHeight - 8;
  node.style.top = `${below ? at.bottom + 4 : Math.max(8, at.top - height - 4)}px`;
}

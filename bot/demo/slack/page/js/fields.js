// Input blocks: a label, an element, a hint, an error.

import { h } from "./dom.js";
import { changed, control } from "./controls.js";
import { text } from "./mrkdwn.js";

const TYPES = { email_text_input: "email", url_text_input: "url", number_input: "text" };

/** An input block. `errors` is what to show at which block. */
export function field(block, spot, errors = {}) {
  const wrong = errors[block.block_id];
  const error = wrong ? h("div", { class: "field-error", role: "alert" }, wrong) : null;
  const node = h("div", { class: wrong ? "field wrong" : "field", "data-block": block.block_id },
    h("span", { class: "field-label" }, text(block.label), block.optional ? h("i", {}, " (optional)") : null),
    element(block, spot, () => {
      node.classList.remove("wrong");
      error?.remove();
    }),
    error,
    block.hint ? h("div", { class: "field-hint" }, text(block.hint)) : null,
  );
  return node;
}

function element(block, spot, touched) {
  const input = { dispatch: block.dispatch_action === true, touched };
  const made = block.element;
  if (made.type === "rich_text_input") return richEntry(made, block, spot, input);
  if (made.type === "file_input") return h("span", { class: "outside" }, "Files cannot be added on this page.");
  if (made.type === "plain_text_input" || made.type in TYPES) return entry(made, block, spot, input);
  return control(made, block.block_id, spot, input);
}

function entry(made, block, spot, input) {
  const lines = made.multiline === true;
  const node = h(lines ? "textarea" : "input", {
    class: "entry",
    type: lines ? undefined : (TYPES[made.type] ?? "text"),
    inputmode: made.type === "number_input" ? (made.is_decimal_allowed ? "decimal" : "numeric") : undefined,
    maxlength: made.max_length,
    placeholder: made.placeholder?.text,
    "aria-label": block.label.text,
    "data-action": made.action_id,
    value: spot.held(block.block_id, made) ?? "",
    autocomplete: "off",
  });
  if (made.focus_on_load) node.setAttribute("autofocus", "");
  const when = made.dispatch_action_config?.trigger_actions_on ?? ["on_enter_pressed"];
  node.addEventListener("input", () => {
    const speaks = input.dispatch && when.includes("on_character_entered");
    changed(made, block.block_id, spot, { dispatch: speaks, touched: input.touched }, node.value);
  });
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || lines) return;
    if (input.dispatch && when.includes("on_enter_pressed")) {
      event.preventDefault();
      changed(made, block.block_id, spot, input, node.value);
    }
  });
  return node;
}

/** Rich text is entered as plain lines and sent as one rich_text block. */
function richEntry(made, block, spot, input) {
  const plainOf = (rich) => (rich?.elements ?? []).flatMap((part) => part.elements ?? []).map((leaf) => leaf.text ?? "").join("");
  const node = h("textarea", {
    class: "entry", placeholder: made.placeholder?.text, "aria-label": block.label.text, "data-action": made.action_id,
    value: plainOf(spot.held(block.block_id, made)),
  });
  node.addEventListener("input", () => {
    const words = { type: "rich_text", elements: [{ type: "rich_text_section", elements: [{ type: "text", text: node.value }] }] };
    changed(made, block.block_id, spot, { dispatch: false, touched: input.touched }, node.value ? words : null);
  });
  return node;
}

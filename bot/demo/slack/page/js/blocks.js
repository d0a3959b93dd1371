// Block Kit, one function for each type of block.

import { h, link, picture } from "./dom.js";
import { control } from "./controls.js";
import { withEmoji } from "./emoji.js";
import { field } from "./fields.js";
import { text } from "./mrkdwn.js";
import { markdown, rich } from "./rich.js";
import { dataTable, table } from "./tables.js";

/** All blocks of a message or view. `errors` is for the input blocks of a modal. */
export function blocks(list, spot, errors) {
  return h("div", { class: "blocks" }, list.map((block) => BUILD[block.type]?.(block, spot, errors) ?? unknown(block)));
}

const unknown = (block) => h("span", { class: "outside" }, `A block of type ${block.type}`);
const words = (object) => h("div", { class: "text" }, text(object));

function section(block, spot) {
  const accessory = block.accessory;
  const wide = accessory && accessory.type !== "image" && accessory.type !== "overflow" && accessory.type !== "button";
  return h("div", { class: ["section", accessory && "with-accessory", wide && "wide-accessory"].filter(Boolean).join(" ") },
    h("div", {},
      block.text ? words(block.text) : null,
      block.fields ? h("div", { class: "fields" }, block.fields.map(words)) : null),
    accessory ? h("div", { class: "accessory" }, part(accessory, block, spot)) : null);
}

function part(element, block, spot) {
  return element.type === "image" ? image(element) : control(element, block.block_id, spot);
}

const image = (element) => picture(element.image_url ?? `/files/${element.slack_file?.id ?? ""}`, element.alt_text);

function pictureBlock(block) {
  return h("figure", { class: "picture" }, block.title ? h("figcaption", {}, text(block.title)) : null, image(block));
}

function context(block) {
  return h("div", { class: "context" }, block.elements.map((one) => (one.type === "image" ? image(one) : words(one))));
}

function actions(block, spot) {
  return h("div", { class: "actions" }, block.elements.map((one) => (one.type === "rich_text_input" ? unknown(one) : control(one, block.block_id, spot))));
}

function alert(block) {
  return h("div", { class: `alert ${block.level ?? "default"}`, role: "alert" }, words(block.text));
}

function card(block, spot) {
  return h("div", { class: "card" },
    block.hero_image ? image(block.hero_image) : null,
    h("div", { class: "card-body" },
      block.title ? h("h3", {}, text(block.title)) : null,
      block.subtitle ? h("div", { class: "subtitle" }, text(block.subtitle)) : null,
      block.body ? words(block.body) : null,
      block.subtext ? h("div", { class: "subtitle" }, text(block.subtext)) : null,
      block.actions ? actions({ ...block, elements: block.actions }, spot) : null));
}

function carousel(block, spot) {
  return h("div", { class: "carousel" }, block.elements.map((one) => card(one, spot)));
}

function container(block, spot, errors) {
  const title = block.title ? text(block.title) : rich(block.rich_text_title);
  const subtitle = block.subtitle ? h("div", { class: "subtitle" }, text(block.subtitle)) : null;
  const inside = blocks(block.child_blocks, spot, errors);
  if (!block.is_collapsible) return h("div", { class: "container" }, h("h3", {}, title), subtitle, inside);
  return h("details", { class: "container", open: !block.default_collapsed }, h("summary", {}, title), subtitle, inside);
}

const TASK = { pending: "Pending", in_progress: "In progress", complete: "Complete", error: "Failed" };

function task(block) {
  return h("div", { class: "task" },
    h("div", { class: "task-head" }, h("span", { class: `task-mark ${block.status}`, role: "img", "aria-label": TASK[block.status] }), withEmoji(block.title)),
    [block.details, block.output].filter(Boolean).map((one) => h("div", { class: "task-more" }, rich(one))),
    block.sources ? h("div", { class: "task-more" }, block.sources.map((one) => [link(one.url, one.text), " "])) : null);
}

function plan(block) {
  return h("div", { class: "plan" }, h("h3", {}, withEmoji(block.title)), (block.tasks ?? []).map(task));
}

function video(block) {
  return h("div", { class: "card" }, h("div", { class: "card-body" },
    h("h3", {}, link(block.title_url ?? block.video_url, text(block.title))),
    block.description ? words(block.description) : null,
    h("div", { class: "subtitle" }, link(block.video_url, block.alt_text))));
}

const BUILD = {
  actions,
  alert,
  card,
  carousel,
  container,
  context,
  context_actions: actions,
  data_table: dataTable,
  divider: () => h("hr", { class: "divider" }),
  file: (block) => h("span", { class: "outside" }, `A remote file: ${block.external_id}`),
  header: (block) => h("div", { class: "header", role: "heading", "aria-level": "3" }, text(block.text)),
  image: pictureBlock,
  input: field,
  markdown: (block) => markdown(block.text),
  plan,
  rich_text: rich,
  section,
  table,
  task_card: task,
  video,
};

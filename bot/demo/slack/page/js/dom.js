// Elements are built from text and attributes only: nothing is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

const SHAPES = {
  attach: "M8 12.500l7-7a3 3 0 014.200 4.200l-8.500 8.500a5 5 0 01-7-7L12 3",
  back: "M15 5l-7 7 7 7",
  close: "M6 6l12 12M18 6L6 18",
  down: "M6 9l6 6 6-6",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 100 6 3 3 0 000-6z",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 017 0v3",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  people: "M9 11a3.5 3.5 0 100-7 3.5 3.5 0 000 7zM2.5 20c.5-4 3-6 6.500-6s6 2 6.500 6M16 5a3 3 0 010 6M18 14c2 .7 3.200 2.600 3.500 5",
  reply: "M4 5h16v11H10l-5 4v-4H4z",
  send: "M4 12L3 4l18 8-18 8 1-8zM4 12h9",
  thumbUp: "M7 11v9H3v-9zM7 11l4-8c2 0 2.500 1.500 2.300 3L13 10h6.500l-1.500 10H7",
  thumbDown: "M7 13V4H3v9zM7 13l4 8c2 0 2.500-1.500 2.300-3L13 14h6.500L18 4H7",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
};

/** An element: `h("a", { class: "x", href: url, on: { click } }, "text", child)`. */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") {
      for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    } else if (name === "class") {
      node.className = value;
    } else if (name === "value" || name === "checked" || name === "disabled") {
      node[name] = value;
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child);
  }
}

/** Replace all that is in a node. */
export function fill(node, ...children) {
  node.replaceChildren();
  append(node, children);
  return node;
}

/** A line drawing, 24 × 24 by default shown at `size`. */
export function icon(name, size = 18) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("width", size);
  svg.setAttribute("height", size);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", SHAPES[name]);
  svg.append(path);
  return svg;
}

/** The address if it is of a harmless kind, else nothing. */
export function safeUrl(text) {
  try {
    const url = new URL(text, location.href);
    return ["http:", "https:", "mailto:", "tel:"].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** A link that leaves the page alone; plain text if the address is not harmless. */
export function link(url, ...children) {
  const href = safeUrl(url);
  if (href === undefined) return h("span", {}, ...children);
  return h("a", { href, target: "_blank", rel: "noopener noreferrer" }, ...children);
}

/** An image of this server; others are named instead, since the page loads nothing from outside. */
export function picture(url, alt, props = {}) {
  const href = safeUrl(url);
  if (href !== undefined && new URL(href).origin === location.origin) {
    return h("img", { ...props, src: href, alt });
  }
  return h("span", { class: "outside" }, "Image: ", link(url, alt));
}

const COLOURS = ["#4a154b", "#1264a3", "#007a5a", "#b3541e", "#8d2f6f", "#36617b", "#5b6abf"];

/** A square with a person's initial. */
export function avatar(user, small = false) {
  const name = user?.name ?? "?";
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  const node = h("span", { class: small ? "avatar small" : "avatar", "aria-hidden": "true" }, user?.is_bot ? "⚡" : name[0].toUpperCase());
  node.style.background = user?.is_bot ? "#1d3557" : COLOURS[sum % COLOURS.length];
  return node;
}

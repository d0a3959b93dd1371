// The short names that messages use; others are shown as they are written.

export const EMOJI = {
  "+1": "👍", "-1": "👎", thumbsup: "👍", thumbsdown: "👎", eyes: "👀", white_check_mark: "✅",
  heavy_check_mark: "✔️", x: "❌", warning: "⚠️", rotating_light: "🚨", rocket: "🚀", tada: "🎉",
  hourglass: "⌛", hourglass_flowing_sand: "⏳", clock1: "🕐", alarm_clock: "⏰", stopwatch: "⏱️",
  fire: "🔥", bulb: "💡", mag: "🔍", memo: "📝", page_facing_up: "📄", file_folder: "📁",
  package: "📦", wrench: "🔧", hammer: "🔨", gear: "⚙️", lock: "🔒", key: "🔑", link: "🔗",
  bell: "🔔", no_bell: "🔕", zap: "⚡", robot_face: "🤖", computer: "💻", desktop_computer: "🖥️",
  chart_with_upwards_trend: "📈", chart_with_downwards_trend: "📉", bar_chart: "📊",
  large_green_circle: "🟢", large_yellow_circle: "🟡", red_circle: "🔴", large_blue_circle: "🔵",
  white_circle: "⚪", black_circle: "⚫", large_orange_circle: "🟠", large_purple_circle: "🟣",
  stop_sign: "🛑", octagonal_sign: "🛑", no_entry: "⛔", no_entry_sign: "🚫", construction: "🚧",
  question: "❓", grey_question: "❔", exclamation: "❗", information_source: "ℹ️", arrow_right: "➡️", arrow_up: "⬆️",
  arrow_down: "⬇️", arrows_counterclockwise: "🔄", repeat: "🔁", recycle: "♻️", sparkles: "✨",
  star: "⭐", heart: "❤️", wave: "👋", pray: "🙏", thinking_face: "🤔", sob: "😭", smile: "😄",
  smiley: "😃", slightly_smiling_face: "🙂", wink: "😉", seedling: "🌱", dna: "🧬",
  llama: "🦙", snail: "🐌", turtle: "🐢", skull: "💀", ghost: "👻", boom: "💥", ok: "🆗",
  ballot_box_with_check: "☑️", heavy_plus_sign: "➕", heavy_minus_sign: "➖", pushpin: "📌",
  calendar: "📅", email: "📧", inbox_tray: "📥", outbox_tray: "📤", floppy_disk: "💾", cloud: "☁️",
  moneybag: "💰", busts_in_silhouette: "👥", bust_in_silhouette: "👤", crossed_fingers: "🤞",
  double_vertical_bar: "⏸️", pause_button: "⏸️", arrow_forward: "▶️", black_square_for_stop: "⏹️",
};

/** The picture of a short name, or the name between colons. */
export const emoji = (name) => EMOJI[name] ?? `:${name}:`;

/** Short names within plain text. */
export function withEmoji(text) {
  return text.replace(/:([a-z0-9_+-]+):/g, (whole, name) => EMOJI[name] ?? whole);
}

// Times as Slack shows them, in the reader's own zone.

const of = (ts) => new Date(Number(ts) * 1000);
const clock = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const seconds = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit", second: "2-digit" });
const long = new Intl.DateTimeFormat(undefined, { weekday: "long", month: "long", day: "numeric" });
const longYear = new Intl.DateTimeFormat(undefined, { weekday: "long", month: "long", day: "numeric", year: "numeric" });
const short = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", year: "numeric" });
const full = new Intl.DateTimeFormat(undefined, { month: "long", day: "numeric", year: "numeric" });
const plain = new Intl.DateTimeFormat(undefined, { month: "long", day: "numeric" });

export const time = (ts) => clock.format(of(ts));
export const dayKey = (ts) => of(ts).toDateString();

function near(date) {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  const days = Math.round((new Date(date).setHours(0, 0, 0, 0) - midnight) / 86400000);
  return { "-1": "Yesterday", 0: "Today", 1: "Tomorrow" }[days];
}

export const day = (ts) => near(of(ts)) ?? long.format(of(ts));
export const moment = (ts) => `${day(ts)} at ${time(ts)}`;
export const whole = (ts) => `${full.format(of(ts))} at ${seconds.format(of(ts))}`;

function ago(date) {
  const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
  const gap = (date - Date.now()) / 1000;
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (Math.abs(gap) >= size) return relative.format(Math.round(gap / size), unit);
  }
  return relative.format(Math.round(gap), "second");
}

const pretty = (date, otherwise) => near(date)?.toLowerCase() ?? otherwise.format(date);
const pad = (number) => String(number).padStart(2, "0");

const TOKENS = {
  date_num: (date) => `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`,
  date_slash: (date) => `${pad(date.getMonth() + 1)}/${pad(date.getDate())}/${date.getFullYear()}`,
  date: (date) => plain.format(date),
  date_pretty: (date) => pretty(date, plain),
  date_short: (date) => short.format(date),
  date_short_pretty: (date) => pretty(date, short),
  date_long: (date) => longYear.format(date),
  date_long_full: (date) => full.format(date),
  date_long_pretty: (date) => pretty(date, longYear),
  day_divider_pretty: (date) => near(date) ?? long.format(date),
  time: (date) => clock.format(date),
  time_secs: (date) => seconds.format(date),
  ago,
};

/** Slack's `{date_short_pretty} {time}`; the fallback when a token is not known. */
export function stamp(timestamp, format, fallback) {
  const date = of(timestamp);
  let known = Number.isFinite(date.getTime());
  const text = format.replace(/\{(\w+)\}/g, (_whole, name) => {
    known &&= name in TOKENS;
    return known ? TOKENS[name](date) : "";
  });
  const said = known ? text : fallback;
  return said.charAt(0).toUpperCase() + said.slice(1);
}

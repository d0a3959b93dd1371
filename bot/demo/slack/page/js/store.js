// What the page knows, and who wants to hear when it changes.

const listeners = new Map();

export const store = {
  user: "",
  info: { users: [], channels: [], commands: [], bot: {}, app: {}, team: {} },
  /** { kind: "list" | "channel" | "home", id, thread } */
  place: { kind: "list" },
  /** channel id → Map of ts → message */
  messages: new Map(),
  views: { modals: [], home: null },
  /** channel id → the newest ts that was on screen */
  read: {},
  /** the last read ts when the channel was opened: where "New" is drawn */
  mark: "",
};

/** Hear of one kind of change. */
export function on(kind, heard) {
  if (!listeners.has(kind)) listeners.set(kind, []);
  listeners.get(kind).push(heard);
}

/** Tell of a change. */
export function tell(kind, data) {
  for (const heard of listeners.get(kind) ?? []) heard(data);
}

export const userOf = (id) => store.info.users.find((one) => one.id === id);
export const channelOf = (id) => store.info.channels.find((one) => one.id === id);

/** The name that people see. */
export function nameOf(id) {
  return id === "USLACKBOT" ? "Slackbot" : (userOf(id)?.name ?? id);
}

/** The direct message of this person with the app. */
export function appChannel() {
  return store.info.channels.find((one) => one.kind === "im" && one.person === store.user);
}

/** The channels this person is in, in order. */
export function myChannels() {
  return store.info.channels.filter((one) => one.kind !== "im" && one.members.includes(store.user));
}

const key = () => `local-slack-read:${store.info.team.id}:${store.user}`;

/** Recall what was read, for this person. */
export function recall() {
  store.read = JSON.parse(sessionStorage.getItem(key()) ?? "{}");
}

/** All in a channel was seen. */
export function markRead(id, ts) {
  if (!ts || (store.read[id] ?? "") >= ts) return;
  store.read[id] = ts;
  sessionStorage.setItem(key(), JSON.stringify(store.read));
}

export const isUnread = (channel) => (channel.latest ?? "") > (store.read[channel.id] ?? "");

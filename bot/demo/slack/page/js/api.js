// The control interface, as a person uses it.

async function answer(response) {
  const body = await response.json();
  if (!response.ok && body.ok !== false) throw new Error(`status ${response.status}`);
  return body;
}

const GONE = { ok: false, error: "no_answer", message: "The local Slack does not answer, so nothing was sent." };

/** POST /_local/WHAT; answers the body even when it says that it was refused, or why there is none. */
export async function post(what, body) {
  try {
    return await answer(
      await fetch(`/_local/${what}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  } catch {
    return GONE;
  }
}

/** POST /_local/upload: a message with files; answers like `post`. */
export async function upload(fields, files) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const file of files) form.append("file", file, file.name);
  try {
    return await answer(await fetch("/_local/upload", { method: "POST", body: form }));
  } catch {
    return GONE;
  }
}

/** GET /_local/WHAT. */
export async function get(what, query = {}) {
  return answer(await fetch(`/_local/${what}?${new URLSearchParams(query)}`));
}

/** The text of a file, at most `most` characters. */
export async function fileText(url, most) {
  const text = await (await fetch(url)).text();
  return text.length > most ? `${text.slice(0, most)}\n…` : text;
}

/**
 * Call `heard` with each change that the person may see, and `lost` when the connection goes or
 * comes. Answers, once it is there, how to stop.
 */
export function listen(user, heard, lost) {
  const source = new EventSource(`/_local/stream?${new URLSearchParams({ user })}`);
  source.onmessage = (event) => heard(JSON.parse(event.data));
  source.onerror = () => lost(source.readyState);
  return new Promise((resolve) => {
    source.onopen = () => {
      lost(EventSource.OPEN);
      resolve(() => source.close());
    };
  });
}

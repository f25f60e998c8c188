/** What was written to be sent and was not yet, in each place: kept by the tab, so that a look elsewhere or a reload loses nothing of it. */
const texts = new Map<string, string>();
/** What is being sent, by the same places. */
const sent = new Map<string, string>();
const listeners = new Set<() => void>();

const PREFIX = 'chorus.draft.';

const joined = (...parts: (string | undefined)[]) => parts.filter(Boolean).join('\n\n');

function read(place: string): string {
  return texts.get(place) ?? sessionStorage.getItem(PREFIX + place) ?? '';
}

function write(place: string, text: string): void {
  texts.set(place, text);
  // Until it has arrived, what is being sent may be needed again.
  const kept = joined(sent.get(place), text);
  try {
    if (kept === '') sessionStorage.removeItem(PREFIX + place);
    else sessionStorage.setItem(PREFIX + place, kept);
  } catch {
    // It is too long to be kept over a reload; the page itself has it.
  }
  for (const listener of listeners) listener();
}

/** Empties a place while what stands in it is sent. What can't be is put back, before what was written meanwhile. */
async function send(place: string, deliver: (text: string) => Promise<unknown>): Promise<void> {
  const text = read(place);
  sent.set(place, text);
  write(place, '');
  let isSent = true;
  try {
    await deliver(text);
  } catch {
    isSent = false; // what went wrong was told
  }
  sent.delete(place);
  write(place, isSent ? read(place) : joined(text, read(place)));
}

export const drafts = {
  read,
  write,
  send,
  isSending: (place: string): boolean => sent.has(place),
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

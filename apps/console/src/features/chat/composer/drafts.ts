/** Unsent drafts by conversation. sessionStorage keeps them across reloads. */
const texts = new Map<string, string>();
const sending = new Map<string, string>();
const listeners = new Set<() => void>();

const PREFIX = 'chorus.draft.';

const joinParts = (...parts: (string | undefined)[]) => parts.filter(Boolean).join('\n\n');

function read(key: string): string {
  return texts.get(key) ?? sessionStorage.getItem(PREFIX + key) ?? '';
}

function write(key: string, text: string): void {
  texts.set(key, text);
  // The message being sent may still be needed if sending fails.
  const kept = joinParts(sending.get(key), text);
  try {
    if (kept === '') sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, kept);
  } catch {
    // Too long for sessionStorage; the page itself still has it.
  }
  for (const listener of listeners) listener();
}

/**
 * Clears a draft while it is being sent. If sending fails, the text is restored before anything written
 * in the meantime.
 */
async function send(key: string, deliver: (text: string) => Promise<unknown>): Promise<void> {
  const text = read(key);
  sending.set(key, text);
  write(key, '');
  let isSent = true;
  try {
    await deliver(text);
  } catch {
    isSent = false; // the caller has reported it
  }
  sending.delete(key);
  write(key, isSent ? read(key) : joinParts(text, read(key)));
}

export const drafts = {
  read,
  write,
  send,
  isSending: (key: string): boolean => sending.has(key),
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

import type { LoginStore, StoredLogin } from '@chorus/client';

const KEY = 'chorus.login';

/** Keeps the login in this browser, for all its tabs: one that signs out, or renews its tokens, does so for the others. */
class BrowserLoginStore implements LoginStore {
  readonly #listeners = new Set<() => void>();
  #text: string | null = localStorage.getItem(KEY);
  #login = parse(this.#text);

  constructor() {
    addEventListener('storage', ({ key }) => {
      if (key === KEY || key === null) this.#take(localStorage.getItem(KEY));
    });
  }

  readonly load = (): StoredLogin | null => {
    // What another tab has written may be known here before its event has come.
    this.#take(localStorage.getItem(KEY));
    return this.#login;
  };

  readonly save = (login: StoredLogin | null): void => {
    if (login === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(login));
    this.#take(localStorage.getItem(KEY));
  };

  /** As it is known; the same object until it changes. */
  readonly current = (): StoredLogin | null => this.#login;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  #take(text: string | null): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#login = parse(text);
    for (const listener of this.#listeners) listener();
  }
}

function parse(text: string | null): StoredLogin | null {
  try {
    return text === null ? null : (JSON.parse(text) as StoredLogin);
  } catch {
    return null;
  }
}

export const loginStore = new BrowserLoginStore();

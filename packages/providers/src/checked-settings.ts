import { hash } from 'node:crypto';
import type { ChatCall } from './provider-port.ts';

const MAX_KEPT = 1_000;

/** Remembers settings that a model accepts, because collecting warnings costs more than the rest of a call. */
export class CheckedSettings {
  readonly #keys = new Set<string>();

  /** Returns a key for requests that get the same warnings. @param variant anything else that changes them */
  keyOf({ model, settings: { user: _, ...settings } }: ChatCall, variant: string): string {
    return hash('sha1', `${model}\n${variant}\n${JSON.stringify(settings)}`);
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(key: string): void {
    this.#keys.add(key);
    if (this.#keys.size > MAX_KEPT) this.#keys.delete(this.#keys.values().next().value as string);
  }
}

const MAX_LENGTH = 200;
const SEGMENT = '[a-z0-9][a-z0-9._-]*';
const KEY = new RegExp(`^${SEGMENT}(?:/${SEGMENT})*$`);
const PREFIX = new RegExp(`^(?:${SEGMENT}/)*(?:${SEGMENT})?$`);

/**
 * Whether a text is a key. Its few characters mean the same to every file system and every S3, also to those that don't tell capitals from
 * small letters, and can't lead out of a folder.
 */
export const isKey = (text: string): boolean => text.length <= MAX_LENGTH && KEY.test(text);

/** Refuses what is no key. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`not a key of a blob: ${shown(key)}`);
}

/** Refuses what no key begins with. */
export function assertPrefix(prefix: string): void {
  if (prefix.length > MAX_LENGTH || !PREFIX.test(prefix))
    throw new TypeError(`not the beginning of a key of a blob: ${shown(prefix)}`);
}

const shown = (text: string) => JSON.stringify(text.slice(0, MAX_LENGTH));

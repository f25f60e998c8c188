import { createHash } from 'node:crypto';

/** Stands for a slash in a file's name; no key holds it. */
const SLASH = '~';

/** The folder of the temporary files of puts, beside those of the shards: a rename works within one file system only. */
export const INCOMING = 'incoming';

/** The folders that blobs are spread over, in order: a million are then some four thousand files in each. */
export const SHARDS = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'));

export const shardOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 2);

/** One name for a whole key, so that no folder is left empty when its last blob goes. */
export const nameOf = (key: string): string => key.replaceAll('/', SLASH);

export const keyOf = (name: string): string => name.replaceAll(SLASH, '/');

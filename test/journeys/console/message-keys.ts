import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../../scripts/setup/project.mjs';

const FOLDER = join(root, 'apps/console/src/i18n/messages/en');

const keysOf = async (file: string) => {
  const messages = JSON.parse(await readFile(join(FOLDER, file), 'utf8')) as Record<string, string>;
  return Object.keys(messages).map((key) => file.replace('json', key));
};

const keys = (await Promise.all((await readdir(FOLDER)).map(keysOf))).flat();

/** Returns the message keys that a text shows in place of messages. */
export function messageKeysIn(text: string | null): string[] {
  return keys.filter((key) => text?.includes(key));
}

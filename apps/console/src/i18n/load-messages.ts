import type { Messages } from '@lingui/core';
import type { Language } from './languages.ts';
import type { Area } from './messages.ts';

const files = import.meta.glob<Messages>('./messages/*/*.json', { import: 'default' });

/** Loads the messages of an area. The build replaces this module by a smaller one: see `vite.config.ts`. */
export async function loadMessages(language: Language, area: Area): Promise<Messages> {
  const load = files[`./messages/${language}/${area}.json`];
  if (load === undefined) throw new Error(`there are no messages for ${area} in ${language}`);
  return load();
}

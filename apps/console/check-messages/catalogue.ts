import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type CompiledMessage, compileMessage } from '@lingui/message-utils/compileMessage';
import { sourceFolder } from './sources.ts';

/** What a translation must have in common with the English message. */
export interface Shape {
  /** Names of values and tags. */
  names: Set<string>;
  /** Forms of each plural. */
  plurals: string[][];
}

const folder = join(sourceFolder, 'i18n/messages');

/** Returns all messages of a language, by key. */
export function readCatalogue(language: string): Map<string, string> {
  const files = globSync('*.json', { cwd: join(folder, language) });
  return new Map(
    files.flatMap((file) => {
      const messages: Record<string, string> = JSON.parse(readFileSync(join(folder, language, file), 'utf8'));
      return Object.entries(messages).map(([name, text]) => [`${basename(file, '.json')}.${name}`, text] as const);
    }),
  );
}

/** Returns the area of a key. */
export const areaOf = (key: string): string => key.split('.')[0] ?? '';

export function shapeOf(text: string): Shape {
  const shape: Shape = {
    names: new Set([...text.matchAll(/<(\w+)>/g)].map(([, tag = '']) => `<${tag}>`)),
    plurals: [],
  };
  collect(compileMessage(text), shape);
  return shape;
}

function collect(compiled: CompiledMessage, shape: Shape): void {
  if (typeof compiled === 'string') return;
  for (const token of compiled) {
    if (typeof token === 'string') continue;
    const [name, type, forms] = token;
    shape.names.add(name);
    if (typeof forms !== 'object' || forms === null) continue;
    const { offset: _, ...texts } = forms as Record<string, CompiledMessage | number>;
    if (type === 'plural') shape.plurals.push(Object.keys(texts));
    for (const inner of Object.values(texts)) if (typeof inner !== 'number') collect(inner, shape);
  }
}

/** Returns the plural forms that a message of a language needs. */
export function pluralFormsOf(language: string): string[] {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
  // In Spanish and French, `many` is for millions, which this interface does not count.
  return pluralCategories.filter((form) => form !== 'many' || language === 'ar');
}

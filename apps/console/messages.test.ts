import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadedAreas } from './check-messages/areas.ts';
import { areaOf, pluralFormsOf, readCatalogue, shapeOf } from './check-messages/catalogue.ts';
import { literalTexts } from './check-messages/literals.ts';
import { keysIn, readSources } from './check-messages/sources.ts';
import { languages } from './src/i18n/languages.ts';

/** Shown when no messages could be loaded. */
const WITHOUT_CATALOGUE = /^main\.tsx:\d+: Chorus could not be loaded/;

const sources = readSources();
const english = readCatalogue('en');
const shapes = new Map([...english].map(([key, text]) => [key, shapeOf(text)]));
const used = sources.flatMap((source) => keysIn(source, english).map((use) => ({ ...use, path: source.path })));

test('has each message that is used, and no others', () => {
  const keys = new Set(used.map(({ key }) => key));
  expect([...keys].filter((key) => !english.has(key))).toEqual([]);
  expect([...english.keys()].filter((key) => !keys.has(key))).toEqual([]);
});

test('gives each message the values that it names', () => {
  const wrong = used.filter(({ key, names }) => {
    const expected = [...(shapes.get(key)?.names ?? [])].map((name) => name.replace(/[<>]/g, ''));
    return names !== null && expected.sort().join() !== names.sort().join();
  });
  expect(wrong.map(({ path, key, names }) => `${path}: ${key} gets ${names?.join(', ') || 'no values'}`)).toEqual([]);
});

test('loads the messages of each page together with it', () => {
  const loaded = loadedAreas(sources);
  const missing = used.filter(({ path, key }) => loaded.get(path)?.has(areaOf(key)) === false);
  expect(missing.map(({ path, key }) => `${path}: ${key}`)).toEqual([]);
});

test('has no texts outside the catalogue', () => {
  expect(sources.flatMap(literalTexts).filter((text) => !WITHOUT_CATALOGUE.test(text))).toEqual([]);
});

test('chooses the language before the first paint among all that there are', () => {
  const script = readFileSync(join(import.meta.dirname, 'public/first-paint.js'), 'utf8');
  expect(script).toContain(`[${languages.map(({ code }) => `'${code}'`).join(', ')}]`);
});

for (const { code, name } of languages) {
  test(`has all messages in ${name}, with the same values and the plural forms of the language`, () => {
    const catalogue = readCatalogue(code);
    const forms = pluralFormsOf(code).sort().join();
    expect([...catalogue.keys()].sort()).toEqual([...english.keys()].sort());
    const wrong = [...catalogue].filter(([key, text]) => {
      const { names, plurals } = shapeOf(text);
      const expected = shapes.get(key);
      return (
        text.trim() === '' ||
        plurals.length !== expected?.plurals.length ||
        plurals.some(
          (found) =>
            found
              .filter((form) => !form.startsWith('='))
              .sort()
              .join() !== forms,
        ) ||
        [...names].sort().join() !== [...(expected?.names ?? [])].sort().join()
      );
    });
    expect(wrong).toEqual([]);
  });
}

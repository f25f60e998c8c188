import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { KINDS } from '@chorus/contract';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { root } from './run-program.ts';

/** Files that may name a kind: its own, and the two indexes with a line for each. */
const ownFiles = (kind: string) => {
  const file = `${kind.replace('.', '-')}.ts`;
  return [
    `packages/contract/src/kinds/${file}`,
    `packages/jobs/src/${file}`,
    'packages/jobs/src/plans.ts',
    `workers/*/src/handlers/${file}`,
    'workers/*/src/handlers/index.ts',
  ];
};

const isSource = (path: string) =>
  !/node_modules|\/dist\/|\.test\.tsx?$|\/test-[^/]*$|^packages\/(testing|client\/src\/generated)\//.test(path);

/** Returns the strings of a source: literals, keys, types, and names of exports. */
function stringsOf(path: string, source: string): Set<string> {
  const found = new Set<string>();
  new Visitor({
    Literal: ({ value }) => void (typeof value === 'string' && found.add(value)),
    TemplateElement: ({ value }) => void found.add(value.raw),
  }).visit(parseSync(path, source).program);
  return found;
}

test('only the files of a kind name it', () => {
  const kinds = Object.keys(KINDS);
  const paths = globSync('{apps,packages,workers}/**/*.{ts,tsx}', { cwd: root, exclude: ['**/node_modules'] });
  const read = paths.filter(isSource).map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);
  const named = read.flatMap(([path, source]) => {
    if (!kinds.some((kind) => source.includes(kind))) return [];
    const strings = stringsOf(path, source);
    return kinds.filter((kind) => strings.has(kind)).map((kind) => ({ path, kind }));
  });
  const strangers = named.filter(({ path, kind }) => !ownFiles(kind).some((pattern) => matchesGlob(path, pattern)));
  expect(strangers).toEqual([]);
  // The scan reads the records and both indexes.
  const lines = named.filter(({ path }) => /\/kinds\/|\/plans\.ts$|\/handlers\/index\.ts$/.test(path));
  expect(lines).toHaveLength(3 * kinds.length);
});

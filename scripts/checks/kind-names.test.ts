import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { KINDS } from '@chorus/contract';
import { type Expression, type PrivateInExpression, parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { root } from './run-program.ts';

/** Files that may name a kind: its own, the indexes with a line for each, translations, and endpoints and tools. */
const ownFiles = (kind: string) => {
  const file = `${kind.replace('.', '-')}.ts`;
  return [
    `packages/contract/src/kinds/${file}`,
    `packages/jobs/src/${file}`,
    'packages/jobs/src/plans.ts',
    `workers/*/src/handlers/${file}`,
    'workers/*/src/handlers/index.ts',
    'apps/api/src/{openai,anthropic}/*.ts',
    'apps/api/src/mcp/tools/*.ts',
    'apps/console/src/data/kinds.ts',
  ];
};

const isSource = (path: string) =>
  !/node_modules|\/dist\/|\.test\.tsx?$|\/test-[^/]*$|^packages\/(testing|client\/src\/generated)\//.test(path);

interface Strings {
  /** Literals, keys, types, and export names. */
  all: Set<string>;
  /** Those compared with a `kind`. */
  compared: Set<unknown>;
}

function stringsOf(path: string, source: string): Strings {
  const all = new Set<string>();
  const compared = new Set<unknown>();
  new Visitor({
    Literal: ({ value }) => void (typeof value === 'string' && all.add(value)),
    TemplateElement: ({ value }) => void all.add(value.raw),
    BinaryExpression: ({ left, right }) => {
      for (const [one, other] of [
        [left, right],
        [right, left],
      ] as const)
        if (isKind(one) && other.type === 'Literal') compared.add(other.value);
    },
    SwitchStatement: ({ discriminant, cases }) => {
      if (!isKind(discriminant)) return;
      for (const { test } of cases) if (test?.type === 'Literal') compared.add(test.value);
    },
  }).visit(parseSync(path, source).program);
  return { all, compared };
}

/** Returns whether an expression is `kind`, `record.kind`, and the like. */
function isKind(node: Expression | PrivateInExpression['left']): boolean {
  if (node.type === 'Identifier') return node.name === 'kind';
  return node.type === 'MemberExpression' && node.property.type === 'Identifier' && node.property.name === 'kind';
}

/** Kinds such as `speech` are words with other uses. They count where a kind is compared with them. */
const isWord = (kind: string) => !kind.includes('.');

test('only the files of a kind name it', () => {
  const kinds = Object.keys(KINDS);
  const paths = globSync('{apps,packages,workers}/**/*.{ts,tsx}', { cwd: root, exclude: ['**/node_modules'] });
  const read = paths.filter(isSource).map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);
  const named = read.flatMap(([path, source]) => {
    if (!kinds.some((kind) => source.includes(kind))) return [];
    const strings = stringsOf(path, source);
    const isNamed = (kind: string) => (isWord(kind) ? strings.compared : strings.all).has(kind);
    return kinds.filter(isNamed).map((kind) => ({ path, kind }));
  });
  const unexpected = named.filter(({ path, kind }) => !ownFiles(kind).some((pattern) => matchesGlob(path, pattern)));
  expect(unexpected).toEqual([]);
  // The scan reads the records and both indexes.
  const lines = named.filter(({ path }) => /\/kinds\/|\/plans\.ts$|\/handlers\/index\.ts$/.test(path));
  expect(lines).toHaveLength(3 * kinds.filter((kind) => !isWord(kind)).length);
});

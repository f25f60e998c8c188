import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';

/** A node of the syntax tree. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

export interface Source {
  /** Relative to `src`. */
  path: string;
  text: string;
  root: Node;
}

export const sourceFolder = join(import.meta.dirname, '../src');

/** Parses all sources of the console, without its tests. */
export function readSources(): Source[] {
  return globSync('**/*.{ts,tsx}', { cwd: sourceFolder })
    .filter((path) => !path.includes('.test.'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(sourceFolder, path), 'utf8');
      return { path, text, root: parseSync(path, text).program as unknown as Node };
    });
}

/** Calls `visit` for each node, with the nodes around it, innermost first. Skips a node's children if it returns false. */
export function walk(
  node: Node,
  visit: (node: Node, around: readonly Node[]) => unknown,
  around: readonly Node[] = [],
) {
  if (visit(node, around) === false) return;
  const inside = [node, ...around];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit, inside);
  }
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Returns the text of a string or template literal, with `{}` for its expressions. */
export function textOf(node: Node): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return null;
  return (node.quasis as Node[]).map(({ value }) => (value as { cooked: string }).cooked).join('{}');
}

/** Returns the name of an identifier or a property. */
export function nameOf(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'MemberExpression') return nameOf(node.property);
  if (node.type === 'JSXNamespacedName') return `${nameOf(node.namespace)}:${nameOf(node.name)}`;
  return String(node.name ?? node.value ?? '');
}

interface KeyUse {
  key: string;
  /** The values that a call passes; null if they are not literal. */
  names: string[] | null;
}

/** Returns the keys of messages in a source. */
export function keysIn({ root }: Source, known: ReadonlyMap<string, string>): KeyUse[] {
  const areas = new Set([...known.keys()].map((key) => key.split('.')[0]));
  const uses: KeyUse[] = [];
  walk(root, (node, [parent]) => {
    const key = node.type === 'Literal' ? textOf(node) : null;
    const isCall = parent?.type === 'CallExpression' && ['t', 'rich'].includes(nameOf(parent.callee));
    if (key === null || !(isCall || (/^[a-z]\w*\.\w+$/.test(key) && known.has(key)))) return;
    if (!isCall && !areas.has(key.split('.')[0])) return;
    uses.push({ key, names: isCall ? valuesOf(parent.arguments as Node[]) : null });
  });
  return uses;
}

function valuesOf([, values]: readonly Node[]): string[] | null {
  if (values === undefined) return [];
  if (values.type !== 'ObjectExpression') return null;
  const properties = values.properties as Node[];
  return properties.some(({ type }) => type !== 'Property') ? null : properties.map(({ key }) => nameOf(key));
}

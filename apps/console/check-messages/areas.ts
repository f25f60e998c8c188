import { dirname, join } from 'node:path';
import { isNode, type Node, nameOf, type Source, textOf, walk } from './sources.ts';

/** A page that loads on demand, and the areas of messages that load with it. */
interface Import {
  path: string;
  areas: string[];
}

/**
 * Returns the message areas that are loaded whenever a source runs: those of the first page, and those that each
 * chain of imports loads.
 */
export function loadedAreas(sources: readonly Source[]): Map<string, Set<string>> {
  const imports = new Map(sources.map((source) => [source.path, importsOf(source)]));
  const loaded = new Map<string, Set<string>>();
  const reach = (path: string, areas: Set<string>) => {
    const known = loaded.get(path);
    const common = known === undefined ? areas : new Set([...known].filter((area) => areas.has(area)));
    if (known?.size === common.size) return;
    loaded.set(path, common);
    const { still, lazily } = imports.get(path) ?? { still: [], lazily: [] };
    for (const next of still) reach(next, common);
    for (const next of lazily) reach(next.path, new Set([...common, ...next.areas]));
  };
  const main = sources.find(({ path }) => path === 'main.tsx');
  if (main !== undefined) reach(main.path, new Set(firstAreas(main.root)));
  return loaded;
}

function firstAreas(root: Node): string[] {
  const areas: string[] = [];
  walk(root, (node) => {
    if (node.type === 'CallExpression' && nameOf(node.callee) === 'startLanguage') areas.push(...listIn(node));
  });
  return areas;
}

/** Returns the strings of a call's first argument. */
const listIn = (call: Node): string[] => {
  const [first] = call.arguments as Node[];
  return ((first?.elements ?? []) as Node[]).map((element) => textOf(element) ?? '');
};

function importsOf({ path, root }: Source): { still: string[]; lazily: Import[] } {
  const still: string[] = [];
  const lazily: Import[] = [];
  const resolve = (node: unknown) => {
    const name = isNode(node) ? textOf(node) : null;
    return name?.startsWith('.') ? join(dirname(path), name) : null;
  };
  walk(root, (node, around) => {
    const target = resolve(node.source);
    if (target === null) return;
    if (node.type === 'ImportExpression') {
      const call = around.find(({ type, callee }) => type === 'CallExpression' && nameOf(callee) === 'withMessages');
      lazily.push({ path: target, areas: call === undefined ? [] : listIn(call) });
    } else if (node.importKind !== 'type') still.push(target);
  });
  return { still, lazily };
}

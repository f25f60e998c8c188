import type { Block } from '../documents.ts';
import type { Chunk } from './chunk.ts';

export interface Part {
  block: Block;
  start: number;
  end: number;
  path: readonly string[];
  isHeading: boolean;
  isShared: boolean;
  tokens: number;
}

export function toChunk(parts: readonly Part[], position: number): Chunk {
  const path = commonPath(parts);
  // Headings above the whole chunk are already in its path.
  const shown = parts.filter((part) => !part.isHeading || part.path.length > path.length);
  const content = parts.filter(({ isHeading }) => !isHeading);
  const first = content.find(({ isShared }) => !isShared) ?? parts[0];
  return {
    position,
    text: textOf(shown),
    heading_path: [...path],
    page: first?.block.page ?? null,
    kind: kindOf(content),
  };
}

/** Returns the headings that all parts share. Headings without text here do not count. */
function commonPath(parts: readonly Part[]): readonly string[] {
  let common: readonly string[] | null = null;
  for (const [index, { path, isHeading }] of parts.entries()) {
    const next = parts[index + 1];
    if (isHeading && next && startsWith(next.path, path)) continue;
    const own = isHeading ? path.slice(0, -1) : path;
    common = common === null ? own : own.slice(0, sharedLength(common, own));
  }
  return common ?? [];
}

const startsWith = (path: readonly string[], start: readonly string[]) =>
  path.length >= start.length && sharedLength(path, start) === start.length;

function sharedLength(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}

function textOf(parts: readonly Part[]): string {
  const texts: string[] = [];
  for (let at = 0; at < parts.length; ) {
    const { block, start } = parts[at] as Part;
    let end = (parts[at] as Part).end;
    for (at += 1; parts[at]?.block === block; at += 1) end = parts[at]?.end ?? end;
    const text = block.text.slice(start, end);
    texts.push(block.type === 'code' ? text.replace(/^\n+/, '').trimEnd() : text.trim());
  }
  return texts.filter((text) => text !== '').join('\n\n');
}

function kindOf(content: readonly Part[]): Chunk['kind'] {
  for (const kind of ['table', 'code'] as const)
    if (content.length > 0 && content.every(({ block }) => block.type === kind)) return kind;
  return 'text';
}

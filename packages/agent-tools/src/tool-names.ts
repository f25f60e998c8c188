import { createHash } from 'node:crypto';
import type { AgentTool } from './agent-tool.ts';

const MAX_NAME = 64;
const MAX_SLUG = 24;

/** A tool before its name is final. `slug` identifies its server or API. Null: a tool of the platform. */
export interface NamedTool {
  slug: string | null;
  tool: AgentTool;
}

/** Returns the short form of a server's name, used in the names of its tools. */
export function slugOf(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('_').slice(0, MAX_SLUG) || 'server';
}

/**
 * Makes the names valid and unique, depending only on the tools and their order. Tools of the platform keep their
 * names. Other tools whose names collide get the slug of their server as a prefix.
 */
export function nameTools(tools: readonly NamedTool[]): AgentTool[] {
  const valid = tools.map(({ slug, tool }) => ({ slug, tool, name: validName(tool.name) }));
  const uses = Map.groupBy(valid, ({ name }) => name);
  const wanted = valid.map(({ slug, tool, name }) => ({
    tool,
    name: slug === null || uses.get(name)?.length === 1 ? name : validName(`${slug}_${tool.name}`),
    platform: slug === null,
  }));
  const taken = new Set<string>();
  const names = new Map<AgentTool, string>();
  for (const { tool, name } of wanted.toSorted((a, b) => Number(b.platform) - Number(a.platform))) {
    const final = freeName(name, taken);
    taken.add(final);
    names.set(tool, final);
  }
  return tools.map(({ tool }) => renamed(tool, names.get(tool) ?? tool.name));
}

function renamed(tool: AgentTool, name: string): AgentTool {
  return name === tool.name ? tool : { ...tool, name, ownName: tool.name, run: (args, call) => tool.run(args, call) };
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `_${number}`;
    const candidate = `${name.slice(0, MAX_NAME - suffix.length)}${suffix}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** Shortens long names and appends a hash, so that they stay distinct. */
function validName(name: string): string {
  const clean = name.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+$/, '') || 'tool';
  if (clean.length <= MAX_NAME) return clean;
  return `${clean.slice(0, MAX_NAME - 9)}_${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}

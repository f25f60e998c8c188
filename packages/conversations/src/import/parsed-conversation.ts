import type { CitationItem, ImportedSession } from '@chorus/contract';
import { titleFrom } from '@chorus/contract';

export interface ParsedMessage {
  role: 'user' | 'assistant';
  content: string;
  created_at: Date | null;
  citations?: CitationItem[];
  attachments?: string[];
}

/** A conversation from a file, in the terms of Chorus. */
export interface ParsedConversation {
  format: NonNullable<ImportedSession['format']>;
  /** Its id in the program that it comes from. Null: it has none. */
  id: string | null;
  title: string | null;
  pinned: boolean;
  starred: boolean;
  archived: boolean;
  created_at: Date | null;
  updated_at: Date | null;
  messages: ParsedMessage[];
  /** Number of files in its messages. */
  missingFiles: number;
}

/** An issue in a conversation, and its path. */
export class ImportIssue extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.name = 'ImportIssue';
    this.path = path;
  }
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectAt(value: unknown, path: string): JsonObject {
  if (!isObject(value)) throw new ImportIssue(path, value === undefined ? 'is required' : 'must be an object');
  return value;
}

export function listAt(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) throw new ImportIssue(path, value === undefined ? 'is required' : 'must be an array');
  return value;
}

export const textOr = <T>(value: unknown, other: T): string | T => (typeof value === 'string' ? value : other);

/** Reads a time: ISO 8601, or seconds or milliseconds since 1970. Null if it is invalid, or in the future. */
export function timeOf(value: unknown): Date | null {
  const isMs = typeof value === 'number' && value > 100_000_000_000;
  const time = new Date(typeof value === 'number' ? (isMs ? value : value * 1_000) : textOr(value, ''));
  return Number.isNaN(time.getTime()) || time.getTime() > Date.now() || time.getTime() <= 0 ? null : time;
}

/** Returns the values from the root of a tree to a node. Stops at a cycle of parents. */
export function pathTo<T>(nodes: ReadonlyMap<string, { parent: string | null; value: T }>, leaf: string): T[] {
  const path: T[] = [];
  const seen = new Set<string>();
  for (let id: string | null = leaf; id !== null && !seen.has(id); ) {
    const node = nodes.get(id);
    if (node === undefined) break;
    seen.add(id);
    path.push(node.value);
    id = node.parent;
  }
  return path.reverse();
}

/** Drops messages without text, and joins consecutive messages of the same role, which other programs allow. */
export function joinNeighbors(messages: readonly ParsedMessage[]): ParsedMessage[] {
  const joined: ParsedMessage[] = [];
  for (const message of messages) {
    if (message.content.trim() === '') continue;
    const last = joined.at(-1);
    if (last?.role === message.role) last.content += `\n\n${message.content}`;
    else joined.push({ ...message });
  }
  return joined;
}

export function titleOf({ title, messages }: Pick<ParsedConversation, 'title' | 'messages'>): string | null {
  const given = titleFrom(title ?? '');
  return given ?? titleFrom(messages.find(({ role }) => role === 'user')?.content ?? '');
}

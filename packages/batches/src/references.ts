import { ChorusError } from '@chorus/contract';

/** Where in a body something stands. */
export type Place = readonly (string | number)[];

/** A value, or part of a text, that another item's output takes the place of. */
export interface Reference {
  place: Place;
  item: string;
  /** From the item's execution on: `output`, `0`, `asset`, `id`. */
  path: readonly string[];
}

export interface FoundReferences {
  references: Reference[];
  problems: { place: Place; message: string }[];
}

/** What of an execution can be referred to. */
const FIELDS = ['id', 'kind', 'model', 'provider', 'output', 'usage', 'metadata'] as const;
export type ReferredExecution = Readonly<Record<(typeof FIELDS)[number], unknown>>;

/** Bounded in all its parts, so that no text makes the search slow. */
const STEPS = `(?:${FIELDS.join('|')})(?:\\.[\\w-]{1,64}){0,16}`;
const PATH = new RegExp(`^${STEPS}$`);
/** `{{<id>.output.0.text}}` in a text; ids may hold dots, so the first of our fields ends one. */
const IN_TEXT = new RegExp(`\\{\\{ {0,4}([\\w.:@/-]{1,128}?)\\.(${STEPS}) {0,4}\\}\\}`, 'g');

/** What an item may become when all that it refers to stands in it, in characters of JSON. */
const MAX_RESOLVED_CHARS = 8_000_000;

/** The references in a body, and what looks like one and is none. */
export function findReferences(body: unknown): FoundReferences {
  const found: FoundReferences = { references: [], problems: [] };
  visit(body, [], found);
  return found;
}

function visit(value: unknown, place: Place, found: FoundReferences): void {
  if (typeof value === 'string') {
    for (const [, item, path] of value.matchAll(IN_TEXT)) found.references.push(referenceTo(place, item, path));
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (isReference(value)) {
    const problem = problemOf(value);
    if (problem === null) found.references.push(referenceTo(place, value.$from as string, value.path as string));
    else found.problems.push({ place, message: problem });
    return;
  }
  for (const [key, inner] of Object.entries(value))
    visit(inner, [...place, Array.isArray(value) ? Number(key) : key], found);
}

const referenceTo = (place: Place, item = '', path = ''): Reference => ({ place, item, path: path.split('.') });

function isReference(value: object): value is { $from: unknown; path?: unknown } {
  return Object.hasOwn(value, '$from');
}

function problemOf(value: { $from: unknown; path?: unknown }): string | null {
  const extra = Object.keys(value).find((key) => key !== '$from' && key !== 'path');
  if (extra !== undefined) return 'a reference has `$from` and `path` alone';
  if (typeof value.$from !== 'string') return '`$from` must be the id of an item';
  if (typeof value.path === 'string' && PATH.test(value.path)) return null;
  return `\`path\` must begin with one of ${FIELDS.join(', ')}, such as output.0.asset.id`;
}

/**
 * A body in which what is referred to stands in place of each reference.
 *
 * @param executionOf the execution of an item that has succeeded
 * @param at where the body stands, for errors
 * @throws {ChorusError} reference_not_found
 */
export function resolveReferences(
  body: Record<string, unknown>,
  executionOf: (item: string) => ReferredExecution | undefined,
  at: string,
): Record<string, unknown> {
  let room = MAX_RESOLVED_CHARS;
  const look = (place: Place, item: string, path: readonly string[]): unknown => {
    const value = path.reduce<unknown>(memberOf, executionOf(item));
    if (value === undefined || value === null)
      throw notFound(at, place, `item ${JSON.stringify(item)} has no ${path.join('.')}`);
    room -= typeof value === 'object' ? JSON.stringify(value).length : String(value).length;
    if (room < 0) throw notFound(at, place, 'what is referred to is too large to stand here');
    return value;
  };
  const resolve = (value: unknown, place: Place): unknown => {
    if (typeof value === 'string') {
      return value.replace(IN_TEXT, (_, item: string, path: string) => {
        const found = look(place, item, path.split('.'));
        if (typeof found !== 'object') return String(found);
        throw notFound(at, place, `${path} of item ${JSON.stringify(item)} is no text`);
      });
    }
    if (typeof value !== 'object' || value === null) return value;
    if (isReference(value)) return look(place, String(value.$from), String(value.path).split('.'));
    if (Array.isArray(value)) return value.map((inner, index) => resolve(inner, [...place, index]));
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner, [...place, key])]));
  };
  return resolve(body, []) as Record<string, unknown>;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function notFound(at: string, place: Place, message: string): ChorusError {
  const path = [at, ...place].join('.');
  return new ChorusError('reference_not_found', `${path}: ${message}.`, { details: [{ path, message }] });
}

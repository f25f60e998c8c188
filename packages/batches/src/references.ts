import { ChorusError } from '@chorus/contract';

/** Path within a body. */
export type Place = readonly (string | number)[];

/** A value or part of a text to replace with another item's output. */
export interface Reference {
  place: Place;
  item: string;
  /** Path from the item's execution: `output`, `0`, `asset`, `id`. */
  path: readonly string[];
}

export interface FoundReferences {
  references: Reference[];
  problems: { place: Place; message: string }[];
}

/** Fields of an execution that references may start with. */
const FIELDS = ['id', 'kind', 'model', 'provider', 'output', 'usage', 'metadata'] as const;
export type ReferredExecution = Readonly<Record<(typeof FIELDS)[number], unknown>>;

/** All repetitions are bounded, so that no text can make the search slow. */
const STEPS = `(?:${FIELDS.join('|')})(?:\\.[\\w-]{1,64}){0,16}`;
const PATH = new RegExp(`^${STEPS}$`);
/** `{{<id>.output.0.text}}` in a text; ids may contain dots, so the first known field ends the id. */
const IN_TEXT = new RegExp(`\\{\\{ {0,4}([\\w.:@/-]{1,128}?)\\.(${STEPS}) {0,4}\\}\\}`, 'g');

/** Maximum size of a resolved body, in characters of JSON. */
const MAX_RESOLVED_CHARS = 8_000_000;

/** Finds the references in a body, and malformed ones. */
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
  if (extra !== undefined) return 'a reference can only have `$from` and `path`';
  if (typeof value.$from !== 'string') return '`$from` must be the id of an item';
  if (typeof value.path === 'string' && PATH.test(value.path)) return null;
  return `\`path\` must begin with one of ${FIELDS.join(', ')}, such as output.0.asset.id`;
}

/**
 * Returns a body with all references resolved.
 *
 * @param executionOf returns the execution of a successful item
 * @param at place of the body, for errors
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
    if (room < 0) throw notFound(at, place, 'the result is too large with the referenced value');
    return value;
  };
  const resolve = (value: unknown, place: Place): unknown => {
    if (typeof value === 'string') {
      return value.replace(IN_TEXT, (_, item: string, path: string) => {
        const found = look(place, item, path.split('.'));
        if (typeof found !== 'object') return String(found);
        throw notFound(at, place, `${path} of item ${JSON.stringify(item)} is not text`);
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

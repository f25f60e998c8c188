import { badValue, failedToParse, typeMismatch } from '../errors.ts';
import { compileFilter } from '../query/matcher.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { isFilteredPart, isPositionalPart, type Modification, rejectConflicts } from './modifications.ts';
import { describeShort, rejectExpressions, valueAt } from './operator.ts';

type ElementTest = (element: unknown) => boolean;
type ElementTests = ReadonlyMap<string, ElementTest>;

/**
 * Compiles `arrayFilters` to predicates by identifier, and checks them against the paths. Throws
 * FailedToParse for malformed, duplicate, or unused filters, and BadValue for missing ones.
 */
export function compileArrayFilters(
  filters: unknown,
  modifications: readonly Modification[],
  update: Fields,
): ElementTests {
  const tests = new Map<string, ElementTest>();
  if (filters !== undefined && !Array.isArray(filters)) throw typeMismatch('arrayFilters must be an array');
  for (const filter of (filters as unknown[] | undefined) ?? []) {
    if (!isFields(filter)) throw typeMismatch('Each array filter must be an object');
    rejectExpressions(filter);
    const identifier = filterIdentifier(filter);
    if (tests.has(identifier)) {
      throw failedToParse(`Found multiple array filters with the same top-level field name ${identifier}`);
    }
    const matches = compileFilter(filter);
    tests.set(identifier, (element) => matches({ [identifier]: element }));
  }
  const unused = new Set(tests.keys());
  for (const { path, parts } of modifications) {
    for (const identifier of parts.filter(isFilteredPart).map(identifierOf)) {
      if (identifier !== '' && !tests.has(identifier)) {
        throw badValue(`No array filter found for identifier '${identifier}' in path '${path}'`);
      }
      unused.delete(identifier);
    }
  }
  for (const identifier of unused) {
    throw failedToParse(
      `The array filter for identifier '${identifier}' was not used in the update ${describeShort(update)}`,
    );
  }
  return tests;
}

function identifierOf(part: string): string {
  return part.slice('$['.length, -']'.length);
}

function filterIdentifier(filter: Fields): string {
  const [identifier, other] = new Set(firstNames(filter));
  if (identifier === undefined || other !== undefined) {
    throw failedToParse(
      `an array filter needs a single top-level field name, but has '${identifier ?? ''}' and '${other ?? ''}'`,
    );
  }
  if (/^[a-z][a-zA-Z0-9]*$/.test(identifier)) return identifier;
  throw badValue(`the name of an array filter must be alphanumeric and begin with a lowercase letter: '${identifier}'`);
}

function firstNames(filter: Fields): string[] {
  return fieldNames(filter).flatMap((name) => {
    if (!name.startsWith('$')) return name.split('.', 1);
    const clauses = getField(filter, name);
    return Array.isArray(clauses) ? clauses.filter(isFields).flatMap(firstNames) : [];
  });
}

/**
 * Resolves positional parts for a document. `positional` is the index that `$` refers to. Throws
 * BadValue if nothing matches, and ConflictingUpdateOperators (40) if two paths overlap.
 */
export function resolvePaths(
  document: Fields,
  modifications: readonly Modification[],
  positional: number | undefined,
  tests: ElementTests,
): readonly Modification[] {
  if (!modifications.some(({ parts }) => parts.some(isPositionalPart))) return modifications;
  const resolved = modifications.flatMap((modification) =>
    concretePaths(document, modification.parts, positional, tests).map((parts) => ({ ...modification, parts })),
  );
  if (modifications.length > 1) rejectConflicts(resolved, (_path, at) => `Update created a conflict at '${at}'`);
  return resolved;
}

function concretePaths(
  document: Fields,
  parts: readonly string[],
  positional: number | undefined,
  tests: ElementTests,
): (readonly string[])[] {
  let found: { path: readonly string[]; value: unknown }[] = [{ path: parts, value: document }];
  for (const [at, part] of parts.entries()) {
    found = found.flatMap(({ path, value }) => {
      if (!isPositionalPart(part)) return { path, value: valueAt(value, part) };
      const indexes =
        part === '$' ? [indexOf(positional)] : matchingIndexes(value, path.slice(0, at), tests.get(identifierOf(part)));
      return indexes.map((index) => ({ path: path.with(at, index), value: valueAt(value, index) }));
    });
  }
  return found.map(({ path }) => path);
}

function indexOf(positional: number | undefined): string {
  if (positional !== undefined) return String(positional);
  throw badValue('The positional operator did not find the match needed from the query.');
}

function matchingIndexes(array: unknown, path: readonly string[], test: ElementTest = () => true): string[] {
  if (Array.isArray(array)) return Object.keys(array).filter((index) => test(array[Number(index)]));
  throw badValue(
    array === undefined
      ? `The path '${path.join('.')}' must exist in the document in order to apply array updates.`
      : `Cannot apply array updates to non-array element ${path.at(-1)}: ${describeShort(array)}`,
  );
}

import { badValue, failedToParse, typeMismatch } from '../errors.ts';
import { compileFilter } from '../query/matcher.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { type ElementTests, isFilteredPart, type Modification } from './update-path.ts';

/**
 * Compiles the `arrayFilters` of an update to tests of elements by identifier, and checks them against the paths that
 * use them. Throws FailedToParse for filters that are malformed, double or unused, BadValue for identifiers without a filter.
 */
export function compileArrayFilters(filters: unknown, modifications: readonly Modification[]): ElementTests {
  const tests = new Map<string, (element: unknown) => boolean>();
  if (filters !== undefined && !Array.isArray(filters)) throw typeMismatch('arrayFilters must be an array');
  for (const filter of (filters as unknown[] | undefined) ?? []) {
    if (!isFields(filter)) throw typeMismatch('Each array filter must be an object');
    const identifier = filterIdentifier(filter);
    if (identifier === undefined) {
      throw failedToParse('Cannot use an expression without a top-level field name in arrayFilters');
    }
    if (!/^[a-z][a-zA-Z0-9]*$/.test(identifier)) {
      throw badValue(
        `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${identifier}'`,
      );
    }
    if (tests.has(identifier)) {
      throw failedToParse(`Found multiple array filters with the same top-level field name ${identifier}`);
    }
    const matches = compileFilter(filter);
    tests.set(identifier, (element) => matches({ [identifier]: element }));
  }
  checkUse(tests, modifications);
  return tests;
}

/** The one name that begins all paths of a filter, `$and`, `$or` and `$nor` included. */
function filterIdentifier(filter: Fields): string | undefined {
  let identifier: string | undefined;
  for (const name of fieldNames(filter)) {
    const operand = getField(filter, name);
    const clauses = name.startsWith('$') && Array.isArray(operand) ? operand.filter(isFields) : [];
    const found = name.startsWith('$') ? clauses.map(filterIdentifier) : [name.split('.')[0]];
    for (const candidate of found) {
      if (identifier !== undefined && candidate !== undefined && candidate !== identifier) {
        throw failedToParse(
          `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${identifier}' and '${candidate}'`,
        );
      }
      identifier ??= candidate;
    }
  }
  return identifier;
}

function checkUse(tests: ElementTests, modifications: readonly Modification[]): void {
  const used = new Set<string>();
  for (const { path, parts } of modifications) {
    for (const part of parts) {
      const identifier = isFilteredPart(part) ? part.slice(2, -1) : '';
      if (identifier === '') continue;
      if (!tests.has(identifier)) {
        throw badValue(`No array filter found for identifier '${identifier}' in path '${path}'`);
      }
      used.add(identifier);
    }
  }
  for (const identifier of tests.keys()) {
    if (!used.has(identifier)) {
      throw failedToParse(`The array filter for identifier '${identifier}' was not used in the update`);
    }
  }
}

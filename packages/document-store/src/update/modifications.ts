import { badValue, conflictingUpdate, emptyFieldName, failedToParse } from '../errors.ts';
import { type Fields, fieldNames, getField, isArrayIndex, isFields } from '../values/fields.ts';
import { arrayOperators } from './array-operators.ts';
import { fieldOperators, moveFrom } from './field-operators.ts';
import { type Change, describeShort, type UpdateOperator } from './operator.ts';

export interface Modification {
  readonly path: string;
  readonly parts: readonly string[];
  readonly change: Change;
  readonly missing: UpdateOperator['missing'];
  readonly onInsertOnly: boolean;
}

const operators = new Map(Object.entries({ ...fieldOperators, ...arrayOperators }));

/**
 * Reads update operators as modifications, in the order in which MongoDB applies them. Throws
 * FailedToParse for unknown operators, EmptyFieldName, BadValue for misplaced positional parts,
 * ConflictingUpdateOperators (40), and the operators' own errors.
 */
export function readModifications(update: Fields): Modification[] {
  const modifications = fieldNames(update).flatMap((name) => {
    const operands = getField(update, name);
    const operator = operators.get(name);
    if (!operator && name !== '$rename') {
      throw failedToParse(`Unknown modifier: ${name}. Expected a valid update modifier, or a pipeline as an array`);
    }
    if (!isFields(operands))
      throw failedToParse(`${name} takes fields, {${name}: {<field>: …}}, not ${describeShort(operands)}`);
    return fieldNames(operands).flatMap((path) => {
      const operand = getField(operands, path);
      return operator ? modification(path, operand, operator, name === '$setOnInsert') : renaming(path, operand);
    });
  });
  rejectConflicts(modifications, (path, at) => `Updating the path '${path}' would create a conflict at '${at}'`);
  return modifications.sort(comparePaths);
}

function modification(
  path: string,
  operand: unknown,
  { compile, missing }: UpdateOperator,
  onInsertOnly = false,
): Modification {
  const parts = path.split('.');
  if (parts.includes('')) throw emptyFieldName(`The update path '${path}' contains an empty field name.`);
  if (isPositionalPart(parts[0] as string)) throw badValue(`The path '${path}' cannot begin with a positional element`);
  if (parts.indexOf('$') !== parts.lastIndexOf('$')) {
    throw badValue(`Too many positional (i.e. '$') elements found in path '${path}'`);
  }
  return { path, parts, change: compile(operand, path), missing, onInsertOnly };
}

function renaming(from: string, to: unknown): Modification[] {
  if (typeof to !== 'string' || to.includes('\0')) {
    throw badValue(`The 'to' field for $rename must be a string without null bytes: ${from}: ${describeShort(to)}`);
  }
  if (`${to}.`.startsWith(`${from}.`) || `${from}.`.startsWith(`${to}.`)) {
    throw badValue(
      `The source and target field for $rename must differ, and neither may contain the other: ${from}: "${to}"`,
    );
  }
  const [source, target] = [from.split('.'), to.split('.')];
  if ([...source, ...target].some(isPositionalPart))
    throw badValue(`$rename takes no positional parts: ${from}, ${to}`);
  return [
    modification(from, '', fieldOperators.$unset as UpdateOperator),
    modification(to, '', { missing: 'create', compile: () => moveFrom(source, target) }),
  ];
}

/** True for `$`, `$[]`, and `$[identifier]`, which each document resolves. */
export function isPositionalPart(part: string): boolean {
  return part === '$' || isFilteredPart(part);
}

export function isFilteredPart(part: string): boolean {
  return part.startsWith('$[') && part.endsWith(']');
}

export function rejectConflicts(
  modifications: readonly Modification[],
  describe: (path: string, at: string) => string,
): void {
  if (modifications.length < 2) return;
  const kinds = new Map<string, 'leaf' | 'array' | 'object'>();
  for (const { parts } of modifications) {
    for (let length = 1; length <= parts.length; length += 1) {
      const next = parts[length];
      const kind = next === undefined ? 'leaf' : isFilteredPart(next) ? 'array' : 'object';
      const prefix = parts.slice(0, length).join('.');
      const other = kinds.get(prefix);
      if (other && (kind === 'leaf' || other !== kind)) throw conflictingUpdate(describe(parts.join('.'), prefix));
      kinds.set(prefix, kind);
    }
  }
}

/** Compares names as strings and indexes as numbers. A path comes before those below it. */
function comparePaths({ parts: left }: Modification, { parts: right }: Modification): number {
  const at = left.findIndex((part, index) => part !== right[index]);
  const [one, other] = [left[at] ?? '', right[at] ?? ''];
  if (isArrayIndex(one) && isArrayIndex(other)) return Number(one) - Number(other);
  return one < other ? -1 : 1;
}

import { badValue, overflow } from '../errors.ts';
import { type Fields, getField, isFields } from '../values/fields.ts';
import { typeName } from '../values/types.ts';
import { describeId, fieldOperators, setOperator } from './update-fields.ts';
import type { UpdateOperator } from './update-operator.ts';
import { createModification, isFilteredPart, type Modification, nestingDepth } from './update-path.ts';

/**
 * The two halves of `$rename`: the target takes the source's value as it was before the update, the source goes. Nothing
 * happens where the source is missing. Throws BadValue for paths that are no plain paths, or lie in each other.
 */
export function renameModifications(from: string, operand: unknown): Modification[] {
  if (typeof operand !== 'string') {
    throw badValue(`The 'to' field for $rename must be a string: ${from}: ${typeName(operand)}`);
  }
  const to = operand;
  if (to.includes('\0')) throw badValue("The 'to' field for $rename cannot contain an embedded null byte");
  if (from === to) throw badValue(`The source and target field for $rename must differ: ${from}: "${to}"`);
  if (to.startsWith(`${from}.`) || from.startsWith(`${to}.`)) {
    throw badValue(`The source and target field for $rename must not be on the same path: ${from}: "${to}"`);
  }
  const source = from.split('.');
  const target = to.split('.');
  if (source.some(isDynamic)) throw badValue(`The source field for $rename may not be dynamic: ${from}`);
  if (target.some(isDynamic)) throw badValue(`The destination field for $rename may not be dynamic: ${to}`);
  const unset = (fieldOperators.$unset as (operand: unknown, path: string) => UpdateOperator)('', from);
  return [createModification(from, unset), createModification(to, moving(source, target))];
}

function isDynamic(part: string): boolean {
  return part === '$' || isFilteredPart(part);
}

function moving(source: readonly string[], target: readonly string[]): UpdateOperator {
  return {
    creates: true,
    toleratesBlockedPath: false,
    depth: 0,
    applies(document) {
      const exists = follow(document, source, 'source') !== undefined;
      if (exists) follow(document, target, 'destination');
      return exists;
    },
    apply(value, context) {
      const moved = follow(context.document, source, 'source');
      if (target.length + nestingDepth(moved) > 180)
        throw overflow('Document exceeds maximum nested object depth: 180');
      return setOperator(moved).apply(value, context);
    },
  };
}

/** The value at a path on which no array may lie. */
function follow(document: Fields, parts: readonly string[], role: string): unknown {
  let current: unknown = document;
  for (const [index, part] of parts.entries()) {
    if (Array.isArray(current)) {
      throw badValue(
        `The ${role} field cannot be an array element, '${parts.join('.')}' in doc with ${describeId({ document })} has an array field called '${parts[index - 1]}'`,
      );
    }
    if (!isFields(current)) return undefined;
    current = getField(current, part);
  }
  return current;
}

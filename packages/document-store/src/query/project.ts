import type { Document } from 'bson';
import { Variables } from '../aggregate/expression.ts';
import type { Scope } from '../aggregate/scope.ts';
import { locationError, type StoreError } from '../errors.ts';
import { copyFields, type Fields, fieldNames, getField, isFields, setField } from '../values/fields.ts';
import { isNumber, nearestDouble } from '../values/numbers.ts';
import { fieldPathParts } from '../values/path.ts';
import { type Change, FieldTree } from './field-tree.ts';
import { isTruthy } from './match-operators.ts';
import { compileFilter } from './matcher.ts';
import { unavailableMetadata } from './sort.ts';

const POSITIONAL = /(^|\.)\$(\.|$)/;

/**
 * Compiles a projection. The result may share values with the document. `filter` is needed for the
 * positional `path.$`. Throws MongoDB's codes for conflicts (31249 to 31287). The result throws
 * 51246 if the positional operator has no element.
 */
export function compileProjection(
  specification: Document,
  filter?: Document,
  scope: Scope = Variables.of(),
): (document: Document) => Document {
  if (fieldNames(specification).length === 0) return (document) => document;
  const { tree, inclusion, positional } = new ProjectionReader(specification, scope, filter);
  const matcher = positional && compileFilter(filter ?? {}, scope);
  return (document) => {
    const given = matcher
      ? (narrowToMatch(document, positional, 0, matcher.positional(document)) as Document)
      : document;
    scope.frame.begin(document);
    return (inclusion ? tree.include(given, scope.frame) : tree.modify(given, scope.frame)) as Document;
  };
}

class ProjectionReader {
  readonly tree = new FieldTree((path, isThrough) =>
    locationError(isThrough ? 31249 : 31250, `Path collision at ${path.join('.')}`),
  );
  /** True if only the named fields are returned, false if all others are. */
  readonly inclusion: boolean;
  positional: readonly string[] | undefined;
  readonly #scope: Scope;
  readonly #filter: Document | undefined;
  #inclusion: boolean | undefined;
  #idIncluded: boolean | undefined;
  #hasSlice = false;
  #hasElemMatch = false;

  constructor(specification: Document, scope: Scope, filter: Document | undefined) {
    this.#scope = scope;
    this.#filter = filter;
    for (const name of fieldNames(specification)) this.#readField([], name, getField(specification, name));
    this.inclusion = this.#inclusion ?? ((this.#hasElemMatch && !this.#hasSlice) || this.#idIncluded === true);
    if (this.inclusion && !this.tree.has('_id')) this.tree.add(['_id'], (value) => value);
    if (!this.inclusion && this.#idIncluded) this.tree.remove('_id');
  }

  #readField(parents: readonly string[], name: string, operand: unknown): void {
    const flag = typeof operand === 'boolean' || isNumber(operand) ? isTruthy(operand) : undefined;
    if (POSITIONAL.test(name) && isFields(operand)) {
      throw locationError(31271, 'positional projection cannot be used with an expression or sub object');
    }
    if (POSITIONAL.test(name) && flag) this.#readPositional(parents, name);
    else this.#readOperand([...parents, ...fieldPathParts(name)], operand, flag);
  }

  #readOperand(path: readonly string[], operand: unknown, flag: boolean | undefined): void {
    if (isFields(operand)) this.#readDocument(path, operand);
    else if (flag === undefined) this.#compute(path, operand);
    else {
      if (path.length === 1 && path[0] === '_id') this.#idIncluded = flag;
      else this.#decide(flag, flag ? 31253 : 31254, path);
      this.tree.add(path, flag ? (value) => value : () => undefined);
    }
  }

  #readDocument(path: readonly string[], operand: Fields): void {
    const names = fieldNames(operand);
    const [operator = ''] = names;
    if (names.length === 0) {
      throw locationError(51270, 'An empty sub-projection is not a valid value. Found empty object at path');
    }
    if (!operator.startsWith('$')) {
      for (const name of names) this.#readField(path, name, getField(operand, name));
      return;
    }
    if (names.length > 1) throw locationError(31325, `Unknown expression ${operator}`);
    const argument = getField(operand, operator);
    if (operator === '$meta') throw unavailableMetadata(argument);
    if (operator === '$elemMatch') this.#readElemMatch(path, argument, operand);
    else if (operator === '$slice' && !isExpressionSlice(argument)) {
      this.tree.add(path, compileSlice(argument));
      this.#hasSlice = true;
    } else this.#compute(path, operand);
  }

  #compute(path: readonly string[], operand: unknown): void {
    this.#decide(true, 31310, path);
    const expression = this.#scope.compile(operand);
    this.tree.add(path, (_value, frame) => expression(frame), true);
  }

  #readElemMatch(path: readonly string[], argument: unknown, operand: Fields): void {
    if (!isFields(argument)) throw locationError(31274, 'elemMatch: Invalid argument, object required');
    if (this.positional) throw locationError(31255, 'Cannot specify positional operator and $elemMatch.');
    if (path.length > 1) throw locationError(31275, 'Cannot use $elemMatch projection on a nested field.');
    const filter = compileFilter({ array: operand });
    const change: Change = (array) => {
      const index = Array.isArray(array) ? filter.positional({ array }) : undefined;
      return index === undefined ? undefined : [(array as unknown[])[index]];
    };
    this.tree.add(path, change, true);
    this.#hasElemMatch = true;
  }

  #readPositional(parents: readonly string[], name: string): void {
    if (this.positional) throw locationError(31276, 'Cannot specify more than one positional projection per query.');
    if (this.#hasElemMatch) throw locationError(31256, 'Cannot specify positional operator and $elemMatch.');
    const end = POSITIONAL.exec(name) as RegExpExecArray;
    const rest = name.slice(end.index + end[0].length);
    if (POSITIONAL.test(rest)) throw locationError(31287, `Cannot use positional operator twice: ${name}`);
    if (name.endsWith('.$.')) throw locationError(31270, "Path cannot end with '.$.'");
    const path = [...parents, ...fieldPathParts(name.slice(0, end.index))];
    if (!this.#filter) throw locationError(51050, 'Projections with a positional operator require a matcher');
    if (!hasCondition(this.#filter, path[0] as string)) {
      throw locationError(31277, `Positional projection '${name}' does not match the query document.`);
    }
    this.#decide(true, 31253, path);
    this.tree.add(path, (value) => value);
    this.positional = path;
  }

  #decide(inclusion: boolean, code: number, path: readonly string[]): void {
    this.#inclusion ??= inclusion;
    if (this.#inclusion === inclusion) return;
    const [kind, other] = inclusion ? ['inclusion', 'exclusion'] : ['exclusion', 'inclusion'];
    throw locationError(code, `Cannot do ${kind} on field ${path.join('.')} in ${other} projection`);
  }
}

/** `[array, …]` is the expression. A number or `[skip, limit]` is the projection operator. */
function isExpressionSlice(argument: unknown): boolean {
  if (!Array.isArray(argument)) return false;
  const [first] = argument;
  return (typeof first === 'string' && first.startsWith('$')) || Array.isArray(first) || isFields(first);
}

function compileSlice(argument: unknown): Change {
  const isPair = Array.isArray(argument);
  if (isPair && argument.length !== 2) {
    throw locationError(31272, '$slice array argument should be of form [skip, limit]');
  }
  const [skip, limit] = isPair ? [sliceNumber(argument[0], 31257), sliceNumber(argument[1], 31258)] : [];
  if (limit !== undefined && limit <= 0) throw locationError(31259, `$slice limit must be positive, got ${limit}`);
  const count = limit ?? sliceNumber(argument, 31273);
  return (value) => {
    if (!Array.isArray(value)) return value;
    if (skip === undefined) return count < 0 ? value.slice(count) : value.slice(0, count);
    const start = skip < 0 ? Math.max(0, value.length + skip) : skip;
    return value.slice(start, start + count);
  };
}

function sliceNumber(value: unknown, code: number): number {
  const number = nearestDouble(value);
  if (number === undefined) throw locationError(code, '$slice takes numbers: a limit, or [skip, limit]');
  return Math.trunc(number) || 0;
}

function hasCondition(filter: Fields, field: string): boolean {
  return fieldNames(filter).some((name) => {
    const operand = getField(filter, name);
    if (!name.startsWith('$')) return name.split('.')[0] === field;
    return Array.isArray(operand) && operand.some((clause) => isFields(clause) && hasCondition(clause, field));
  });
}

/** Reduces the first array on the positional path to the element that matched. */
function narrowToMatch(value: unknown, parts: readonly string[], next: number, index: number | undefined): unknown {
  if (Array.isArray(value)) {
    if (index !== undefined && index < value.length) return [value[index]];
    throw positionalMismatch(index);
  }
  const part = parts[next];
  if (part === undefined || !isFields(value)) return value;
  const child = getField(value, part);
  const narrowed = narrowToMatch(child, parts, next + 1, index);
  return narrowed === child ? value : setField(copyFields(value), part, narrowed);
}

function positionalMismatch(index: number | undefined): StoreError {
  if (index !== undefined) return locationError(51247, "positional operator '.$' element mismatch");
  return locationError(51246, "positional operator '.$' couldn't find a matching element in the array");
}

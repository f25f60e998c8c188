import type { Document } from 'bson';
import { locationError } from '../errors.ts';
import { copyFields, type Fields, fieldNames, getField, isFields, removeField, setField } from '../values/fields.ts';
import { compileFilter } from './matcher.ts';
import { type ParsedProjection, type ProjectionNode, parseProjection } from './project-parser.ts';

/**
 * Compiles a `find` projection: inclusion or exclusion, nested and dotted paths, `$slice`, `$elemMatch`, constants, and the
 * positional `path.$`, which takes the array element by which `filter` matched. The result never changes its argument
 * and may share values with it.
 *
 * Throws at once for mixes and collisions with MongoDB's codes (31249 to 31287), CommandNotSupported (115) for aggregation
 * expressions; when applied, 51246 where the positional operator has no element.
 */
export function compileProjection(specification: Document, filter?: Document): (document: Document) => Document {
  if (fieldNames(specification).length === 0) return (document) => document;
  const projection = parseProjection(specification, filter);
  const narrow = projection.positional ? narrower(projection.positional, filter ?? {}) : undefined;
  const shape = projection.inclusion ? include : exclude;
  return (document) => shape(narrow ? narrow(document) : document, projection.root) as Document;
}

type Branch = ParsedProjection['root'];

/** Fields that are named, in the document's order; then elemMatch results and constants, in the projection's. */
function include(document: Fields, { children }: Branch): Fields {
  let result: Fields = document instanceof Map ? new Map() : {};
  for (const name of fieldNames(document)) {
    const node = children.get(name);
    if (!node || node.kind === 'elemMatch' || node.kind === 'constant') continue;
    const value = includeValue(getField(document, name), node);
    if (value !== undefined) result = setField(result, name, value);
  }
  for (const [name, node] of children) {
    if (node.kind === 'constant') result = setField(result, name, node.value);
    if (node.kind !== 'elemMatch') continue;
    const value = firstMatch(getField(document, name), node);
    if (value !== undefined) result = setField(result, name, value);
  }
  return result;
}

function includeValue(value: unknown, node: ProjectionNode): unknown {
  switch (node.kind) {
    case 'include':
      return value;
    case 'slice':
      return slice(value, node);
    case 'branch':
      if (isFields(value)) return include(value, node);
      if (!Array.isArray(value)) return node.hasConstant ? include({}, node) : undefined;
      return value.map((element) => includeValue(element, node)).filter((element) => element !== undefined);
    default:
      return undefined;
  }
}

function exclude(document: Fields, { children }: Branch): Fields {
  let result = copyFields(document);
  for (const [name, node] of children) {
    const value = getField(document, name);
    if (value === undefined) continue;
    const kept = excludeValue(value, node);
    if (kept === undefined) removeField(result, name);
    else if (kept !== value) result = setField(result, name, kept);
  }
  return result;
}

function excludeValue(value: unknown, node: ProjectionNode): unknown {
  switch (node.kind) {
    case 'exclude':
      return undefined;
    case 'slice':
      return slice(value, node);
    case 'elemMatch':
      return firstMatch(value, node);
    case 'branch':
      if (isFields(value)) return exclude(value, node);
      return Array.isArray(value) ? value.map((element) => excludeValue(element, node)) : value;
    default:
      return value;
  }
}

function slice(value: unknown, { skip, limit }: ProjectionNode & { kind: 'slice' }): unknown {
  if (!Array.isArray(value)) return value;
  if (skip === undefined) return limit < 0 ? value.slice(limit) : value.slice(0, limit);
  const start = skip < 0 ? Math.max(0, value.length + skip) : skip;
  return value.slice(start, start + limit);
}

function firstMatch(value: unknown, { test }: ProjectionNode & { kind: 'elemMatch' }): unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const index = test(value);
  return index === undefined ? undefined : [value[index]];
}

/** Cuts the first array on the positional path down to the element by which the query matched. */
function narrower(parts: readonly string[], filter: Document): (document: Document) => Document {
  const matcher = compileFilter(filter);
  return (document) => {
    const index = matcher.positional(document);
    return narrow(document, parts, 0, index) as Document;
  };
}

function narrow(value: unknown, parts: readonly string[], next: number, index: number | undefined): unknown {
  if (Array.isArray(value)) {
    if (index === undefined) throw badPosition();
    if (index >= value.length) throw locationError(51247, "positional operator '.$' element mismatch");
    return [value[index]];
  }
  const part = parts[next];
  if (part === undefined || !isFields(value)) return value;
  const child = getField(value, part);
  const narrowed = narrow(child, parts, next + 1, index);
  return narrowed === child ? value : setField(copyFields(value), part, narrowed);
}

function badPosition(): Error {
  return locationError(
    51246,
    "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
  );
}

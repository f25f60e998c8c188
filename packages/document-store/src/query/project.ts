import type { Document } from 'bson';
import type { Frame, Scope } from '../aggregate/operator.ts';
import { locationError } from '../errors.ts';
import { copyFields, type Fields, fieldNames, getField, isFields, removeField, setField } from '../values/fields.ts';
import { compileFilter } from './matcher.ts';
import { Projection, type ProjectionBranch, type ProjectionNode } from './project-parser.ts';

/**
 * Compiles a `find` projection: inclusion or exclusion, nested and dotted paths, `$slice`, `$elemMatch`, aggregation expressions
 * and constants, and the positional `path.$`, which takes the array element by which `filter` matched. The result
 * never changes its argument and may share values with it. `scope` has the command's variables.
 *
 * Throws at once for mixes and collisions with MongoDB's codes (31249 to 31287); when applied, 51246 where the positional operator
 * has no element.
 */
export function compileProjection(
  specification: Document,
  filter?: Document,
  scope?: Scope,
): (document: Document) => Document {
  if (fieldNames(specification).length === 0) return (document) => document;
  const { root, inclusion, positional, scope: used } = new Projection(specification, filter, scope);
  const narrowed = positional ? narrower(positional, filter ?? {}, used) : undefined;
  if (!inclusion) return (document) => exclude(document, root) as Document;
  return (document) => {
    if (root.computes) used.frame.begin(document);
    return include(narrowed ? narrowed(document) : document, root, used.frame) as Document;
  };
}

/** Fields that are named, in the document's order; then elemMatch results and what is computed, in the projection's. */
function include(document: Fields, { children }: ProjectionBranch, frame: Frame): Fields {
  let result: Fields = document instanceof Map ? new Map() : {};
  for (const name of fieldNames(document)) {
    const node = children.get(name);
    if (!node || node.kind === 'elemMatch' || node.kind === 'computed') continue;
    const value = includeValue(getField(document, name), node, frame);
    if (value !== undefined) result = setField(result, name, value);
  }
  for (const [name, node] of children) {
    let value: unknown;
    if (node.kind === 'computed') value = node.compute(frame);
    else if (node.kind === 'elemMatch') value = firstMatch(getField(document, name), node);
    else if (node.kind === 'branch' && node.computes && getField(result, name) === undefined) {
      value = include({}, node, frame);
    }
    if (value !== undefined) result = setField(result, name, value);
  }
  return result;
}

function includeValue(value: unknown, node: ProjectionNode, frame: Frame): unknown {
  if (node.kind === 'include') return value;
  if (node.kind === 'slice') return slice(value, node);
  if (node.kind !== 'branch') return undefined;
  if (isFields(value)) return include(value, node, frame);
  if (!Array.isArray(value)) return node.computes ? include({}, node, frame) : undefined;
  return value.map((element) => includeValue(element, node, frame)).filter((element) => element !== undefined);
}

function exclude(document: Fields, { children }: ProjectionBranch): Fields {
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
  if (node.kind === 'exclude') return undefined;
  if (node.kind === 'slice') return slice(value, node);
  if (node.kind === 'elemMatch') return firstMatch(value, node);
  if (node.kind !== 'branch') return value;
  if (isFields(value)) return exclude(value, node);
  return Array.isArray(value) ? value.map((element) => excludeValue(element, node)) : value;
}

function slice(value: unknown, { skip, limit }: ProjectionNode & { kind: 'slice' }): unknown {
  if (!Array.isArray(value)) return value;
  if (skip === undefined) return limit < 0 ? value.slice(limit) : value.slice(0, limit);
  const start = skip < 0 ? Math.max(0, value.length + skip) : skip;
  return value.slice(start, start + limit);
}

function firstMatch(value: unknown, { test }: ProjectionNode & { kind: 'elemMatch' }): unknown[] | undefined {
  const index = Array.isArray(value) ? test(value) : undefined;
  return index === undefined ? undefined : [(value as unknown[])[index]];
}

/** Cuts the first array on the positional path down to the element by which the query matched. */
function narrower(parts: readonly string[], filter: Document, scope: Scope): (document: Document) => Document {
  const matcher = compileFilter(filter, scope);
  return (document) => narrow(document, parts, 0, matcher.positional(document)) as Document;
}

function narrow(value: unknown, parts: readonly string[], next: number, index: number | undefined): unknown {
  if (Array.isArray(value)) {
    if (index === undefined) {
      throw locationError(
        51246,
        "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
      );
    }
    if (index >= value.length) throw locationError(51247, "positional operator '.$' element mismatch");
    return [value[index]];
  }
  const part = parts[next];
  if (part === undefined || !isFields(value)) return value;
  const child = getField(value, part);
  const narrowed = narrow(child, parts, next + 1, index);
  return narrowed === child ? value : setField(copyFields(value), part, narrowed);
}

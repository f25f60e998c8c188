import { type Document, ObjectId } from 'bson';
import type { Scope } from '../aggregate/scope.ts';
import { compileUpdatePipeline } from '../aggregate/transforms.ts';
import { dollarPrefixedFieldName, failedToParse, immutableField } from '../errors.ts';
import { describeValue } from '../values/describe-value.ts';
import { type Fields, fieldNames, getField, isFields, setField } from '../values/fields.ts';
import { equalValues, identicalValues } from '../values/order.ts';
import { readModifications } from './modifications.ts';
import { compileArrayFilters, resolvePaths } from './positional.ts';
import { seedDocument } from './upsert.ts';
import { UpdateWriter } from './writer.ts';

export interface UpdateOptions {
  arrayFilters?: unknown;
  filter?: Document;
  scope?: Scope | undefined;
}

interface ApplyOptions {
  /** True for an upsert: `$setOnInsert` applies, and a missing `_id` is added. */
  isInsert: boolean;
  positional?: number | undefined;
}

interface CompiledUpdate {
  readonly isReplacement: boolean;
  readonly usesPositional: boolean;
  /**
   * Returns the updated document, or the argument itself if `changed` is false. Does not modify the
   * argument, but may share values with it and with the update.
   */
  apply(document: Document, options: ApplyOptions): { doc: Document; changed: boolean };
  seed(): Document;
}

type Apply = (document: Fields, options: ApplyOptions) => Fields;

/**
 * Compiles operators, a replacement, or a pipeline. Throws FailedToParse, BadValue, TypeMismatch,
 * and ConflictingUpdateOperators (40) for malformed updates. `apply` throws ImmutableField (66),
 * DollarPrefixedFieldName (52), PathNotViable (28), and the operators' own errors.
 */
export function compileUpdate(update: unknown, options: UpdateOptions = {}): CompiledUpdate {
  const isReplacement = isFields(update) && !fieldNames(update)[0]?.startsWith('$');
  const { apply, usesPositional } = compileKind(update, isReplacement, options);
  return {
    isReplacement,
    usesPositional,
    apply(document, applied) {
      const after = apply(document, applied);
      const doc = applied.isInsert ? withId(after) : (after as Document);
      return { doc, changed: applied.isInsert || doc !== document };
    },
    seed: () => seedDocument(options.filter ?? {}, isReplacement) as Document,
  };
}

function compileKind(
  update: unknown,
  isReplacement: boolean,
  { arrayFilters, scope }: UpdateOptions,
): { apply: Apply; usesPositional: boolean } {
  if (isFields(update) && !isReplacement) return compileOperators(update, arrayFilters);
  const kind = isReplacement ? 'replacement' : 'pipeline';
  if (Array.isArray(arrayFilters) && arrayFilters.length > 0) {
    throw failedToParse(`arrayFilters may not be specified for ${kind}-style updates`);
  }
  if (isFields(update)) return { apply: compileReplacement(update), usesPositional: false };
  if (!Array.isArray(update)) throw failedToParse('Update argument must be either an object or an array');
  const transform = compileUpdatePipeline(update, scope);
  return { apply: (document) => replace(document, transform(document as Document)), usesPositional: false };
}

function compileOperators(update: Fields, arrayFilters: unknown): { apply: Apply; usesPositional: boolean } {
  const onInsert = readModifications(update);
  const onUpdate = onInsert.filter((modification) => !modification.onInsertOnly);
  const elementTests = compileArrayFilters(arrayFilters, onInsert, update);
  return {
    usesPositional: onInsert.some(({ parts }) => parts.includes('$')),
    apply(document, { isInsert, positional }) {
      const writer = new UpdateWriter(document);
      const context = { path: '', document, now: new Date() };
      for (const target of resolvePaths(document, isInsert ? onInsert : onUpdate, positional, elementTests)) {
        context.path = target.parts.join('.');
        if (writer.write(target, context)) checkChange(document, writer.document, target.parts, isInsert);
      }
      return writer.document;
    },
  };
}

function checkChange(before: Fields, after: Fields, parts: readonly string[], isInsert: boolean): void {
  const name = parts[0] as string;
  if (name === '_id' && getField(before, '_id') !== undefined) {
    throw immutableField(
      `Performing an update on the path '${parts.join('.')}' would modify the immutable field '_id'`,
    );
  }
  const isPlaced = getField(after, name) !== undefined && (parts.length === 1 || getField(before, name) === undefined);
  if (isPlaced && !isInsert) rejectDollarField(name);
}

/** Top-level names may start with a dollar sign in inserts, but not in updates. */
function rejectDollarField(name: string): void {
  if (!name.startsWith('$')) return;
  throw dollarPrefixedFieldName(`The dollar ($) prefixed field '${name}' is not allowed in an updated document.`);
}

function compileReplacement(replacement: Fields): Apply {
  return (document, { isInsert }) => {
    if (!isInsert) fieldNames(replacement).forEach(rejectDollarField);
    return replace(document, replacement);
  };
}

/** Returns the replacement with the document's `_id`, or the document itself if nothing changes. */
function replace(document: Fields, replacement: Fields): Fields {
  const id = getField(document, '_id');
  const newId = getField(replacement, '_id');
  if (newId !== undefined && id !== undefined && !equalValues(newId, id)) {
    throw immutableField(
      `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${describeValue(newId)}`,
    );
  }
  if (id === undefined) return replacement;
  const result = withId(replacement, id);
  return identicalValues(document, result) ? document : result;
}

/** Returns the document with `_id` first, copying it if needed. Creates a missing `_id`. */
export function withId(document: Fields, id: unknown = getField(document, '_id')): Document {
  const names = fieldNames(document);
  if (id !== undefined && names[0] === '_id' && getField(document, '_id') === id) return document as Document;
  let result = setField({}, '_id', id === undefined ? new ObjectId() : id);
  for (const name of names) if (name !== '_id') result = setField(result, name, getField(document, name));
  return result as Document;
}

import { type Document, ObjectId } from 'bson';
import type { Scope } from '../aggregate/scope.ts';
import { compileUpdatePipeline } from '../aggregate/shape.ts';
import { dollarPrefixedFieldName, failedToParse, immutableField } from '../errors.ts';
import { describeValue } from '../values/describe-value.ts';
import { type Fields, fieldNames, getField, isFields, setField } from '../values/fields.ts';
import { identicalValues } from '../values/identical.ts';
import { equalValues } from '../values/order.ts';
import { readModifications } from './modifications.ts';
import { compileArrayFilters, resolvePaths } from './positional.ts';
import { seedDocument } from './upsert.ts';
import { UpdateWriter } from './writer.ts';

/** What an update is compiled with besides its own document. */
export interface UpdateOptions {
  arrayFilters?: unknown;
  /** The query of the update, from which `seed` takes its fields. */
  filter?: Document;
  /** The variables that a pipeline may name. */
  scope?: Scope | undefined;
}

/** How one document is updated. */
export interface ApplyOptions {
  /** Whether the document is the seed of an upsert: `$setOnInsert` applies, and `_id` is added where it is missing. */
  isInsert: boolean;
  /** The index that `$` stands for, from the filter's `positional`. */
  positional?: number | undefined;
}

/** A compiled update. */
export interface CompiledUpdate {
  /** Whether the update is a whole document, and not operators or a pipeline. */
  readonly isReplacement: boolean;
  /** Whether a path has the `$` for which `apply` needs the filter's `positional`. */
  readonly usesPositional: boolean;
  /**
   * The document after the update; the argument is not changed, and where `changed` is false it is the result itself. The result
   * may share values with the argument and with the update.
   */
  apply(document: Document, options: ApplyOptions): { doc: Document; changed: boolean };
  /** The document to which an upsert applies the update. */
  seed(): Document;
}

type Apply = (document: Fields, options: ApplyOptions) => Fields;

/**
 * Compiles an update with operators, a replacement, or a pipeline. Throws FailedToParse, BadValue, TypeMismatch and
 * ConflictingUpdateOperators (40) for malformed updates, and what malformed stages throw. `apply` throws ImmutableField (66)
 * for a change of `_id`, DollarPrefixedFieldName (52), PathNotViable (28), and the operators' own errors.
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
  if (isPlaced && !isInsert) refuseDollar(name);
}

/** Fields of a document itself may begin with a dollar where it is inserted, not where it is updated. */
function refuseDollar(name: string): void {
  if (!name.startsWith('$')) return;
  throw dollarPrefixedFieldName(`The dollar ($) prefixed field '${name}' is not allowed in an updated document.`);
}

function compileReplacement(replacement: Fields): Apply {
  return (document, { isInsert }) => {
    if (!isInsert) fieldNames(replacement).forEach(refuseDollar);
    return replace(document, replacement);
  };
}

/** The replacement with the document's own `_id`; the document itself where they are the same. */
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

/** The document with this `_id` as its first field, copied where that is not so; its own or else a new one if none is given. */
export function withId(document: Fields, id: unknown = getField(document, '_id')): Document {
  const names = fieldNames(document);
  if (id !== undefined && names[0] === '_id' && getField(document, '_id') === id) return document as Document;
  let result = setField({}, '_id', id === undefined ? new ObjectId() : id);
  for (const name of names) if (name !== '_id') result = setField(result, name, getField(document, name));
  return result as Document;
}

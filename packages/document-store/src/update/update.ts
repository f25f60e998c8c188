import { type Document, ObjectId } from 'bson';
import { dollarPrefixedFieldName, failedToParse, immutableField, notSupported } from '../errors.ts';
import { describeValue } from '../values/describe-value.ts';
import { type Fields, fieldNames, getField, isFields, setField } from '../values/fields.ts';
import { identicalValues } from '../values/identical.ts';
import { equalValues } from '../values/order.ts';
import { typeName } from '../values/types.ts';
import { compileArrayFilters } from './array-filters.ts';
import { arrayOperators } from './update-arrays.ts';
import { fieldOperators } from './update-fields.ts';
import {
  createModification,
  type ElementTests,
  type Modification,
  orderModifications,
  resolveTargets,
} from './update-path.ts';
import { renameModifications } from './update-rename.ts';
import { UpdateWriter } from './update-writer.ts';
import { seedDocument } from './upsert.ts';

/** What an update is compiled with besides its own document. */
export interface UpdateOptions {
  arrayFilters?: unknown;
  /** The query of the update, from which `seed` takes its fields. */
  filter?: Document;
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
  /**
   * The document after the update; the argument is not changed, and where `changed` is false it is the result itself. The result
   * may share values with the argument and with the update.
   */
  apply(document: Document, options: ApplyOptions): { doc: Document; changed: boolean };
  /** The document to which an upsert applies the update. */
  seed(): Document;
}

/**
 * Compiles an update with operators, or a replacement. Throws FailedToParse, BadValue, TypeMismatch, DollarPrefixedFieldName and
 * ConflictingUpdateOperators (40) for malformed updates, CommandNotSupported (115) for pipelines. `apply` throws
 * ImmutableField (66) for a change of `_id`, PathNotViable (28), and the operators' own errors.
 */
export function compileUpdate(update: unknown, options: UpdateOptions = {}): CompiledUpdate {
  if (Array.isArray(update)) throw notSupported('Update pipelines are not supported by this store');
  if (!isFields(update)) throw failedToParse('Update argument must be either an object or an array');
  const isReplacement = !fieldNames(update)[0]?.startsWith('$');
  if (isReplacement && Array.isArray(options.arrayFilters) && options.arrayFilters.length > 0) {
    throw failedToParse('Cannot use arrayFilters with a replacement-style update');
  }
  return {
    apply: isReplacement ? compileReplacement(update) : compileOperators(update, options.arrayFilters),
    seed: () => seedDocument(options.filter ?? {}, isReplacement) as Document,
  };
}

function compileOperators(update: Fields, arrayFilters: unknown): CompiledUpdate['apply'] {
  const onInsertOnly = new Set<Modification>();
  const modifications: Modification[] = [];
  for (const operator of fieldNames(update)) {
    for (const modification of parseOperator(operator, getField(update, operator))) {
      modifications.push(modification);
      if (operator === '$setOnInsert') onInsertOnly.add(modification);
    }
  }
  const onInsert = orderModifications(modifications);
  const onUpdate = onInsert.filter((modification) => !onInsertOnly.has(modification));
  const elementTests = compileArrayFilters(arrayFilters, modifications);
  return (document, { isInsert, positional }) => {
    const doc = applyModifications(document, isInsert ? onInsert : onUpdate, positional, elementTests);
    return { doc: (isInsert ? withId(doc) : doc) as Document, changed: isInsert || doc !== document };
  };
}

function parseOperator(operator: string, operands: unknown): Modification[] {
  const make = Object.hasOwn(fieldOperators, operator) ? fieldOperators[operator] : arrayOperators[operator];
  if (operator !== '$rename' && (!make || !operator.startsWith('$'))) {
    throw failedToParse(
      `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
    );
  }
  if (!isFields(operands)) {
    throw failedToParse(
      `Modifiers operate on fields but we found type ${typeName(operands)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ${describeValue(operands).slice(0, 200)}}`,
    );
  }
  return fieldNames(operands).flatMap((path) => {
    const operand = getField(operands, path);
    return make ? [createModification(path, make(operand, path))] : renameModifications(path, operand);
  });
}

function applyModifications(
  document: Fields,
  modifications: readonly Modification[],
  positional: number | undefined,
  elementTests: ElementTests,
): Fields {
  const writer = new UpdateWriter(document);
  const context = { path: '', document, now: new Date() };
  for (const target of resolveTargets(document, modifications, positional, elementTests)) {
    if (target.operator.applies?.(document) === false) continue;
    context.path = target.parts.join('.');
    writer.write(target, context);
  }
  if (writer.document !== document) refuseChangedId(document, writer.document);
  return writer.document;
}

function refuseChangedId(before: Fields, after: Fields): void {
  const id = getField(before, '_id');
  const newId = getField(after, '_id');
  if (id === newId || id === undefined || (newId !== undefined && identicalValues(id, newId))) return;
  throw immutableField("Performing an update on the path '_id' would modify the immutable field '_id'");
}

function compileReplacement(replacement: Fields): CompiledUpdate['apply'] {
  for (const name of fieldNames(replacement)) {
    if (name.startsWith('$')) {
      throw dollarPrefixedFieldName(
        `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
    }
  }
  const ownId = getField(replacement, '_id');
  return (document, { isInsert }) => {
    const id = getField(document, '_id') ?? ownId;
    if (ownId !== undefined && !equalValues(ownId, id)) {
      throw immutableField(
        `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${describeValue(ownId)}`,
      );
    }
    const doc = withId(replacement, id);
    const changed = isInsert || !identicalValues(document, doc);
    return { doc: (changed ? doc : document) as Document, changed };
  };
}

/** A copy with `_id` as the first field; a new ObjectId where there is none. */
function withId(document: Fields, id: unknown = getField(document, '_id')): Fields {
  const names = fieldNames(document);
  if (names[0] === '_id' && getField(document, '_id') === id) return document;
  let result = setField({}, '_id', id === undefined ? new ObjectId() : id);
  for (const name of names) if (name !== '_id') result = setField(result, name, getField(document, name));
  return result;
}

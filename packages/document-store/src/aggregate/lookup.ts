import { type Document, Int32 } from 'bson';
import { failedToParse, locationError } from '../errors.ts';
import { planQuery } from '../plan/planner.ts';
import { Candidate, type Portions, portionsOf, type Source, sourceOf } from '../plan/scan.ts';
import { MAX_DOCUMENT_BYTES } from '../values/codec.ts';
import { type Fields, isFields } from '../values/fields.ts';
import { typeOrder } from '../values/order.ts';
import { compilePath, fieldPathParts, type Path, visitPath } from '../values/path.ts';
import { FieldHash } from './field-hash.ts';
import { bindVariables, namedArguments } from './operator.ts';
import type { CompiledPipeline, PipelineContext, Stage } from './stage.ts';
import { withPath } from './unwind.ts';

const NAMES = ['from', 'as', 'localField?', 'foreignField?', 'let?', 'pipeline?'];

/** `$lookup`: by equality of two fields, by a pipeline with variables, or by both. */
export function compileLookup(
  argument: unknown,
  context: PipelineContext,
  compile: (stages: unknown, context: PipelineContext) => CompiledPipeline,
): Stage {
  const given = namedArguments(argument, '$lookup', NAMES, [4569, 9, 9]);
  const text = (name: string): string => {
    const value = given.get(name);
    if (typeof value === 'string') return value;
    throw failedToParse(`$lookup argument '${name}' must be a string`);
  };
  const byFields = given.has('localField');
  if (byFields !== given.has('foreignField') || !(byFields || given.has('pipeline'))) {
    throw failedToParse("$lookup requires both or neither of 'localField' and 'foreignField', or a 'pipeline'");
  }
  const [from, as] = [text('from'), fieldPathParts(text('as'))];
  const local = byFields ? compilePath(text('localField')) : undefined;
  const foreign = byFields ? compilePath(text('foreignField')) : undefined;
  if (foreign) fieldPathParts(foreign.text);
  const letFields = given.get('let') ?? {};
  if (!isFields(letFields)) throw failedToParse("$lookup argument 'let' must be an object");
  const variables = bindVariables(letFields, context.scope);
  const pipeline = compile(given.get('pipeline') ?? [], { ...context, scope: variables.scope, collection: from });
  const { store, database, scope } = context;
  return (source) => sourceOf(lookUp(source));

  function* lookUp(source: Source): Portions {
    const collection = store.catalog.find(database, from);
    let hash: FieldHash | undefined;
    let mayHash = foreign && planQuery(collection, equalityFilter([new Int32(0)], foreign), []).kind === 'collection';
    for (const portion of portionsOf(source)) {
      for (const { document } of portion) {
        const values = local && valuesAt(document, local);
        if (mayHash && foreign && !hash) {
          hash = yield* FieldHash.read(store.openQuery(collection, { filter: {} }).source, foreign);
          mayHash = hash !== undefined;
        }
        scope.frame.begin(document);
        variables.bind(scope.frame);
        const found =
          values && hash
            ? pipeline.apply(sourceOf(hash.find(values)))
            : pipeline.open(values && foreign && equalityFilter(values, foreign));
        const documents: Document[] = [];
        let bytes = 0;
        for (const part of portionsOf(found)) {
          for (const candidate of part) {
            bytes += candidate.bytes.length;
            documents.push(candidate.document);
          }
          if (bytes > MAX_DOCUMENT_BYTES) {
            const size = `exceeds ${MAX_DOCUMENT_BYTES} bytes`;
            throw locationError(4568, `Total size of documents in ${from} matching pipeline's $lookup stage ${size}`);
          }
          yield [];
        }
        yield [Candidate.of(withPath(document, as, documents) as Document)];
      }
    }
  }
}

/** The values of a field, each of which the foreign field may equal; an absent one counts as null. */
function valuesAt(document: Fields, path: Path): unknown[] {
  const values: unknown[] = [];
  visitPath(document, path, true, (value) => {
    if (!Array.isArray(value)) values.push(value ?? null);
    return false;
  });
  return values;
}

const REGEX = typeOrder(/x/);

function equalityFilter(values: readonly unknown[], { text }: Path): Document {
  if (values.length === 1) return { [text]: { $eq: values[0] } };
  // In a list, regular expressions would be patterns.
  if (!values.some((value) => typeOrder(value) === REGEX)) return { [text]: { $in: values } };
  return { $or: values.map((value) => ({ [text]: { $eq: value } })) };
}

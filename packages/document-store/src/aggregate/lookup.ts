import type { Document } from 'bson';
import { failedToParse, locationError } from '../errors.ts';
import { type Candidate, type Portions, portionsOf, type Source, sourceOf } from '../plan/scan.ts';
import { MAX_DOCUMENT_BYTES } from '../values/codec.ts';
import { type Fields, fieldNames, getField, isFields } from '../values/fields.ts';
import { typeOrder } from '../values/order.ts';
import { compilePath, fieldPathParts, type Path, visitPath } from '../values/path.ts';
import { namedArguments, type Scope } from './operator.ts';
import type { CompiledPipeline, PipelineContext } from './stage.ts';
import { checkHeld, portioned } from './stage.ts';
import { withPath } from './unwind.ts';

/** `$lookup`: by equality of two fields, by a pipeline with variables, or by both. */
export function compileLookup(
  argument: unknown,
  context: PipelineContext,
  compile: (stages: unknown, context: PipelineContext) => CompiledPipeline,
): (source: Source) => Source {
  const names = ['from?', 'as', 'localField?', 'foreignField?', 'let?', 'pipeline?'];
  const given = namedArguments(argument, '$lookup', names, [4569, 9, 9]);
  for (const name of ['from', 'as', 'localField', 'foreignField']) {
    if (given.has(name) && typeof given.get(name) !== 'string') {
      throw failedToParse(`$lookup argument '${name}' must be a string`);
    }
  }
  const text = (name: string): string | undefined => given.get(name) as string | undefined;
  const [from, local, foreign] = [text('from'), text('localField'), text('foreignField')];
  if (from === undefined)
    throw failedToParse("must specify 'pipeline' when 'from' is empty, and this server needs 'from'");
  if ((local === undefined) !== (foreign === undefined) || (local === undefined && !given.has('pipeline'))) {
    throw failedToParse(
      "$lookup requires both or neither of 'localField' and 'foreignField' to be specified, or a 'pipeline'",
    );
  }
  const variables = readVariables(given.get('let'), context.scope);
  const pipeline = compile(given.get('pipeline') ?? [], { ...context, scope: variables.scope, collection: from });
  const put = withPath(fieldPathParts(text('as') as string));
  const paths = local === undefined ? undefined : { local: compilePath(local), foreign: foreign as string };
  if (foreign !== undefined) fieldPathParts(foreign);
  return (source) => sourceOf(lookUp(source));

  function* lookUp(source: Source): Portions {
    for (const portion of portionsOf(source)) {
      for (const { document } of portion) {
        variables.bind(document);
        const filter = paths && equalityFilter(document, paths.local, paths.foreign);
        const found: Document[] = [];
        let bytes = 0;
        for (const part of portionsOf(pipeline.open(filter))) {
          for (const candidate of part) {
            bytes += candidate.bytes.length;
            found.push(candidate.document);
          }
          if (bytes > MAX_DOCUMENT_BYTES) {
            throw locationError(
              4568,
              `Total size of documents in ${from} matching pipeline's $lookup stage exceeds ${MAX_DOCUMENT_BYTES} bytes`,
            );
          }
          yield [];
        }
        yield* portioned([put(document, found)]);
      }
    }
  }
}

/** The variables of `let`: the scope that has them, and how a document gives them their values. */
function readVariables(argument: unknown, scope: Scope): { scope: Scope; bind: (document: unknown) => void } {
  if (argument === undefined) return { scope, bind: () => undefined };
  if (!isFields(argument)) throw failedToParse("$lookup argument 'let' must be an object");
  let inner = scope;
  const bindings = fieldNames(argument).map((name) => {
    const expression = scope.compile(getField(argument, name));
    const bound = inner.with(name);
    inner = bound.scope;
    return { expression, slot: bound.slot };
  });
  const bind = (document: unknown): void => {
    scope.frame.begin(document);
    for (const { expression, slot } of bindings) scope.frame.bind(slot, expression(scope.frame));
  };
  return { scope: inner, bind };
}

const REGEX = typeOrder(/x/);

/** What the foreign field has to equal: one of the local field's values, of which an absent one counts as null. */
function equalityFilter(document: Fields, local: Path, foreign: string): Document {
  const values: unknown[] = [];
  visitPath(document, local, true, (value) => {
    if (!Array.isArray(value)) values.push(value ?? null);
    return false;
  });
  if (values.length === 1) return { [foreign]: { $eq: values[0] } };
  const patterns = values.filter((value) => typeOrder(value) === REGEX);
  if (patterns.length === 0) return { [foreign]: { $in: values } };
  // In a list they would be patterns.
  return { $or: values.map((value) => ({ [foreign]: { $eq: value } })) };
}

/** `$facet`: the same documents through several pipelines. */
export function compileFacet(
  argument: unknown,
  compile: (stages: unknown) => CompiledPipeline,
): (source: Source) => Source {
  if (!isFields(argument) || fieldNames(argument).length === 0) {
    throw locationError(40169, 'the $facet specification must be a non-empty object');
  }
  const facets = fieldNames(argument).map((name) => {
    fieldPathParts(name);
    return [name, compile(getField(argument, name))] as const;
  });
  return (source) => sourceOf(facet(source, facets));
}

function* facet(source: Source, facets: readonly (readonly [string, CompiledPipeline])[]): Portions {
  const held: Candidate[][] = [];
  let bytes = 0;
  for (const portion of portionsOf(source)) {
    held.push(portion.map((candidate) => candidate.undecoded()));
    bytes += portion.reduce((sum, candidate) => sum + candidate.bytes.length + 64, 0);
    checkHeld(bytes, '$facet');
    yield [];
  }
  let result: Document = {};
  let made = 0;
  for (const [name, pipeline] of facets) {
    const documents: Document[] = [];
    for (const portion of portionsOf(pipeline.apply(again(held)))) {
      made += portion.reduce((sum, candidate) => sum + candidate.bytes.length, 0);
      checkHeld(made, '$facet');
      documents.push(...portion.map(({ document }) => document));
      yield [];
    }
    result = withPath([name])(result, documents);
  }
  yield* portioned([result]);
}

function again(held: readonly Candidate[][]): Source {
  let at = 0;
  return {
    pull() {
      const portion = held[at];
      at += 1;
      return portion?.map((candidate) => candidate.undecoded());
    },
  };
}

import type { Document } from 'bson';
import { failedToParse, locationError } from '../errors.ts';
import { DECODED_FACTOR, releaseMemory, reserveMemory } from '../memory.ts';
import { Candidate, type Source } from '../plan/source.ts';
import { isRegex } from '../query/match-operators.ts';
import { MAX_DOCUMENT_BYTES } from '../values/codec.ts';
import { type Fields, isFields } from '../values/fields.ts';
import { compilePath, fieldPathParts, type Path, visitPath } from '../values/path.ts';
import { readNamedArguments } from './operator.ts';
import { bindVariables } from './scope.ts';
import type { CompileInner, PipelineContext, Stage } from './stage.ts';
import { withPath } from './unwind.ts';

const ARGUMENTS = ['from', 'as', 'localField?', 'foreignField?', 'let?', 'pipeline?'];

export function compileLookup(argument: unknown, context: PipelineContext, compile: CompileInner): Stage {
  const given = readNamedArguments(argument, '$lookup', ARGUMENTS);
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
  const foreign = byFields ? fieldPathParts(text('foreignField')).join('.') : '';
  const letFields = given.get('let') ?? {};
  if (!isFields(letFields)) throw failedToParse("$lookup argument 'let' must be an object");
  const variables = bindVariables(letFields, context.scope);
  const pipeline = compile(given.get('pipeline') ?? [], { ...context, scope: variables.scope, collection: from });
  const { frame } = context.scope;

  return function* (source): Source {
    for (const chunk of source) {
      for (const { document } of chunk) {
        frame.begin(document);
        variables.bind(frame);
        const found = pipeline.open(local && equalityFilter(document, local, foreign));
        const { documents, bytes } = yield* collect(found, from);
        yield [Candidate.of(withPath(document, as, documents) as Document)];
        releaseMemory(DECODED_FACTOR * bytes);
      }
    }
  };
}

function* collect(source: Source, from: string): Generator<never[], { documents: Document[]; bytes: number }> {
  const documents: Document[] = [];
  let bytes = 0;
  for (const chunk of source) {
    const before = bytes;
    for (const candidate of chunk) {
      bytes += candidate.bytes.length;
      documents.push(candidate.document);
    }
    reserveMemory(DECODED_FACTOR * (bytes - before), '$lookup');
    if (bytes > MAX_DOCUMENT_BYTES) {
      throw locationError(4568, `$lookup in ${from} found more than ${MAX_DOCUMENT_BYTES} bytes for one document`);
    }
    yield [];
  }
  return { documents, bytes };
}

/** Matches foreign fields that equal any of the local values. A missing local field counts as null. */
function equalityFilter(document: Fields, path: Path, foreign: string): Document {
  const values: unknown[] = [];
  visitPath(document, path, true, (value) => {
    if (!Array.isArray(value)) values.push(value ?? null);
    return false;
  });
  // `$in` would treat regular expressions as patterns.
  if (values.some(isRegex)) return { $or: values.map((value) => ({ [foreign]: { $eq: value } })) };
  return { [foreign]: { $in: values } };
}

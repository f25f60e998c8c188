import { type Document, Long } from 'bson';
import { locationError } from '../errors.ts';
import { inChunks, type Source } from '../plan/source.ts';
import { type Fields, getField, isFields } from '../values/fields.ts';
import { fieldPathParts, readPath } from '../values/path.ts';
import { withField } from './objects.ts';
import { readNamedArguments } from './operator.ts';
import type { Stage } from './stage.ts';

/** Copies a document and sets a path, or removes it if the value is undefined. Replaces scalars on the way. */
export function withPath(document: Fields, [name = '', ...rest]: readonly string[], value: unknown): Fields {
  if (rest.length === 0) return withField(document, name, value);
  const child = getField(document, name);
  return withField(document, name, withPath(isFields(child) ? child : {}, rest, value));
}

const ARGUMENTS = ['path', 'includeArrayIndex?', 'preserveNullAndEmptyArrays?'];

export function compileUnwind(argument: unknown): Stage {
  const operand = typeof argument === 'string' ? { path: argument } : argument;
  const given = readNamedArguments(operand, '$unwind', ARGUMENTS, 15981);
  const text = given.get('path');
  if (typeof text !== 'string') throw locationError(28808, 'expected a string as the path for $unwind stage');
  if (!text.startsWith('$'))
    throw locationError(28818, `path option to $unwind stage should be prefixed with a '$': ${text}`);
  const preserve = given.get('preserveNullAndEmptyArrays') ?? false;
  if (typeof preserve !== 'boolean')
    throw locationError(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage');
  const path = { text, parts: fieldPathParts(text.slice(1)) };
  const indexParts = readIndexField(given.get('includeArrayIndex'));

  function* elements(document: Document): Generator<Document> {
    const value = readPath(document, path);
    const put = (result: Fields, index: unknown): Document =>
      (indexParts ? withPath(result, indexParts, index) : result) as Document;
    if (!Array.isArray(value)) {
      if (preserve || value != null) yield put(document, null);
    } else if (value.length > 0) {
      for (const [index, element] of value.entries()) {
        yield put(withPath(document, path.parts, element), Long.fromNumber(index));
      }
    } else if (preserve) yield put(withPath(document, path.parts, undefined), null);
  }

  return (source) => unwind(source, elements);
}

function* unwind(source: Source, elements: (document: Document) => Generator<Document>): Source {
  for (const chunk of source) {
    for (const { document } of chunk) yield* inChunks(elements(document));
  }
}

function readIndexField(given: unknown): string[] | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string' && given !== '' && !given.startsWith('$')) return fieldPathParts(given);
  const code = typeof given === 'string' ? 28822 : 28810;
  throw locationError(code, 'includeArrayIndex option to $unwind stage should be the name of a field');
}

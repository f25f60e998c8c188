import { type Document, Long } from 'bson';
import { locationError } from '../errors.ts';
import { portioned, type Source } from '../plan/source.ts';
import { type Fields, getField, isFields } from '../values/fields.ts';
import { fieldPathParts, readPath } from '../values/path.ts';
import { withField } from './objects.ts';
import { namedArguments } from './operator.ts';
import type { Stage } from './stage.ts';

/** A copy of a document with a value at a path, or with undefined without it; what is no document on the way is replaced. */
export function withPath(document: Fields, [name = '', ...rest]: readonly string[], value: unknown): Fields {
  if (rest.length === 0) return withField(document, name, value);
  const child = getField(document, name);
  return withField(document, name, withPath(isFields(child) ? child : {}, rest, value));
}

const NAMES = ['path', 'includeArrayIndex?', 'preserveNullAndEmptyArrays?'];

/** `$unwind`: a document for each element of an array. */
export function compileUnwind(argument: unknown): Stage {
  const operand = typeof argument === 'string' ? { path: argument } : argument;
  const given = namedArguments(operand, '$unwind', NAMES, 15981);
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

  return (source) => unwound(source, elements);
}

function* unwound(source: Source, elements: (document: Document) => Generator<Document>): Source {
  for (const portion of source) {
    for (const { document } of portion) yield* portioned(elements(document));
  }
}

function readIndexField(given: unknown): string[] | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string' && given !== '' && !given.startsWith('$')) return fieldPathParts(given);
  const code = typeof given === 'string' ? 28822 : 28810;
  throw locationError(code, 'includeArrayIndex option to $unwind stage should be the name of a field');
}

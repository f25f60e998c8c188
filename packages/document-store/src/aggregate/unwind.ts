import { type Document, Long } from 'bson';
import { locationError } from '../errors.ts';
import { type Portions, portionsOf, type Source, sourceOf } from '../plan/scan.ts';
import { copyFields, type Fields, getField, isFields, removeField, setField } from '../values/fields.ts';
import { fieldPathParts, readPath } from '../values/path.ts';
import { namedArguments } from './operator.ts';
import { portioned } from './stage.ts';

/** Puts a value at a path into a copy of a document, or takes it away with undefined; what is no document on the way is replaced. */
export function withPath(parts: readonly string[]): (document: Document, value: unknown) => Document {
  const put = (document: Fields, value: unknown, from: number): Fields => {
    const result = copyFields(document);
    const name = parts[from] as string;
    if (from < parts.length - 1) {
      const child = getField(document, name);
      return setField(result, name, put(isFields(child) ? child : {}, value, from + 1));
    }
    if (value !== undefined) return setField(result, name, value);
    removeField(result, name);
    return result;
  };
  return (document, value) => put(document, value, 0) as Document;
}

/** `$unwind`: a document for each element of an array. */
export function compileUnwind(argument: unknown): (source: Source) => Source {
  const given =
    typeof argument === 'string'
      ? new Map([['path', argument as unknown]])
      : namedArguments(
          argument,
          '$unwind',
          ['path', 'includeArrayIndex?', 'preserveNullAndEmptyArrays?'],
          [15981, 28811, 28812],
        );
  const text = given.get('path');
  if (typeof text !== 'string') throw locationError(28808, 'expected a string as the path for $unwind stage');
  if (!text.startsWith('$'))
    throw locationError(28818, `path option to $unwind stage should be prefixed with a '$': ${text}`);
  const parts = fieldPathParts(text.slice(1));
  const preserve = given.get('preserveNullAndEmptyArrays') ?? false;
  if (typeof preserve !== 'boolean')
    throw locationError(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage');
  const indexField = given.get('includeArrayIndex');
  if (indexField !== undefined && (typeof indexField !== 'string' || indexField === '' || indexField.startsWith('$'))) {
    throw locationError(
      typeof indexField === 'string' ? 28822 : 28810,
      'includeArrayIndex option to $unwind stage should be the name of a field',
    );
  }
  const put = withPath(parts);
  const putIndex = indexField === undefined ? undefined : withPath(fieldPathParts(indexField));
  const path = { text, parts };

  function* unwound(source: Source): Portions {
    for (const portion of portionsOf(source)) {
      for (const candidate of portion) yield* portioned(elements(candidate.document));
    }
  }

  function* elements(document: Document): Generator<Document> {
    const value = readPath(document, path);
    if (Array.isArray(value) && value.length > 0) {
      for (const [index, element] of value.entries()) {
        const result = put(document, element);
        yield putIndex ? putIndex(result, Long.fromNumber(index)) : result;
      }
    } else if (preserve || (value != null && !Array.isArray(value))) {
      const result = Array.isArray(value) ? put(document, undefined) : document;
      yield putIndex ? putIndex(result, null) : result;
    }
  }

  return (source) => sourceOf(unwound(source));
}

import { Bool, Field, FixedSizeList, Float32, Int32, List, Schema, Utf8 } from 'apache-arrow';

/** Columns of a chunk table. Import this module late: its library would add a tenth to every process's start time. */
export function chunkSchema(dimensions: number): Schema {
  const text = (name: string) => new Field(name, new Utf8(), false);
  const number = (name: string) => new Field(name, new Int32(), false);
  const items = new Field('item', new Utf8(), true);
  return new Schema([
    text('id'),
    text('scope_key'),
    text('entry_id'),
    number('revision'),
    // Null instead of an empty list, which the engine cannot store in an update.
    new Field('tags', new List(items), true),
    text('title'),
    text('text'),
    new Field('heading_path', new List(items), false),
    new Field('page', new Int32(), true),
    number('position'),
    new Field('vector', new FixedSizeList(dimensions, new Field('item', new Float32(), true)), true),
    text('terms'),
    // The engine adds it to older tables as nullable.
    new Field('words', new Utf8(), true),
    /** Id of the replacement that wrote it: time in milliseconds (13 digits) and a random part. */
    text('batch'),
    new Field('live', new Bool(), false),
  ]);
}

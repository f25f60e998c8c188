import { Bool, Field, FixedSizeList, Float32, Int32, List, Schema, Utf8 } from 'apache-arrow';

/** What a table of chunks holds of each. To be imported where a table is opened and no sooner: its library would take a tenth of each process's start. */
export function chunkSchema(dimensions: number): Schema {
  const text = (name: string) => new Field(name, new Utf8(), false);
  const number = (name: string) => new Field(name, new Int32(), false);
  const items = new Field('item', new Utf8(), true);
  return new Schema([
    text('id'),
    text('scope_key'),
    text('entry_id'),
    number('revision'),
    // Null where there are none: the engine can't store an empty list by an update.
    new Field('tags', new List(items), true),
    text('title'),
    text('text'),
    new Field('heading_path', new List(items), false),
    new Field('page', new Int32(), true),
    number('position'),
    new Field('vector', new FixedSizeList(dimensions, new Field('item', new Float32(), true)), true),
    /** What `analyse` makes of title, headings and text. */
    text('terms'),
    /** Which replacement wrote it: its time in milliseconds, 13 digits, and something random. */
    text('batch'),
    /** Whether searches see it. */
    new Field('live', new Bool(), false),
  ]);
}

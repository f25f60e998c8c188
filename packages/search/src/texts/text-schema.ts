import { Field, Schema, Utf8 } from 'apache-arrow';

const text = (name: string) => new Field(name, new Utf8(), false);

/** Columns of a text table: terms only, since the text is stored elsewhere. Imported as late as `chunkSchema`. */
export const TEXT_SCHEMA = new Schema([
  // Prevents two processes from inserting the same new id twice.
  new Field('id', new Utf8(), false, new Map([['lance-schema:unenforced-primary-key', 'true']])),
  text('scope_key'),
  text('user_id'),
  text('facts'),
  text('terms'),
  // The engine adds it to older tables as nullable.
  new Field('words', new Utf8(), true),
]);

import { Field, Schema, Utf8 } from 'apache-arrow';

const text = (name: string) => new Field(name, new Utf8(), false);

/** What a table of texts holds of each: its terms and not the text, which stays where it was. Loaded as late as `chunkSchema`. */
export const TEXT_SCHEMA = new Schema([
  // Else two processes that put a new id at once would both insert it.
  new Field('id', new Utf8(), false, new Map([['lance-schema:unenforced-primary-key', 'true']])),
  text('scope_key'),
  text('user_id'),
  /** As JSON. */
  text('facts'),
  text('terms'),
]);

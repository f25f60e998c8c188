import type { Collection, Document } from 'mongodb';
import { expect, test } from 'vitest';
import { type SharedStore, shareTestStore } from '../test-store.ts';

export type Records = Collection<Document & { _id: number }>;

/** What is written to which documents, what is answered, and what is stored then; a number is the code of an error. */
export type Case = [
  what: string,
  before: Document[],
  write: (records: Records) => Promise<unknown>,
  answer: unknown,
  after?: Document[],
];

/** A store for tables of writes. */
export interface WritesFixture {
  shared: SharedStore;
  /** A new collection of these documents. */
  recordsOf: (documents: Document[]) => Promise<Records>;
  table: (cases: Case[]) => void;
  /** Runs a command on a collection, as no method of the driver would. */
  command: (records: Records, name: string, rest: Document) => Promise<Document>;
}

/** Opens a store that the tests of one file share. */
export function shareWrites(): WritesFixture {
  const shared = shareTestStore();
  let made = 0;
  const recordsOf = async (documents: Document[]): Promise<Records> => {
    made += 1;
    const records: Records = shared.client.db('writes').collection(`c${made}`);
    if (documents.length > 0) await records.insertMany(documents.map((document) => ({ ...document })) as never[]);
    return records;
  };
  const table = (cases: Case[]): void => {
    test.each(cases)('%s', async (_what, before, write, answer, after = before) => {
      const records = await recordsOf(before);
      const outcome = await write(records).catch((error) => ({ code: error.code, message: error.message }));
      if (typeof answer === 'number') expect(outcome).toMatchObject({ code: answer });
      else if (answer === null) expect(outcome).toBeNull();
      else expect(outcome).toMatchObject(answer as object);
      expect(await records.find().toArray()).toEqual(after);
    });
  };
  const command = (records: Records, name: string, rest: Document): Promise<Document> =>
    shared.client.db('writes').command({ [name]: records.collectionName, ...rest });
  return { shared, recordsOf, table, command };
}

export const three = [
  { _id: 1, x: 11 },
  { _id: 2, x: 22 },
  { _id: 3, x: 33 },
];

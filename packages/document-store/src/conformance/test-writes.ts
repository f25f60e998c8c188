import type { Collection, Document } from 'mongodb';
import { expect, test } from 'vitest';
import { type SharedStore, shareTestStore } from '../test-store.ts';

export type Records = Collection<Document & { _id: number }>;

/** A test case: documents, the command, its reply or error code, and the documents afterwards. */
type Case = [
  what: string,
  before: Document[],
  write: (records: Records) => Promise<unknown>,
  answer: unknown,
  after?: Document[],
];

interface WritesFixture {
  shared: SharedStore;
  recordsOf: (documents: Document[]) => Promise<Records>;
  table: (cases: Case[]) => void;
  /** Runs a command that no driver method would send. */
  command: (records: Records, name: string, rest: Document) => Promise<Document>;
}

export function shareWritesFixture(): WritesFixture {
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

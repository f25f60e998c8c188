/** Revisions of a record that a change may begin from (`If-Match`). Null: any. */
export type ExpectedRevisions = readonly number[] | null;

export const isExpected = (expected: ExpectedRevisions, revision: number): boolean =>
  expected === null || expected.includes(revision);

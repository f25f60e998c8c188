import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Document, deserialize, serialize } from 'bson';
import { expect, onTestFinished, test } from 'vitest';
import { openTestStore, sequenceFrame } from './test-store.ts';

async function answerOf(socket: Socket): Promise<Document> {
  let held = Buffer.alloc(0);
  while (held.length < 4 || held.length < held.readInt32LE(0)) {
    held = Buffer.concat([held, (await once(socket, 'data'))[0] as Buffer]);
  }
  return deserialize(held.subarray(21));
}

/** Malformed BSON with a valid length: its first field has an unknown type. */
function malformed(statement: Document): Uint8Array {
  const bytes = serialize(statement);
  bytes[4] = 0x63;
  return bytes;
}

/** A document nested more deeply than allowed. */
function deep(): Document {
  let value: Document = {};
  for (let depth = 0; depth < 400; depth++) value = { a: value };
  return value;
}

const CASES: [string, string, Document, Document][] = [
  ['update', 'updates', { q: { _id: 1 }, u: { $inc: { n: 1 } } }, { q: { _id: 2 }, u: { $inc: { n: 1 } } }],
  ['delete', 'deletes', { q: { _id: 1 }, limit: 1 }, { q: { _id: 2 }, limit: 1 }],
  ['insert', 'documents', { _id: 3 }, { _id: 4 }],
];

test.each(CASES)('%s: a malformed entry fails alone', async (name, field, first, last) => {
  const { directory, client } = await openTestStore();
  await client
    .db('a')
    .collection<{ _id: number }>('things')
    .insertMany([{ _id: 1 }, { _id: 2 }]);
  const socket = connect(`${directory}/s.sock`);
  onTestFinished(() => void socket.destroy());
  const entries: [Uint8Array, number][] = [
    [malformed(first), 22],
    [serialize({ ...first, q: deep(), deep: deep() }), 15],
    ...(name === 'insert' ? [] : [[serialize({ nothing: 1 }), 40415] as [Uint8Array, number]]),
  ];
  for (const [entry, code] of entries) {
    const command = { [name]: 'things', ordered: false, $db: 'a' };
    socket.write(sequenceFrame(command, field, [serialize(first), entry, serialize(last)]));
    const answer = await answerOf(socket);
    expect(answer, JSON.stringify(answer)).toMatchObject({ ok: 1 });
    expect(answer.writeErrors).toContainEqual(expect.objectContaining({ index: 1, code }));
    expect(answer.writeErrors.some(({ index }: Document) => index === 0)).toBe(name === 'insert' && code !== 22);
  }
  // An ordered command stops at the entry, but keeps earlier ones.
  const ordered = name === 'insert' ? { _id: 5 } : first;
  socket.write(
    sequenceFrame({ [name]: 'things', $db: 'a' }, field, [serialize(ordered), malformed(first), serialize(last)]),
  );
  expect(await answerOf(socket)).toMatchObject({ ok: 1, writeErrors: [{ index: 1, code: 22 }] });
});

test('entries that are not documents fail alone', async () => {
  const { client } = await openTestStore();
  const update = { q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true };
  for (const entry of [5, null, 'x', [], {}, { q: 5, u: {} }, { q: {}, u: 5 }, { q: {}, u: { $set: 5 } }, deep()]) {
    const command = { update: 'things', updates: [update, entry, update], ordered: false };
    const answer = await client.db('a').command(command);
    expect(answer, JSON.stringify(entry)).toMatchObject({ ok: 1, n: 2, writeErrors: [{ index: 1 }] });
  }
});

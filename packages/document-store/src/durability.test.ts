import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { deserialize } from 'bson';
import { type AnyBulkWriteOperation, type Collection, MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { scan } from './plan/scan.ts';
import { checkIntegrity } from './storage/integrity.ts';
import { Store } from './store.ts';
import { spawnStore, temporaryDirectory } from './test-store.ts';

const SOAK = process.env.CHORUS_SOAK === '1';
const WRITERS = SOAK ? 16 : 6;
/** Number of kills, each after a random number of acknowledged writes. */
const ROUNDS = SOAK ? 60 : 3;
const WRITES_PER_ROUND = SOAK ? 3_000 : 200;

interface Kept {
  _id: string;
  writer: number;
  key: string;
  tags: string[];
  step: number;
  open?: boolean;
}
/** A document, or null if it does not exist. */
type State = Kept | null;

/** Writes continuously, and tracks what the store must contain. */
class Writer {
  readonly #number: number;
  #created = 0;
  /** The acknowledged documents by `_id`. */
  readonly states = new Map<string, State>();
  /** The result of the current write, which a kill may or may not prevent. */
  pending = new Map<string, State>();
  acknowledged = 0;

  constructor(number: number) {
    this.#number = number;
  }

  /** Writes until the server is killed. Calls `wrote` after each acknowledged write. */
  async run(collection: Collection<Kept>, wrote: () => void): Promise<void> {
    for (;;) {
      try {
        await this.#write(collection);
      } catch (error) {
        // A number is an unexpected server error. System codes such as EPIPE mean that the server was killed.
        if (typeof (error as { code?: unknown }).code === 'number') throw error;
        return;
      }
      for (const [id, state] of this.pending) this.states.set(id, state);
      this.pending.clear();
      this.acknowledged += 1;
      wrote();
    }
  }

  /** Adopts the outcome of the interrupted write. Returns contradictions. */
  settle(stored: Map<string, Kept>): string[] {
    const wrong: string[] = [];
    const same = (one: State | undefined, other: State) => isDeepStrictEqual(one ?? null, other);
    for (const id of new Set([...this.states.keys(), ...this.pending.keys()])) {
      const found = stored.get(id) ?? null;
      const known = same(this.states.get(id), found);
      if (!known && !(this.pending.has(id) && same(this.pending.get(id), found))) wrong.push(id);
      this.states.set(id, found);
    }
    this.pending.clear();
    return wrong;
  }

  async #write(collection: Collection<Kept>): Promise<unknown> {
    const one = this.#pick();
    switch (one ? randomInt(8) : 0) {
      case 0:
        return collection.insertOne(this.#expect(this.#make()));
      case 1:
        return collection.insertMany([1, 2, 3, 4].map(() => this.#expect(this.#make())));
      case 2:
        return collection.updateOne({ _id: this.#changed(one)._id }, { $inc: { step: 1 }, $push: { tags: 'new' } });
      case 3: {
        const { _id, key } = this.#expect({ ...one, key: `${one?.key}+` } as Kept);
        return collection.findOneAndUpdate({ _id }, { $set: { key } }, { sort: { key: 1 } });
      }
      case 4: {
        const { _id, ...fields } = this.#expect(this.#make());
        return collection.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true });
      }
      case 5:
        return collection.deleteOne({ _id: this.#removed(one) });
      case 6:
        return collection.replaceOne(
          { _id: one?._id as string },
          this.#expect({ ...this.#make(), _id: one?._id ?? '' }),
        );
      default: {
        const operations: AnyBulkWriteOperation<Kept>[] = [
          { insertOne: { document: this.#expect(this.#make()) } },
          {
            updateOne: {
              filter: { _id: this.#changed(one)._id },
              update: { $inc: { step: 1 }, $push: { tags: 'new' } },
            },
          },
        ];
        const other = this.#pick();
        if (other && other !== one) operations.push({ deleteOne: { filter: { _id: this.#removed(other) } } });
        return collection.bulkWrite(operations, { ordered: randomInt(2) === 0 });
      }
    }
  }

  #make(): Kept {
    this.#created += 1;
    const _id = `${this.#number}-${this.#created}`;
    const tags = Array.from({ length: randomInt(4) }, (_, at) => `tag${randomInt(20)}.${at}`);
    return { _id, writer: this.#number, key: `key ${_id}`, tags, step: 0, ...(randomInt(2) && { open: true }) };
  }

  #pick(): State {
    const there = [...this.states.values()].slice(-50).filter((state) => state !== null);
    return there.length > 0 ? (there[randomInt(there.length)] as Kept) : null;
  }

  #expect(state: Kept): Kept {
    this.pending.set(state._id, state);
    return state;
  }

  #changed(state: State): Kept {
    const { tags, step, ...rest } = state as Kept;
    const { _id, writer, key, ...open } = rest;
    return this.#expect({ _id, writer, key, tags: [...tags, 'new'], step: step + 1, ...open });
  }

  #removed(state: State): string {
    const { _id } = state as Kept;
    this.pending.set(_id, null);
    return _id;
  }
}

test('keeps every acknowledged write and index entry through kill -9', {
  timeout: SOAK ? 900_000 : undefined,
}, async () => {
  const directory = await temporaryDirectory();
  const writers = Array.from({ length: WRITERS }, (_, number) => new Writer(number));
  for (let round = 0; round < ROUNDS; round++) {
    await writeAndKill(directory, writers);
    const { stored, problems } = readStore(directory);
    expect(problems).toEqual([]);
    expect(writers.flatMap((writer) => writer.settle(stored))).toEqual([]);
    const known = writers.reduce((sum, { states }) => sum + [...states.values()].filter(Boolean).length, 0);
    expect(stored.size).toBe(known);
  }
  const acknowledged = writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
  expect(acknowledged).toBeGreaterThanOrEqual(ROUNDS);
  process.stdout.write(`durability: ${ROUNDS} kills, ${acknowledged} acknowledged writes, none lost\n`);
});

/** Lets all writers write to a spawned store, and kills it. */
async function writeAndKill(directory: string, writers: Writer[]): Promise<void> {
  const { uri, child } = await spawnStore(directory);
  const clients = await Promise.all([1, 2, 3].map(() => new MongoClient(uri).connect()));
  const collections = clients.map((client) => client.db('kept').collection<Kept>('writes'));
  await collections[0]?.createIndexes([
    { key: { key: 1 }, unique: true },
    { key: { writer: 1, step: -1 } },
    { key: { tags: 1 } },
    { key: { step: 1 }, name: 'open', partialFilterExpression: { open: true } },
    { key: { 'tags.0': 1 }, name: 'sparse', sparse: true },
  ]);
  // Otherwise, pending writes would look for the server for half a minute.
  const gone = once(child, 'exit').then(() => Promise.all(clients.map((client) => client.close())));
  let left = 1 + randomInt(WRITES_PER_ROUND);
  const wrote = () => {
    left -= 1;
    if (left === 0) child.kill('SIGKILL');
  };
  await Promise.all(writers.map((writer, at) => writer.run(collections[at % 3] as Collection<Kept>, wrote)));
  await gone;
}

function readStore(directory: string): { stored: Map<string, Kept>; problems: string[] } {
  const store = new Store(join(directory, 'data'));
  try {
    const stored = new Map<string, Kept>();
    const plan = { kind: 'collection', backwards: false, sorted: false, exact: true } as const;
    for (const chunk of scan(store.catalog.find('kept', 'writes'), plan)) {
      for (const { bytes } of chunk) {
        const document = deserialize(bytes) as Kept;
        stored.set(document._id, document);
      }
    }
    return { stored, problems: checkIntegrity(store.engine, store.catalog).problems };
  } finally {
    store.close();
  }
}

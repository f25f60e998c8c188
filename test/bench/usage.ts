import { readFileSync } from 'node:fs';
import { dayAfter, firstIdAt, newId } from '@chorus/contract';
import { connectDatabase } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { startStore } from '@chorus/testing';
import { MongoClient } from 'mongodb';
import { heading, report } from './report.ts';

const EXECUTIONS = 300_000;
const DAYS = 30;
const USERS = 200;
const INSERTED_AT_ONCE = 5_000;
const TEXT = 'word '.repeat(200);

/** Measures the store's CPU for a report of all users: from executions, as until the sums are filled, and from sums. */
export async function usage(): Promise<void> {
  const store = await startStore();
  const database = await connectDatabase({ uri: store.uri, log: createLogger({ name: 'bench', level: 'silent' }) });
  const client = await new MongoClient(store.uri).connect();
  heading(`Usage of ${USERS} users over ${DAYS} days, ${EXECUTIONS} executions`);
  const today = new Date().toISOString().slice(0, 10);
  const days = { from: dayAfter(today, 1 - DAYS), to: today };
  const users = Array.from({ length: USERS }, () => newId('user'));
  const executions = client.db().collection<{ _id: string }>('executions');
  for (let from = 0; from < EXECUTIONS; from += INSERTED_AT_ONCE)
    await executions.insertMany(
      Array.from({ length: INSERTED_AT_ONCE }, (_, n) => ended(from + n, users, today)),
      { ordered: false },
    );
  const measure = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    const before = cpuSeconds(store.pid);
    const result = await run();
    report(`${name}: CPU of the store (s)`, (cpuSeconds(store.pid) - before).toFixed(2));
    return result;
  };
  const before = await measure('from executions', () => database.usage.reportByUser(days));
  await measure('adding them to sums, once', () => database.usage.fill());
  const after = await measure('from sums', () => database.usage.reportByUser(days));
  report('both are the same', String(JSON.stringify(before) === JSON.stringify(after)), 'must be true');
  await Promise.all([database.close(), client.close()]);
  await store.stop();
}

/** An execution that ended before there were sums. */
function ended(number: number, users: readonly string[], today: string) {
  const day = dayAfter(today, -Math.floor((number * DAYS) / EXECUTIONS));
  const user_id = users[(number * 7) % users.length] as string;
  return {
    _id: firstIdAt('job', Date.parse(day)).slice(0, -14) + newId('job').slice(-14),
    ...{ scope_key: `personal:${user_id}`, user_id, api_key_id: number % 3 === 0 ? 'key_1' : null },
    ...{ kind: 'chat.completion', surface: 'chat', status: 'succeeded', model: `openai/m${number % 4}` },
    ...{ input: TEXT, output: [{ type: 'text', text: TEXT }], metadata: [] },
    usage: { input_tokens: 2, output_tokens: 3, total_tokens: 5, cost_usd: 0.001 },
    ...{ created_at: new Date(day), finished_at: new Date(day) },
  };
}

/** Linux counts 100 ticks for each second. */
function cpuSeconds(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const ticks = fields.split(' ');
  return (Number(ticks[11]) + Number(ticks[12])) / 100;
}

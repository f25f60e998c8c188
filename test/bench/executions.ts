import { join } from 'node:path';
import mongoose from 'mongoose';
import type { BenchPlatform } from './platform.ts';
import { heading, median, rate, report } from './report.ts';

const CALLERS = 32;
const PER_ROUND = 2_000;
const ROUNDS = 3;

/** Compares whole executions per second (from request to answer) with plain database creates, in turn. */
export async function executions(platform: BenchPlatform): Promise<void> {
  heading(
    `Whole executions, waited, ${CALLERS} callers (${PER_ROUND.toLocaleString('en')} per round, ${ROUNDS} rounds in turn)`,
  );
  const socket = join(platform.dataDir, 'run', 'store.sock');
  const connection = await mongoose.createConnection(`mongodb://${encodeURIComponent(socket)}/bench`).asPromise();
  const schema = new mongoose.Schema({ owner: String, kind: String, status: String, at: Date, input: String });
  const model = connection.model('Sample', schema);
  await model.init();
  const create = async () => {
    await model.create({
      owner: 'usr',
      kind: 'chat.completion',
      status: 'queued',
      at: new Date(),
      input: 'x'.repeat(200),
    });
  };
  const body = JSON.stringify({ model: 'compatible/words-1', messages: [{ role: 'user', content: 'hi' }] });
  const execute = async () => {
    const response = await fetch(`${platform.api}/chat/completions`, {
      method: 'POST',
      headers: platform.headers,
      body,
    });
    const answer = (await response.json()) as { status?: string };
    if (answer.status !== 'succeeded') throw new Error(`execution: ${response.status} ${JSON.stringify(answer)}`);
  };
  await rate(execute, PER_ROUND, CALLERS);
  const whole: number[] = [];
  const creates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    creates.push(await rate(create, PER_ROUND, CALLERS));
    whole.push(await rate(execute, PER_ROUND, CALLERS));
  }
  await connection.close();
  report('database creates per second (median)', Math.round(median(creates)).toLocaleString('en'));
  report('whole executions per second (median)', Math.round(median(whole)).toLocaleString('en'));
  report(
    'ratio (median of the rounds)',
    median(whole.map((one, round) => one / (creates[round] as number))).toFixed(2),
  );
}

import { request } from 'node:http';
import type { BenchPlatform } from './platform.ts';
import { processFamily } from './process-family.ts';
import { heading, median, report } from './report.ts';

const ROUNDS = 20;
const BEFORE_MS = 3_000;

/** Kills the text worker while an answer streams, and measures how long the stream is silent. */
export async function takeover(platform: BenchPlatform): Promise<void> {
  heading(`Takeover after kill -9 of the only text worker (${ROUNDS} rounds)`);
  const silences: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { at, ended } = streamTimes(platform);
    await new Promise((resolve) => setTimeout(resolve, BEFORE_MS));
    const worker = processFamily(platform.pid).find(({ name }) => name === 'workers/text');
    if (!worker) throw new Error('no text worker runs');
    process.kill(worker.pid, 'SIGKILL');
    const { status, attempt } = await ended;
    if (status !== 'succeeded' || attempt !== 2) throw new Error(`execution: ${status}, attempt ${attempt}`);
    silences.push(Math.max(...at.slice(1).map((time, index) => time - (at[index] as number))));
  }
  report('longest silence of a stream (ms): median', median(silences).toFixed(0), 'aim 3,000');
  report('the longest of all rounds (ms)', Math.max(...silences).toFixed(0));
}

/** Streams an answer of 8 s. Returns when text arrived, and how the execution ended. */
function streamTimes({ api, headers }: BenchPlatform) {
  const body = JSON.stringify({ model: 'compatible/words-400-delay-20', stream: true, message: 'Count.' });
  const at: number[] = [];
  const ended = new Promise<{ status: string; attempt: number }>((resolve, reject) => {
    const outgoing = request(`${api}/chat/completions`, { method: 'POST', headers }, (response) => {
      let all = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        if (chunk.includes('"text.delta"')) at.push(performance.now());
        all += chunk;
      });
      response.on('end', () => {
        const last = all.split('\n').findLast((line) => line.startsWith('data: {')) ?? 'data: {}';
        const { execution = {} } = JSON.parse(last.slice('data: '.length));
        resolve(execution);
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
  return { at, ended };
}

import { heading, median, percentile, report } from './figures.ts';
import type { BenchPlatform } from './platform.ts';
import { readStream } from './stream-client.ts';

const MODEL = 'words-20-delay-5';
const MESSAGES = [{ role: 'user', content: 'Count.' }];
const WARM_UP = 100;

/**
 * What Chorus adds to the first token over calling the provider itself: each pair is measured one right after the other, so that a
 * machine that slows down slows both.
 */
export async function timeToFirstToken(platform: BenchPlatform): Promise<void> {
  heading('Time to first token, added over calling the provider directly (ms)');
  const direct = () =>
    readStream(
      `${platform.provider}/chat/completions`,
      { 'content-type': 'application/json', authorization: 'Bearer none' },
      { model: MODEL, stream: true, messages: MESSAGES },
    );
  const through = (body: object) => () =>
    readStream(`${platform.api}/chat/completions`, platform.headers, {
      model: `compatible/${MODEL}`,
      stream: true,
      ...body,
    });
  const stateless = through({ messages: MESSAGES });
  const session = through({ message: 'Count.' });

  for (let index = 0; index < WARM_UP; index += 1) await Promise.all([direct(), stateless(), session()]);

  const one = await alone(direct, stateless, 200);
  report(
    'one stream, `messages`: median / p99',
    `${one.median.toFixed(1)} / ${one.p99.toFixed(1)}`,
    'aim 3 at the median',
  );
  const stored = await alone(direct, session, 100);
  report(
    'one stream, `message` in a stored session: median / p99',
    `${stored.median.toFixed(1)} / ${stored.p99.toFixed(1)}`,
  );
  const fifty = await together(direct, stateless, 50, 10);
  report(
    '50 streams at once: median / p99',
    `${fifty.median.toFixed(1)} / ${fifty.p99.toFixed(1)}`,
    'aim 8 at the median, 30 at p99',
  );
}

type Call = () => Promise<{ firstTextMs: number }>;

async function alone(direct: Call, through: Call, rounds: number) {
  const added: number[] = [];
  for (let index = 0; index < rounds; index += 1) {
    const base = (await direct()).firstTextMs;
    added.push((await through()).firstTextMs - base);
  }
  return { median: median(added), p99: percentile(added, 0.99) };
}

/** `callers` callers, each with one stream after another: first all at the provider, then all through Chorus. */
async function together(direct: Call, through: Call, callers: number, rounds: number) {
  const measure = async (call: Call) => {
    const times: number[] = [];
    await Promise.all(
      Array.from({ length: callers }, async () => {
        for (let index = 0; index < rounds; index += 1) times.push((await call()).firstTextMs);
      }),
    );
    return times;
  };
  const base = await measure(direct);
  const times = await measure(through);
  return { median: median(times) - median(base), p99: percentile(times, 0.99) - percentile(base, 0.99) };
}

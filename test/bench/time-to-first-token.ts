import type { BenchPlatform } from './platform.ts';
import { heading, median, percentile, report } from './report.ts';
import { readStream } from './stream-client.ts';

/** 50 words at 50 words per second, like a real model. */
const MODEL = 'words-50-delay-20';
/** For single streams, where only the first word matters. */
const SHORT_MODEL = 'words-5-delay-5';
const MESSAGES = [{ role: 'user', content: 'Count.' }];
const WARM_UP = 100;

/**
 * Measures the latency that Chorus adds to the first token. Each pair runs back to back, so a slow machine
 * slows both.
 */
export async function timeToFirstToken(platform: BenchPlatform): Promise<void> {
  heading('Time to first token, added to a direct call of the provider (ms)');
  const direct = (model: string) => () =>
    readStream(
      `${platform.provider}/chat/completions`,
      { 'content-type': 'application/json', authorization: 'Bearer none' },
      { model, stream: true, messages: MESSAGES },
    );
  const through = (model: string, body: object) => () =>
    readStream(`${platform.api}/chat/completions`, platform.headers, {
      model: `compatible/${model}`,
      stream: true,
      ...body,
    });
  const short = direct(SHORT_MODEL);
  const stateless = through(SHORT_MODEL, { messages: MESSAGES });
  const session = through(SHORT_MODEL, { message: 'Count.' });

  for (let index = 0; index < WARM_UP; index += 1) await Promise.all([short(), stateless(), session()]);

  const show = (what: string, { middle, high }: Added, aim = '') =>
    report(`${what}: median / p99`, `${middle.toFixed(1)} / ${high.toFixed(1)}`, aim);
  show('one stream, `messages`', await alone(short, stateless, 300), 'aim 3 at the median');
  show('one stream, `message`, stored as a session', await alone(short, session, 150));
  const long = { direct: direct(MODEL), through: through(MODEL, { messages: MESSAGES }) };
  show('50 streams open', await together(long, 50, 6, 1_000 / 50), 'aim 8 at the median, 30 at p99');
  show('50 simultaneous requests', await together(long, 50, 1, 0));
}

type Call = () => Promise<{ firstTextMs: number }>;

interface Added {
  middle: number;
  high: number;
}

async function alone(direct: Call, through: Call, rounds: number): Promise<Added> {
  const added: number[] = [];
  for (let index = 0; index < rounds; index += 1) {
    const base = (await direct()).firstTextMs;
    added.push((await through()).firstTextMs - base);
  }
  return { middle: median(added), high: percentile(added, 0.99) };
}

/** Runs staggered `callers`, each with consecutive streams: first directly, then through Chorus. */
async function together(
  calls: { direct: Call; through: Call },
  callers: number,
  rounds: number,
  apartMs: number,
): Promise<Added> {
  const measure = async (call: Call) => {
    const times: number[] = [];
    await Promise.all(
      Array.from({ length: callers }, async (_, caller) => {
        if (apartMs > 0) await new Promise((resolve) => setTimeout(resolve, caller * apartMs));
        for (let index = 0; index < rounds; index += 1) times.push((await call()).firstTextMs);
      }),
    );
    return times;
  };
  const base = await measure(calls.direct);
  const times = await measure(calls.through);
  return {
    middle: median(times) - median(base),
    high: percentile(times, 0.99) - percentile(base, 0.99),
  };
}

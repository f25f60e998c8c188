import type { BenchPlatform } from './platform.ts';
import { heading, report } from './report.ts';
import { readStream } from './stream-client.ts';

const STREAMS = 200;
const WORDS = 2_000;

/** Measures tokens per second over many streams from an unlimited provider, and checks each token. */
export async function throughput(platform: BenchPlatform): Promise<void> {
  heading(`Throughput of ${STREAMS} streams of ${WORDS} tokens each`);
  const model = `flood-${WORDS}`;
  const expected = Array.from({ length: WORDS }, (_, index) => `w${index + 1}`).join(' ');
  const run = (url: string, headers: Record<string, string>, name: string) =>
    Promise.all(
      Array.from({ length: STREAMS }, () =>
        readStream(
          url,
          headers,
          { model: name, stream: true, messages: [{ role: 'user', content: 'Count.' }] },
          { keep: true },
        ),
      ),
    );
  const timed = async (work: () => Promise<{ body: string }[]>) => {
    const startedAt = performance.now();
    const streams = await work();
    return { seconds: (performance.now() - startedAt) / 1_000, streams };
  };
  const direct = await timed(() =>
    run(
      `${platform.provider}/chat/completions`,
      { 'content-type': 'application/json', authorization: 'Bearer none' },
      model,
    ),
  );
  const chorus = () => run(`${platform.api}/chat/completions`, platform.headers, `compatible/${model}`);
  await chorus(); // warm-up
  const through = await timed(chorus);
  const whole = through.streams.filter(({ body }) => textOf(body) === expected).length;
  const rate = (STREAMS * WORDS) / through.seconds;
  const baseRate = (STREAMS * WORDS) / direct.seconds;
  report('tokens per second', Math.round(rate).toLocaleString('en'), 'aim 60,000');
  report('direct from the provider, tokens per second', Math.round(baseRate).toLocaleString('en'));
  report('ratio to direct', (rate / baseRate).toFixed(2));
  report('complete and ordered streams', `${whole} of ${STREAMS}`, 'aim: all');
}

function textOf(body: string): string {
  let text = '';
  for (const frame of body.split('\n\n')) {
    const line = frame.split('\n').find((candidate) => candidate.startsWith('data: {'));
    if (!line) continue;
    const chunk = JSON.parse(line.slice('data: '.length)) as { choices?: { delta?: { content?: string } }[] };
    text += chunk.choices?.[0]?.delta?.content ?? '';
  }
  return text;
}

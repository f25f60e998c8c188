import { PROVIDERS, type ProviderName } from '@chorus/contract';
import { createProviders, type Providers } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import { type BenchPlatform, startPlatform } from './platform.ts';
import { heading, median, percentile, report } from './report.ts';

const WARM_UP = 3;
/** Rounds for models that run here, and for one that answers at once. */
const SPOKEN = 12;
const INSTANT = 100;

const options = { signal: new AbortController().signal, executionId: 'bench' };

/**
 * Measures when the first audio of a short text arrives: from the engine alone, and through
 * `/openai/v1/audio/speech`. Each pair runs back to back, so a slow machine slows both.
 */
export async function firstSound(): Promise<void> {
  const platform = await startPlatform({ OPENAI_API_KEY: 'bench' });
  const off = Object.fromEntries(PROVIDERS.map((name) => [name, { apiKey: null, baseUrl: null }]));
  const settings = {
    ...(off as Record<ProviderName, { apiKey: string | null; baseUrl: string | null }>),
    openai: { apiKey: 'bench', baseUrl: platform.provider },
  };
  const providers = createProviders(settings, { log: createLogger({ name: 'bench', level: 'silent' }) });
  await providers.ready();
  heading('First sound of a short text: from the engine alone, and through /openai/v1/audio/speech (ms)');
  try {
    for (const format of ['pcm', 'mp3', 'opus'])
      await compare(platform, providers, { model: 'openai/tts-1', rounds: INSTANT, format });
    for (const format of ['pcm', 'mp3'])
      await compare(platform, providers, { model: 'embedded/flite', rounds: SPOKEN, format });
    await compare(platform, providers, { model: 'embedded/kokoro', rounds: SPOKEN, format: 'mp3' });
  } finally {
    providers.close();
    await platform.stop();
  }
}

async function compare(
  platform: BenchPlatform,
  providers: Providers,
  { model, rounds, format }: { model: string; rounds: number; format: string },
): Promise<void> {
  const url = platform.api.replace(/\/api\/v1$/, '/openai/v1/audio/speech');
  const alone = (text: string) => firstOf(providers.streamSpeech({ model, text }, options));
  const through = async (input: string) => {
    const body = JSON.stringify({ model, input, response_format: format });
    const response = await fetch(url, { method: 'POST', headers: platform.headers, body });
    if (!response.ok || response.body === null) throw new Error(`speech: ${response.status}`);
    return firstOf(response.body);
  };
  const bare: number[] = [];
  const whole: number[] = [];
  for (let round = 0; round < rounds + WARM_UP; round += 1) {
    // The engines remember phrases, so each round and format has its own.
    const text = `This is the ${format} number ${round}.`;
    const pair = [await timeOf(() => alone(text)), await timeOf(() => through(text))] as const;
    if (round < WARM_UP) continue;
    bare.push(pair[0]);
    whole.push(pair[1]);
  }
  const added = whole.map((time, round) => time - (bare[round] as number));
  const name = `${model}, ${format}`;
  report(`${name}: alone, median / p90`, `${median(bare).toFixed(1)} / ${percentile(bare, 0.9).toFixed(1)}`);
  report(`${name}: through the API`, `${median(whole).toFixed(1)} / ${percentile(whole, 0.9).toFixed(1)}`);
  report(
    `${name}: added`,
    `${median(added).toFixed(1)} / ${percentile(added, 0.9).toFixed(1)}`,
    'aim 10 at the median',
  );
}

/** Measures the time to the first piece, then reads the rest, so that the engine is free again. */
async function firstOf(pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let at: number | null = null;
  for await (const _ of pieces) at ??= performance.now();
  if (at === null) throw new Error('no sound');
  return at;
}

async function timeOf(work: () => Promise<number>): Promise<number> {
  const startedAt = performance.now();
  return (await work()) - startedAt;
}

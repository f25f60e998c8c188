import { createLogger } from '@chorus/runtime/log';
import { SentenceEncoder } from '../../packages/embedded-models/src/index.ts';
import type { BenchPlatform } from './platform.ts';
import { heading, median, percentile, rate, report } from './report.ts';

const TEXT = 'Where is the nearest harbour?';
const WARM_UP = 50;
const ROUNDS = 300;
const CALLERS = 16;
const PER_RATE = 1_000;

/**
 * Measures what the queue adds to an embedding: the embedded encoder alone, and the same model through
 * `/openai/v1/embeddings`. Each pair runs back to back, so a slow machine slows both.
 */
export async function embeddings(platform: BenchPlatform): Promise<void> {
  heading('Embedding one short text with the embedded encoder: alone, and through /openai/v1/embeddings (ms)');
  const encoder = new SentenceEncoder(createLogger({ name: 'bench', level: 'silent' }));
  const { signal } = new AbortController();
  const alone = async () => {
    await encoder.encode([TEXT], 'query', { signal });
  };
  const url = platform.api.replace(/\/api\/v1$/, '/openai/v1/embeddings');
  const body = JSON.stringify({ model: 'embedded/use-lite', input: TEXT, encoding_format: 'base64' });
  const through = async () => {
    const response = await fetch(url, { method: 'POST', headers: platform.headers, body });
    const { data } = (await response.json()) as { data?: unknown[] };
    if (data?.length !== 1) throw new Error(`embedding: ${response.status}`);
  };
  try {
    for (let index = 0; index < WARM_UP; index += 1) await Promise.all([alone(), through()]);
    const bare: number[] = [];
    const whole: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(await timeOf(alone));
      whole.push(await timeOf(through));
    }
    const added = whole.map((time, round) => time - (bare[round] as number));
    report('alone: median / p99', `${median(bare).toFixed(1)} / ${percentile(bare, 0.99).toFixed(1)}`);
    report('through the API: median / p99', `${median(whole).toFixed(1)} / ${percentile(whole, 0.99).toFixed(1)}`);
    report(
      'added: median / p99',
      `${median(added).toFixed(1)} / ${percentile(added, 0.99).toFixed(1)}`,
      'aim 5 at the median',
    );
    report('ratio of the medians', (median(whole) / median(bare)).toFixed(2));
    report(`alone, ${CALLERS} callers, per second`, (await rate(alone, PER_RATE, CALLERS)).toFixed(0));
    report(`through the API, ${CALLERS} callers, per second`, (await rate(through, PER_RATE, CALLERS)).toFixed(0));
  } finally {
    encoder.close();
  }
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

import { buffer } from 'node:stream/consumers';
import { assetFactsOf } from '@chorus/assets';
import type { OcrPage } from '@chorus/contract';
import { NO_USAGE } from '@chorus/providers/usage';
import { createLogger } from '@chorus/runtime/log';
import { TINY_PNG } from '@chorus/testing';
import { startPool } from '@chorus/worker-kit';
import type { TestApi } from './test-api.ts';
import { publishModels } from './test-chat.ts';

/**
 * Starts workers for OCR and voice. OCR output shows the requested options and the file's size; a transcript
 * shows the audio's size, and answers are spoken as a file (a picture, since its bytes are known).
 */
export async function startReadingWorkers(api: TestApi) {
  const { assets, database, eventLog } = api.services;
  const shared = {
    redis: { url: api.redis.url, cluster: false },
    store: database,
    eventLog,
    concurrency: 4,
    log: createLogger({ name: 'test', level: 'silent' }),
    health: () => ({ models: [], providers: [], default_model: null }),
  };
  const bytesOf = async (owner: Parameters<typeof assets.get>[0], id: string) => {
    const record = await assets.get(owner, id);
    return record === null ? 0 : (await buffer(await assets.read(record))).length;
  };
  await publishModels(api, 'vision', { 'embedded/ocr': ['ocr'] });
  await publishModels(
    api,
    'voice',
    { 'embedded/ear': ['transcription'], 'embedded/mouth': ['speech'] },
    { voices: [{ model: 'embedded/mouth', id: 'alto', name: 'Alto', language: 'en-US' }] },
  );
  const vision = await startPool({
    ...shared,
    pool: 'vision',
    handlers: {
      'iris.ocr': {
        run: async ({ input: { source, pages, languages, model }, owner }) => {
          const bytes = source.type === 'asset' ? await bytesOf(owner, source.asset_id) : 0;
          const read = (pages ?? '1').split(',').map((number) => pageOf(Number(number), `${bytes} bytes`));
          const whole = { page_count: read.length, pages_left: null, languages, truncated: false, asset: null };
          const output = [{ type: 'ocr' as const, markdown: '', pages: read, ...whole }];
          return { output, usage: NO_USAGE, model, provider: 'embedded', finish_reason: null };
        },
      },
    },
  });
  const voice = await startPool({
    ...shared,
    pool: 'voice',
    handlers: {
      'voice.turn': {
        run: async ({ input: { said, speech }, owner, executionId }) => {
          const heard = said.type === 'text' ? said.text : `${await bytesOf(owner, said.asset_id)} bytes`;
          const { voice, format, model } = speech;
          const record = await assets.create({ owner, body: TINY_PNG, filename: 'answer.png', executionId });
          const output = [
            { type: 'transcript' as const, text: heard, model: 'embedded/ear', language: 'en', duration_ms: 1 },
            { type: 'text' as const, text: `as ${voice} in ${format}` },
            { type: 'asset' as const, asset: assetFactsOf(record) },
          ];
          return { output, usage: NO_USAGE, model, provider: 'embedded', finish_reason: 'stop' };
        },
      },
    },
  });
  return {
    stop: async () => {
      await Promise.all([vision.close(0), voice.close(0)]);
    },
  };
}

function pageOf(number: number, text: string): OcrPage {
  const whole = { width: 1, height: 1, rotation: 0, source: 'image' as const, confidence: 1, lines: null };
  return { number, text: `${number}: ${text}`, markdown: `# ${number}\n\n${text}`, ...whole };
}

import {
  type Capability,
  imageRequest,
  newId,
  type Owner,
  ocrRequest,
  type Pool,
  verifyRequest,
  videoRequest,
} from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { expect, test } from 'vitest';
import { type PlanParts, planIris } from './plan.ts';

const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
const picture = newId('asset');
const paper = newId('asset');
const kinds: Record<string, Pick<AssetRecord, 'kind' | 'mime_type'>> = {
  [picture]: { kind: 'image', mime_type: 'image/png' },
  [paper]: { kind: 'document', mime_type: 'application/pdf' },
};

const worker = (pool: Pool, models: Record<string, Capability[]>) => ({
  pool,
  pid: 1,
  host: 'here',
  active: 0,
  concurrency: 1,
  models: Object.entries(models).map(([id, capabilities]) => ({
    id,
    object: 'model' as const,
    created: 0,
    owned_by: 'x',
    capabilities,
    context_window: null,
  })),
  providers: [],
  default_model: null,
  started_at: new Date().toISOString(),
});

const parts: PlanParts = {
  assets: { get: async (_owner, id) => (kinds[id] as AssetRecord | undefined) ?? null },
  workers: async () => [
    worker('media', {
      'openai/gpt-image-1': ['image'],
      'embedded/canvas': ['image'],
      'embedded/canvas-video': ['video'],
    }),
    worker('vision', { 'embedded/ocr': ['ocr'], 'openai/gpt-5': ['chat', 'vision'] }),
  ],
  defaults: { imageModel: 'embedded/canvas', videoModel: null },
};

test('images: what is left out is filled in, and the configured model is the default', async () => {
  const request = imageRequest.parse({ prompt: ' A red sun ', size: '640x480', n: 2 });
  expect(await planIris(parts, 'iris.image', owner, request)).toEqual({
    kind: 'iris.image',
    model: 'embedded/canvas',
    input: {
      model: 'embedded/canvas',
      prompts: ['A red sun'],
      n: 2,
      size: { width: 640, height: 480 },
      seed: null,
      negative_prompt: null,
      reference_asset_ids: [],
    },
  });
});

test('what a request names must be there, and be an image where one is needed', async () => {
  const unknown = imageRequest.parse({ prompts: ['a', 'b'], reference_asset_ids: [picture, newId('asset')] });
  await expect(planIris(parts, 'iris.image', owner, unknown)).rejects.toMatchObject({
    code: 'invalid_request',
    details: [{ path: 'body.reference_asset_ids.1', message: 'names no asset of this scope' }],
  });
  const film = videoRequest.parse({ prompt: 'a', image_asset_id: paper });
  await expect(planIris(parts, 'iris.video', owner, film, 'body.items.3.body')).rejects.toMatchObject({
    details: [{ path: 'body.items.3.body.image_asset_id', message: expect.stringContaining('application/pdf') }],
  });
});

test('OCR runs an engine that reads, or a model that sees; others are refused', async () => {
  const ask = (model?: string) =>
    planIris(parts, 'iris.ocr', owner, ocrRequest.parse({ asset_id: paper, ...(model && { model }) }));
  expect(await ask()).toMatchObject({
    model: 'embedded/ocr',
    input: { source: { type: 'asset', asset_id: paper }, languages: ['eng'], pages: null },
  });
  expect(await ask('openai/gpt-5')).toMatchObject({ model: 'openai/gpt-5' });
  await expect(ask('embedded/canvas')).rejects.toMatchObject({ code: 'model_not_found' });
});

test('verification takes a model that sees where something is claimed to be shown, if there is one', async () => {
  const url = 'https://example.org/a.png';
  const source = { type: 'url', url };
  expect(await planIris(parts, 'iris.verify', owner, verifyRequest.parse({ url }))).toMatchObject({
    model: null,
    input: { source, model: null },
  });
  const claimed = verifyRequest.parse({ url, prompt: 'a red sun' });
  expect(await planIris(parts, 'iris.verify', owner, claimed)).toMatchObject({ input: { model: 'openai/gpt-5' } });
  const blind = { ...parts, workers: async () => [worker('vision', { 'embedded/ocr': ['ocr'] })] };
  expect(await planIris(blind, 'iris.verify', owner, claimed)).toMatchObject({ input: { model: null } });
});

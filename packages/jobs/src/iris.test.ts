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
import type { JobServices } from './define-plan.ts';
import { JOB_PLANS } from './index.ts';

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

const servicesOf = (known: ReturnType<typeof worker>[]) =>
  ({
    database: { assets: { get: async (_owner: Owner, id: string) => kinds[id] ?? null } },
    registry: { recentWorkers: async () => known },
    config: { iris: { imageModel: 'embedded/canvas', videoModel: null } },
    outbound: { check: () => undefined },
  }) as unknown as JobServices;

const services = servicesOf([
  worker('media', {
    'openai/gpt-image-1': ['image'],
    'embedded/canvas': ['image'],
    'embedded/canvas-video': ['video'],
  }),
  worker('vision', { 'embedded/ocr': ['ocr'], 'openai/gpt-5': ['chat', 'vision'] }),
]);
const requester = { owner, agent: null, apiKeyId: null, requestId: null, path: 'body' };
const { 'iris.image': image, 'iris.video': video, 'iris.ocr': ocr, 'iris.verify': verify } = JOB_PLANS;

test('images: fills in defaults and uses the configured model', async () => {
  const request = imageRequest.parse({ prompt: ' A red sun ', size: '640x480', n: 2 });
  expect(await image.plan(request, requester, services)).toEqual({
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

test('images: requires assets that exist and are images', async () => {
  const unknown = imageRequest.parse({ prompts: ['a', 'b'], reference_asset_ids: [picture, newId('asset')] });
  await expect(image.plan(unknown, requester, services)).rejects.toMatchObject({
    code: 'invalid_request',
    details: [{ path: 'body.reference_asset_ids.1', message: 'is not an asset of this scope' }],
  });
  const film = videoRequest.parse({ prompt: 'a', image_asset_id: paper });
  await expect(video.plan(film, { ...requester, path: 'body.items.3.body' }, services)).rejects.toMatchObject({
    details: [{ path: 'body.items.3.body.image_asset_id', message: expect.stringContaining('application/pdf') }],
  });
});

test('OCR accepts an OCR engine or a vision model, and refuses others', async () => {
  const ask = (model?: string) =>
    ocr.plan(ocrRequest.parse({ asset_id: paper, ...(model && { model }) }), requester, services);
  expect(await ask()).toMatchObject({
    model: 'embedded/ocr',
    input: { source: { type: 'asset', asset_id: paper }, languages: ['eng'], pages: null },
  });
  expect(await ask('openai/gpt-5')).toMatchObject({ model: 'openai/gpt-5' });
  await expect(ask('embedded/canvas')).rejects.toMatchObject({ code: 'model_not_found' });
});

test('verification picks a vision model for prompts, if there is one', async () => {
  const url = 'https://example.org/a.png';
  const source = { type: 'url', url };
  expect(await verify.plan(verifyRequest.parse({ url }), requester, services)).toMatchObject({
    model: null,
    input: { source, model: null },
  });
  const claimed = verifyRequest.parse({ url, prompt: 'a red sun' });
  expect(await verify.plan(claimed, requester, services)).toMatchObject({ input: { model: 'openai/gpt-5' } });
  const blind = servicesOf([worker('vision', { 'embedded/ocr': ['ocr'] })]);
  expect(await verify.plan(claimed, requester, blind)).toMatchObject({ input: { model: null } });
});

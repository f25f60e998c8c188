import { buffer } from 'node:stream/consumers';
import {
  type AssetFacts,
  ChorusError,
  imageOptions,
  imageOptionsOf,
  mediaPrompt,
  requestedSize,
} from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { withUrls } from '@chorus/executions';
import { z } from 'zod';
import type { NoEffect } from '../protocols/check-fields.ts';
import { defineEndpoint, type SentFile } from '../protocols/define-endpoint.ts';
import type { PresentContext } from '../protocols/run-work.ts';

const RESPONSE_FORMATS = ['url', 'b64_json'] as const;
type ResponseFormat = (typeof RESPONSE_FORMATS)[number];

const auto = z.literal('auto');
const { quality, background, output_format, output_compression, input_fidelity } = imageOptions;

const fields = {
  prompt: mediaPrompt,
  model: z.string().min(1).max(200).nullish(),
  n: z.int().min(1).max(10).nullish(),
  size: z.union([auto, requestedSize]).nullish().describe("For example `1024x1024`. `auto`: the model's"),
  response_format: z
    .enum(RESPONSE_FORMATS)
    .nullish()
    .describe('Default: `b64_json` for the GPT image models, else `url`'),
  quality: z.union([auto, quality.unwrap()]).nullish(),
  background: z.union([auto, background.unwrap()]).nullish(),
  output_format: output_format.nullish(),
  output_compression: output_compression.nullish(),
};
const generation = z.looseObject(fields);
const edit = z.looseObject({ ...fields, input_fidelity: input_fidelity.nullish() });

/** OpenAI's fields that no model here supports. */
const refused: Record<string, NoEffect> = {
  stream: (value) => value === false || value === 'false',
  partial_images: (value) => value === 0 || value === '0',
  moderation: (value) => value === 'auto',
  style: (value) => value === 'vivid',
  complexity: () => false,
  frame_count: () => false,
  frame_duration_ms: () => false,
  svg: () => false,
  markup: () => false,
};

const answer = z.object({
  created: z.int().describe('Unix seconds'),
  data: z.array(z.object({ url: z.string().optional(), b64_json: z.string().optional() })).max(10),
  usage: z
    .object({
      input_tokens: z.int(),
      input_tokens_details: z.object({ text_tokens: z.int(), image_tokens: z.int() }),
      output_tokens: z.int(),
      total_tokens: z.int(),
    })
    .optional()
    .describe('If the provider counts tokens, and there were no images in the request'),
});

const description =
  '`quality`, `background`, `output_format`, `output_compression`, `input_fidelity` and `mask` need a model of OpenAI that takes them. Streaming is not supported.';

export const imageGenerations = defineEndpoint({
  kind: 'iris.image',
  path: '/images/generations',
  summary: 'Generate images',
  description,
  body: generation,
  refused: { ...refused, input_fidelity: () => false },
  answer,
  translate: (body) => requestOf(body),
  presenter: presenterOf(true),
});

export const imageEdits = defineEndpoint({
  kind: 'iris.image',
  path: '/images/edits',
  summary: 'Edit images',
  description: `Makes images from up to 16 reference images. ${description}`,
  body: edit,
  refused,
  file: { parts: ['image', 'mask'], maxFiles: 17 },
  fieldNames: { reference_asset_ids: 'image', mask_asset_id: 'mask' },
  answer,
  translate: (body, files) => {
    const [mask, ...masks] = idsOf(files, 'mask');
    const images = idsOf(files, 'image');
    if (images.length === 0) throw invalid('image', 'is required');
    if (images.length > 16) throw invalid('image', 'must be at most 16 files');
    if (masks.length > 0) throw invalid('mask', 'must be one file');
    return {
      ...requestOf(body),
      reference_asset_ids: images,
      ...(mask !== undefined && { mask_asset_id: mask }),
    };
  },
  presenter: presenterOf(false),
});

function requestOf(body: z.output<typeof generation> & Pick<z.output<typeof edit>, 'input_fidelity'>) {
  const { prompt, model, n, size } = body;
  const chosen = Object.entries(body).filter(([, value]) => value != null && value !== 'auto');
  // `standard` is what every model does by default.
  const options = imageOptionsOf(Object.fromEntries(chosen.filter(([, value]) => value !== 'standard')));
  return {
    prompt,
    n: n ?? 1,
    stream: false,
    metadata: {},
    ...(model != null && { model }),
    ...(size != null && size !== 'auto' && { size }),
    ...options,
  };
}

function idsOf(files: readonly SentFile[], name: string): string[] {
  return files.flatMap(({ part, asset }) => (part === name ? [asset.id] : []));
}

function invalid(field: string, message: string): ChorusError {
  const path = `body.${field}`;
  return new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}

/** @param counted whether all input tokens are those of the prompt */
function presenterOf(counted: boolean) {
  return ({ response_format: asked }: { response_format?: ResponseFormat | null | undefined }) =>
    async (record: ExecutionRecord, context: PresentContext) => {
      const format = asked ?? (/gpt-image/.test(record.model ?? '') ? 'b64_json' : 'url');
      const images = record.output.flatMap((item) => (item.type === 'asset' ? [item.asset] : []));
      const usage = counted ? usageOf(record) : null;
      if (format === 'b64_json') return piecesOf(record, images, usage, context);
      const data = images.map((asset) => ({ url: withUrls(asset, true, context.addresses.assetUrls).url }));
      return { created: createdOf(record), data, ...(usage && { usage }) };
    };
}

/** Writes the images one after another, so that only one is in memory. */
async function* piecesOf(
  record: ExecutionRecord,
  images: readonly AssetFacts[],
  usage: object | null,
  { services }: PresentContext,
) {
  yield `{"created":${createdOf(record)},"data":[`;
  for (const [index, asset] of images.entries()) {
    const bytes = await buffer(await services.assets.read(asset));
    yield `${index === 0 ? '' : ','}{"b64_json":"${bytes.toString('base64')}"}`;
  }
  yield usage === null ? ']}' : `],"usage":${JSON.stringify(usage)}}`;
}

const createdOf = ({ created_at }: ExecutionRecord) => Math.floor(created_at.getTime() / 1_000);

function usageOf({ usage: { input_tokens, output_tokens, total_tokens } }: ExecutionRecord) {
  const input_tokens_details = { text_tokens: input_tokens, image_tokens: 0 };
  return total_tokens === 0 ? null : { input_tokens, input_tokens_details, output_tokens, total_tokens };
}

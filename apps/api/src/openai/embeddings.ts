import type { Readable } from 'node:stream';
import { ChorusError, embeddingInput, MAX_EMBEDDED_TEXTS, NPY_HEADER_BYTES } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { z } from 'zod';
import { defineEndpoint, type ResultContext } from '../protocols/define-endpoint.ts';
import { namedModel } from '../protocols/named-model.ts';

const ENCODINGS = ['float', 'base64'] as const;
type Encoding = (typeof ENCODINGS)[number];

export const embeddings = defineEndpoint({
  kind: 'embedding',
  path: '/embeddings',
  summary: 'Embed texts',
  description:
    'The vectors are those of the model: normalized as its provider does. `embedded/use-lite` needs no provider. Lists of tokens are not supported.',
  body: z.looseObject({
    input: embeddingInput.describe(`A text, or up to ${MAX_EMBEDDED_TEXTS} texts`),
    model: namedModel,
    dimensions: z.int().min(1).max(10_000).nullish().describe('For models that support it'),
    encoding_format: z.enum(ENCODINGS).nullish().describe('Default: `float`'),
  }),
  answer: z.object({
    object: z.literal('list'),
    data: z
      .array(
        z.object({
          object: z.literal('embedding'),
          index: z.int(),
          embedding: z
            .union([z.array(z.number()).max(100_000), z.string()])
            .describe('Numbers, or 32-bit floats, little-endian, in base64'),
        }),
      )
      .max(MAX_EMBEDDED_TEXTS),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  }),
  translate: ({ input, model, dimensions }) => ({
    input,
    model,
    stream: false,
    metadata: {},
    ...(dimensions != null && { dimensions }),
  }),
  batch: {
    keeps: ['encoding_format'],
    present: (record, { encoding_format }, context) => presentEmbeddings(record, encoding_format ?? 'float', context),
  },
  presenter: ({ encoding_format }) => {
    const encoding = encoding_format ?? 'float';
    return (record, context) => presentEmbeddings(record, encoding, context);
  },
});

/** Presents vectors in OpenAI's form: whole, or in pieces of JSON if they are a file. */
async function presentEmbeddings(
  record: ExecutionRecord,
  encoding: Encoding,
  { services }: ResultContext,
): Promise<object> {
  const [item, file] = record.output;
  if (item?.type !== 'embeddings') throw new ChorusError('not_found', 'The embeddings have been deleted.');
  const rowBytes = item.dimensions * Float32Array.BYTES_PER_ELEMENT;
  if (item.data === null) {
    if (file?.type !== 'asset') throw new ChorusError('not_found', 'The embeddings have been deleted.');
    const values = await services.assets.read(file.asset, { start: NPY_HEADER_BYTES, end: file.asset.size_bytes - 1 });
    return piecesOf(record, encoding, rowsOf(values, rowBytes));
  }
  const bytes = Buffer.from(item.data, 'base64');
  const data = Array.from({ length: item.count }, (_, index) =>
    presentRow(bytes.subarray(index * rowBytes, (index + 1) * rowBytes), index, encoding),
  );
  return { object: 'list', data, ...ending(record) };
}

function presentRow(row: Buffer, index: number, encoding: Encoding) {
  return {
    object: 'embedding' as const,
    index,
    embedding: encoding === 'base64' ? row.toString('base64') : floats(row),
  };
}

function floats(row: Buffer): number[] {
  return Array.from({ length: row.length / 4 }, (_, at) => row.readFloatLE(at * 4));
}

function ending({ model, usage }: ExecutionRecord) {
  return { model: model ?? '', usage: { prompt_tokens: usage.input_tokens, total_tokens: usage.total_tokens } };
}

async function* piecesOf(record: ExecutionRecord, encoding: Encoding, rows: AsyncIterable<Buffer>) {
  let index = 0;
  for await (const row of rows) {
    yield (index === 0 ? '{"object":"list","data":[' : ',') + JSON.stringify(presentRow(row, index, encoding));
    index += 1;
  }
  yield `],${JSON.stringify(ending(record)).slice(1)}`;
}

/** Splits a stream into rows of equal size. */
async function* rowsOf(stream: Readable, rowBytes: number): AsyncGenerator<Buffer, void, undefined> {
  let rest = Buffer.alloc(0);
  for await (const chunk of stream) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (; at + rowBytes <= rest.length; at += rowBytes) yield rest.subarray(at, at + rowBytes);
    rest = rest.subarray(at);
  }
}

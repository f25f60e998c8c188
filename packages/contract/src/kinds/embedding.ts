import { z } from 'zod';
import { defineKind } from '../define-kind.ts';
import { delivery } from '../delivery.ts';
import { mostTokens } from '../demand.ts';
import { embeddingInput, embeddingsItem, MAX_EMBEDDED_TEXTS } from '../embeddings.ts';
import { assetItem } from '../execution.ts';

/** `POST /embeddings` */
const request = z.strictObject({
  input: embeddingInput.describe('A text, or up to 2,048 texts'),
  model: z.string().min(1).max(200).optional().describe('`provider/model`. Default: the model of the documents'),
  dimensions: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe("Length of the vectors, for models that support it. Default: the model's"),
  ...delivery,
});

/** A request costs one turn in the queue for about this many texts, or characters. */
const TEXTS_PER_TURN = 64;
const CHARACTERS_PER_TURN = 32_000;

export const embedding = defineKind({
  kind: 'embedding',
  surface: 'knowledge',
  pool: 'text',
  label: 'Embeddings',
  path: '/embeddings',
  route: {
    summary: 'Embed texts',
    description:
      'The result is one `embeddings` output item with the vectors in the order of the texts, as the model gives them. ' +
      'A text that is too long for the model is refused.',
  },
  request,
  input: z.object({
    /** `provider/model` */
    model: z.string(),
    texts: z.array(z.string()).min(1).max(MAX_EMBEDDED_TEXTS),
    /** Null: the model's default. */
    dimensions: z.int().nullable(),
  }),
  output: z.discriminatedUnion('type', [embeddingsItem, assetItem]),
  subjectOf: ({ texts }) => texts?.[0],
  capability: 'embedding',
  timeoutMs: 600_000,
  cost: ({ texts }) => {
    const characters = texts.reduce((sum, { length }) => sum + length, 0);
    return Math.max(1, Math.ceil(texts.length / TEXTS_PER_TURN), Math.ceil(characters / CHARACTERS_PER_TURN));
  },
  demand: ({ model, texts }) => ({ of: 'tokens', models: [model], input: mostTokens(texts), output: 0 }),
  ownsAssets: true,
  economy: { refuses: () => null, fits: () => true },
  batchable: true,
});

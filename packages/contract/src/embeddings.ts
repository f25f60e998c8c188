import { z } from 'zod';
import { withCommas } from './with-commas.ts';

/** The same limit as OpenAI's. */
export const MAX_EMBEDDED_TEXTS = 2_048;
/** Limit of all texts together. OpenAI's is 300,000 tokens. */
const MAX_CHARACTERS = 2_000_000;

/** LangChain for Python sends tokens by default. */
const NO_TOKENS =
  'must be text: lists of token numbers are not supported. Send the text itself; with OpenAIEmbeddings of LangChain, set check_embedding_ctx_length=False';

const text = z
  .string({ error: ({ input }) => (isTokens(input) ? NO_TOKENS : undefined) })
  .min(1, { error: 'must not be empty' });

const isTokens = (value: unknown): boolean => typeof value === 'number' || Array.isArray(value);

/** The texts of an embedding request. */
export const embeddingInput = z
  .union([text, z.array(text).min(1).max(MAX_EMBEDDED_TEXTS)])
  .refine((input) => lengthOf(input) <= MAX_CHARACTERS, {
    error: `must have at most ${withCommas(MAX_CHARACTERS)} characters in all`,
  });

const lengthOf = (input: string | string[]): number => [input].flat().reduce((sum, { length }) => sum + length, 0);

/** The vectors of an execution's texts. */
export const embeddingsItem = z.object({
  type: z.literal('embeddings'),
  count: z.int(),
  dimensions: z.int(),
  data: z
    .string()
    .nullable()
    .describe(
      'The vectors one after another: 32-bit floats, little-endian, in base64. Null beyond 256 KB: then they are in the `asset` item, a NumPy file (`.npy`).',
    ),
});
export type EmbeddingsItem = z.infer<typeof embeddingsItem>;

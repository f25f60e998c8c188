import type { ProviderName } from '@chorus/contract';
import type { EmbeddingPurpose } from './provider-port.ts';

/** What one request may hold. */
export interface EmbeddingLimits {
  texts: number;
  /** Of all texts, in UTF-8. Providers count tokens, of which a byte is never more than one; these are what is safe in any language. */
  bytes: number;
}

const DEFAULT_LIMITS: EmbeddingLimits = { texts: 32, bytes: 48_000 };

const LIMITS: Partial<Record<ProviderName, EmbeddingLimits>> = {
  // 2,048 texts and 300,000 tokens; smaller requests come back sooner, and lose less when they fail.
  openai: { texts: 256, bytes: 300_000 },
  // 100 texts, and 20,000 tokens where it runs in Google's cloud.
  google: { texts: 100, bytes: 48_000 },
  // 16,384 tokens.
  mistral: { texts: 32, bytes: 32_000 },
};

/** What of a request a provider takes at once; of those that are not known, what the usual servers take. */
export function embeddingLimits(provider: string): EmbeddingLimits {
  return LIMITS[provider as ProviderName] ?? DEFAULT_LIMITS;
}

/** How a model is asked. */
export interface EmbeddingTraits {
  /** The length that is asked for, of those that the model offers; absent: its own. */
  dimensions?: number;
  /** What the model was trained to find before a text, by what the text is for. */
  prefix?: Record<EmbeddingPurpose, string>;
}

const GOOGLE = { query: 'task: search result | query: ', document: 'title: none | text: ' };

/**
 * Models that offer vectors of several lengths are asked for one that costs little of their quality and keeps an index small; and those that tell
 * questions from documents by words before the text are given these, as their makers say it.
 */
const TRAITS: [RegExp, EmbeddingTraits][] = [
  [/^openai\/text-embedding-3-large/, { dimensions: 1_024 }],
  [/^google\/gemini-embedding-2/, { dimensions: 1_536, prefix: GOOGLE }],
  [/^google\/gemini-embedding/, { dimensions: 1_536 }],
  [/nomic-embed-text/i, { prefix: { query: 'search_query: ', document: 'search_document: ' } }],
  [/e5-[\w.-]*instruct/i, { prefix: { query: instruction('Query: '), document: '' } }],
  [/(^|[/_-])(multilingual-)?e5\b/i, { prefix: { query: 'query: ', document: 'passage: ' } }],
  [
    /(mxbai-embed|snowflake-arctic-embed|bge-(small|base|large)-en)/i,
    { prefix: { query: 'Represent this sentence for searching relevant passages: ', document: '' } },
  ],
  [/qwen3-embedding/i, { prefix: { query: instruction('Query:'), document: '' } }],
  [/embedding-?gemma/i, { prefix: GOOGLE }],
];

function instruction(label: string): string {
  return `Instruct: Given a web search query, retrieve relevant passages that answer the query\n${label}`;
}

/** @param model `provider/model` */
export function embeddingTraits(model: string): EmbeddingTraits {
  return TRAITS.find(([pattern]) => pattern.test(model))?.[1] ?? {};
}

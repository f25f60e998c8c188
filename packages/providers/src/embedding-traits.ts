import type { ProviderName } from '@chorus/contract';
import type { EmbeddingPurpose } from './provider-port.ts';

export interface EmbeddingLimits {
  texts: number;
  /** Total UTF-8 bytes. Providers count tokens, which have at least one byte, so this is safe. */
  bytes: number;
}

const DEFAULT_LIMITS: EmbeddingLimits = { texts: 32, bytes: 48_000 };

const LIMITS: Partial<Record<ProviderName, EmbeddingLimits>> = {
  // The limits are 2,048 texts and 300,000 tokens, but smaller requests return sooner and lose less on failure.
  openai: { texts: 256, bytes: 300_000 },
  // 100 texts, and 20,000 tokens in Google's cloud.
  google: { texts: 100, bytes: 48_000 },
  // 16,384 tokens.
  mistral: { texts: 32, bytes: 32_000 },
};

/** Returns a provider's limits, or those of typical servers. */
export function embeddingLimits(provider: string): EmbeddingLimits {
  return LIMITS[provider as ProviderName] ?? DEFAULT_LIMITS;
}

export interface EmbeddingTraits {
  dimensions?: number;
  /** Prefixes that the model was trained with, by purpose. */
  prefix?: Record<EmbeddingPurpose, string>;
  /** Whether it is trained for vectors of several lengths. */
  resizable: boolean;
}

const GOOGLE = { query: 'task: search result | query: ', document: 'title: none | text: ' };

/**
 * Models that support several dimensions use one that costs little quality and keeps the index small. Models that
 * distinguish questions from documents by a prefix get the documented prefix.
 */
const TRAITS: [RegExp, Omit<EmbeddingTraits, 'resizable'>][] = [
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

const RESIZABLE =
  /text-embedding-3|^google\/gemini-embedding|nomic-embed-text|mxbai-embed-large|arctic-embed2|arctic-embed-.*-v(1\.5|2)|qwen3-embedding|embedding-?gemma|jina-embeddings-v[345]/i;

/** @param model `provider/model` */
export function embeddingTraits(model: string): EmbeddingTraits {
  return { ...TRAITS.find(([pattern]) => pattern.test(model))?.[1], resizable: RESIZABLE.test(model) };
}

import type { EmbeddingModelV4, EmbeddingModelV4CallOptions } from '@ai-sdk/provider';
import { ChorusError, type Usage } from '@chorus/contract';
import type { CallFrame } from './call-attempts.ts';
import { type EmbeddingLimits, embeddingLimits, embeddingTraits } from './embedding-traits.ts';
import { callModel } from './model-call.ts';
import { costOf } from './prices.ts';
import type { CallOptions, EmbeddingPurpose, MediaPorts } from './provider-port.ts';
import { recent } from './recent.ts';

export interface EmbeddingModels {
  model(id: string): EmbeddingModelV4;
  /** The provider's own options by what the texts are for, such as a task type. */
  options?(purpose: EmbeddingPurpose, model: string): EmbeddingModelV4CallOptions['providerOptions'];
}

/** Requests of one call that are under way at once. */
const LANES = 4;
/** A text that the model finds too long is cut down to so many characters at least. */
const SHORTEST_CUT = 200;

/** Embeddings by the package's models: in requests within the provider's limits, several at once, each tried again as every call is. */
export function embeddingPort(frame: CallFrame, models: EmbeddingModels): Required<MediaPorts>['embed'] {
  const modelOf = recent(models.model);
  return async ({ model, texts, purpose }, options) => {
    const name = `${frame.provider}/${model}`;
    const { dimensions, prefix } = embeddingTraits(name);
    const providerOptions = models.options?.(purpose, model);
    const embeddings: number[][] = [];
    let tokens = 0;

    const ask = async (values: string[], own: CallOptions): Promise<number[][]> => {
      try {
        const result = await callModel(frame, own, (abortSignal) =>
          modelOf(model).doEmbed({
            values,
            abortSignal,
            ...(dimensions !== undefined && { dimensions }),
            ...(providerOptions && { providerOptions }),
          }),
        );
        tokens += result.usage?.tokens ?? 0;
        return result.embeddings;
      } catch (error) {
        const smaller = smallerThan(values, error);
        if (smaller === null) throw error;
        const parts: number[][] = [];
        for (const part of smaller) parts.push(...(await ask(part, own)));
        return parts;
      }
    };

    const batches = batchesOf(
      prefix === undefined ? texts : texts.map((text) => prefix[purpose] + text),
      embeddingLimits(frame.provider),
    );
    const ended = new AbortController();
    const own = { ...options, signal: AbortSignal.any([options.signal, ended.signal]) };
    let next = 0;
    const lane = async () => {
      for (let batch = batches[next++]; batch !== undefined; batch = batches[next++]) {
        const made = await ask(batch.values, own);
        if (made.length !== batch.values.length)
          throw new ChorusError(
            'provider_error',
            `${frame.provider} gave another number of vectors than it was asked for`,
          );
        for (const [index, vector] of made.entries()) embeddings[batch.at + index] = vector;
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(LANES, batches.length) }, lane));
    } finally {
      ended.abort(); // when one fails, nothing more is asked for
    }
    return { embeddings, usage: usageOf(name, tokens) };
  };
}

/** What is asked in place of a request that was too long: its halves, or its only text cut. Null: the failure was another, or nothing helps. */
function smallerThan(values: string[], error: unknown): string[][] | null {
  if (!(error instanceof ChorusError) || error.code !== 'context_too_long') return null;
  const [first = ''] = values;
  const middle = Math.ceil(values.length / 2);
  if (values.length > 1) return [values.slice(0, middle), values.slice(middle)];
  return first.length / 2 < SHORTEST_CUT ? null : [[first.slice(0, first.length / 2).toWellFormed()]];
}

interface Batch {
  /** The place of its first text in the call. */
  at: number;
  values: string[];
}

function batchesOf(texts: readonly string[], limits: EmbeddingLimits): Batch[] {
  const batches: Batch[] = [];
  let bytes = 0;
  for (const [at, text] of texts.entries()) {
    const own = Buffer.byteLength(text);
    const last = batches.at(-1);
    if (last === undefined || last.values.length === limits.texts || bytes + own > limits.bytes) {
      batches.push({ at, values: [text] });
      bytes = own;
    } else {
      last.values.push(text);
      bytes += own;
    }
  }
  return batches;
}

/** Tokens are 0 where the provider does not count them; then nobody knows what it cost. */
function usageOf(model: string, tokens: number): Usage {
  const cost = tokens > 0 ? costOf(model, { input: tokens, cached: 0, written: 0, output: 0 }) : null;
  return { input_tokens: tokens, output_tokens: 0, total_tokens: tokens, cost_usd: cost };
}

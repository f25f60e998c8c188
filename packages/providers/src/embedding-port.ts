import type { EmbeddingModelV4, EmbeddingModelV4CallOptions } from '@ai-sdk/provider';
import { ChorusError, type Usage } from '@chorus/contract';
import { cacheRecent } from './cache-recent.ts';
import { type CallFrame, callModel } from './call-attempts.ts';
import { type EmbeddingLimits, embeddingLimits, embeddingTraits } from './embedding-traits.ts';
import { JointCalls } from './joint-calls.ts';
import type { CallOptions, EmbeddingPurpose, MediaPorts } from './provider-port.ts';
import { tokens } from './to-usage.ts';
import { estimated } from './usage/estimate-chat.ts';
import { estimateTokens } from './usage/estimate-tokens.ts';
import { costOf } from './usage/prices.ts';

export interface EmbeddingModels {
  model(id: string): Pick<EmbeddingModelV4, 'doEmbed'>;
  /** Provider options by purpose, such as a task type. */
  options?(purpose: EmbeddingPurpose, model: string): EmbeddingModelV4CallOptions['providerOptions'];
}

const PARALLEL_REQUESTS = 4;
/** A text that is too long for the model is cut to at least this many characters. */
const MIN_CUT_LENGTH = 200;

/** Embeds texts with a package's models: batched within the provider's limits, several at once. */
export function embeddingPort(frame: CallFrame, models: EmbeddingModels): Required<MediaPorts>['embed'] {
  const modelOf = cacheRecent(models.model);
  return async ({ model, texts, purpose, dimensions: asked }, options) => {
    const name = `${frame.provider}/${model}`;
    const traits = embeddingTraits(name);
    const dimensions = asked ?? (purpose === null ? undefined : traits.dimensions);
    const prefix = purpose === null ? undefined : traits.prefix?.[purpose];
    const providerOptions = purpose === null ? undefined : models.options?.(purpose, model);
    const embeddings: number[][] = [];
    let counted = 0;
    let estimate = 0;

    const ask = async (values: string[], own: CallOptions): Promise<number[][]> => {
      try {
        const result = await callModel(frame, own, { operation: 'embeddings', model }, (abortSignal) =>
          modelOf(model).doEmbed({
            values,
            abortSignal,
            ...(dimensions !== undefined && { dimensions }),
            ...(providerOptions && { providerOptions }),
          }),
        );
        const reported = tokens(result.usage?.tokens);
        counted += reported;
        if (reported === 0) estimate += values.reduce((sum, value) => sum + estimateTokens(value), 0);
        return result.embeddings;
      } catch (error) {
        const smaller = splitRequest(values, error, purpose !== null);
        if (smaller === null) throw error;
        const parts: number[][] = [];
        for (const part of smaller) parts.push(...(await ask(part, own)));
        return parts;
      }
    };

    const batches = batchesOf(
      prefix === undefined ? texts : texts.map((text) => prefix + text),
      embeddingLimits(frame.provider),
    );
    const ended = new AbortController();
    const own = { ...options, signal: AbortSignal.any([options.signal, ended.signal]) };
    const calls = new JointCalls();
    let next = 0;
    const lane = async () => {
      for (let batch = batches[next++]; batch !== undefined; batch = batches[next++]) {
        const { values } = batch;
        const made = await calls.run(own, (joint) => ask(values, joint));
        if (made.length !== values.length)
          throw new ChorusError(
            'provider_error',
            `${frame.provider} returned a different number of vectors than requested`,
          );
        for (const [index, vector] of made.entries()) embeddings[batch.at + index] = vector;
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(PARALLEL_REQUESTS, batches.length) }, lane));
    } finally {
      ended.abort(); // cancels the rest after a failure
    }
    return { embeddings, usage: usageOf(name, counted, estimate, frame.inBatch) };
  };
}

/** Splits a request that was too long, or cuts its only text if allowed. Null: neither is possible. */
function splitRequest(values: string[], error: unknown, mayCut: boolean): string[][] | null {
  if (!(error instanceof ChorusError) || error.code !== 'context_too_long') return null;
  const [first = ''] = values;
  const middle = Math.ceil(values.length / 2);
  if (values.length > 1) return [values.slice(0, middle), values.slice(middle)];
  return !mayCut || first.length / 2 < MIN_CUT_LENGTH ? null : [[first.slice(0, first.length / 2).toWellFormed()]];
}

interface Batch {
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

/** @param estimate the tokens of requests that the provider did not count */
function usageOf(model: string, counted: number, estimate: number, inBatch: boolean | undefined): Usage {
  if (estimate > 0) return estimated(model, counted + estimate, 0, inBatch);
  const cost_usd = costOf(model, { input: counted, cached: 0, written: 0, output: 0, inBatch });
  return { input_tokens: counted, output_tokens: 0, total_tokens: counted, cost_usd };
}

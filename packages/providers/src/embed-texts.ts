import { ChorusError, type Usage } from '@chorus/contract';
import { embeddingTraits } from './embedding-traits.ts';
import type { CallOptions, EmbeddingCall, MediaPorts } from './provider-port.ts';

export interface EmbeddedTexts {
  vectors: Float32Array[];
  /** 0 without texts. */
  dimensions: number;
  usage: Usage;
}

/** Replaces blank texts, which most models refuse. */
const BLANK = '-';

/**
 * Embeds texts. With a purpose, for search: blank texts are allowed, and all vectors have length 1. Without one,
 * the vectors are the model's own.
 *
 * @throws ChorusError `provider_error` if the result is unusable; `invalid_request` if the model does not support
 * the dimensions
 */
export async function embedTexts(
  embed: Required<MediaPorts>['embed'],
  call: EmbeddingCall,
  options: CallOptions,
): Promise<EmbeddedTexts> {
  const { model, texts, purpose, dimensions: asked } = call;
  if (texts.length === 0)
    return {
      vectors: [],
      dimensions: 0,
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null },
    };
  if (asked !== undefined && !embeddingTraits(model).resizable) throw notResizable(model);
  const sayable = texts.map((text) => (purpose !== null && text.trim() === '' ? BLANK : text.toWellFormed()));
  const { embeddings, usage } = await embed({ ...call, texts: sayable }, options);
  const given = embeddings[0]?.length ?? 0;
  if (asked !== undefined && given < asked) throw notResizable(model);
  const vectors = embeddings.map((vector) => {
    if (vector.length !== given) throw unusable(model, 'vectors of different lengths');
    // The first dimensions of these models work on their own, and many servers leave the cut to the caller.
    if (asked !== undefined) return unitVector(model, Array.prototype.slice.call(vector, 0, asked));
    return purpose === null ? Float32Array.from(vector) : unitVector(model, vector);
  });
  if (vectors.length !== texts.length) throw unusable(model, `${vectors.length} vectors for ${texts.length} texts`);
  return { vectors, dimensions: asked ?? given, usage };
}

function unitVector(model: string, vector: ArrayLike<number>): Float32Array {
  const unit = Float32Array.from(vector);
  const length = Math.sqrt(unit.reduce((sum, value) => sum + value * value, 0));
  if (!(length > 0 && Number.isFinite(length))) throw unusable(model, 'a zero or infinite vector');
  return unit.map((value) => value / length);
}

function notResizable(model: string): ChorusError {
  const message = `is not supported by ${model}`;
  return new ChorusError('invalid_request', `\`dimensions\` ${message}.`, {
    details: [{ path: 'body.dimensions', message }],
  });
}

function unusable(model: string, what: string): ChorusError {
  return new ChorusError('provider_error', `${model} gave ${what}`);
}

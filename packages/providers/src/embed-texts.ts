import { ChorusError, type Usage } from '@chorus/contract';
import type { CallOptions, EmbeddingCall, MediaPorts } from './provider-port.ts';

export interface EmbeddedTexts {
  vectors: Float32Array[];
  /** 0 if there was no text. */
  dimensions: number;
  usage: Usage;
}

/** Replaces blank texts, which most models refuse. */
const BLANK = '-';

/**
 * Embeds texts and scales the vectors to length 1.
 *
 * @throws ChorusError `provider_error` if the result is unusable
 */
export async function embedTexts(
  embed: Required<MediaPorts>['embed'],
  { model, texts, purpose }: EmbeddingCall,
  options: CallOptions,
): Promise<EmbeddedTexts> {
  if (texts.length === 0)
    return {
      vectors: [],
      dimensions: 0,
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null },
    };
  const sayable = texts.map((text) => (text.trim() === '' ? BLANK : text.toWellFormed()));
  const { embeddings, usage } = await embed({ model, texts: sayable, purpose }, options);
  const dimensions = embeddings[0]?.length ?? 0;
  const vectors = embeddings.map((vector) => {
    if (vector.length !== dimensions) throw unusable(model, 'vectors of different lengths');
    return unitVector(model, vector);
  });
  if (vectors.length !== texts.length) throw unusable(model, `${vectors.length} vectors for ${texts.length} texts`);
  return { vectors, dimensions, usage };
}

function unitVector(model: string, vector: ArrayLike<number>): Float32Array {
  const unit = Float32Array.from(vector);
  const length = Math.sqrt(unit.reduce((sum, value) => sum + value * value, 0));
  if (!(length > 0 && Number.isFinite(length))) throw unusable(model, 'a zero or infinite vector');
  return unit.map((value) => value / length);
}

function unusable(model: string, what: string): ChorusError {
  return new ChorusError('provider_error', `${model} gave ${what}`);
}

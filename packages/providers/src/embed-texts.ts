import { ChorusError, type Usage } from '@chorus/contract';
import type { CallOptions, EmbeddingCall, MediaPorts } from './provider-port.ts';

export interface EmbeddedTexts {
  /** One for each text, in their order. */
  vectors: Float32Array[];
  /** Of each; 0 where there was no text. */
  dimensions: number;
  usage: Usage;
}

/** Stands for a text that says nothing, which most models refuse. */
const BLANK = '-';

/**
 * Vectors of the length 1, whatever a model gives.
 * @throws ChorusError `provider_error` where what came can't be used
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
    if (vector.length !== dimensions) throw unusable(model, 'vectors of several lengths');
    return unitVector(model, vector);
  });
  if (vectors.length !== texts.length) throw unusable(model, `${vectors.length} vectors for ${texts.length} texts`);
  return { vectors, dimensions, usage };
}

function unitVector(model: string, vector: ArrayLike<number>): Float32Array {
  const unit = Float32Array.from(vector);
  const length = Math.sqrt(unit.reduce((sum, value) => sum + value * value, 0));
  if (!(length > 0 && Number.isFinite(length))) throw unusable(model, 'a vector without a direction');
  return unit.map((value) => value / length);
}

function unusable(model: string, what: string): ChorusError {
  return new ChorusError('provider_error', `${model} gave ${what}`);
}

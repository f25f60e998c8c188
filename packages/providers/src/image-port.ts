import type { ImageModelV4, SharedV4Warning } from '@ai-sdk/provider';
import { ChorusError, type Size, type Usage } from '@chorus/contract';
import type { AspectRatio } from './aspect-ratio.ts';
import { cacheRecent } from './cache-recent.ts';
import { type CallFrame, callModel } from './call-attempts.ts';
import { estimateImage } from './estimate-image.ts';
import type { ImageCall, MediaPorts } from './provider-port.ts';
import { tokens } from './to-usage.ts';
import { costOf, costOfImage, mostImageTokens } from './usage/prices.ts';

type ImageResult = Awaited<ReturnType<ImageModelV4['doGenerate']>>;

/** A provider's form of an image request, where it differs from the call. */
export interface ShapedImage {
  prompt: string;
  size?: Size;
  aspectRatio?: AspectRatio;
  /** Provider options under the provider's name. */
  options?: Parameters<ImageModelV4['doGenerate']>[0]['providerOptions'];
  warnings: string[];
}

/** @throws ChorusError `invalid_request` for unsupported options that cannot be left out */
export type ShapeImage = (call: ImageCall) => ShapedImage;

/** Providers are silent while they draw, so the idle timeout is multiplied by this. */
const IDLE_TIMEOUT_FACTOR = 5;

const REFUSED = /SAFETY|PROHIBITED|BLOCK|RECITATION|CONTENT[_-]FILTER/i;

export function imagePort(
  frame: CallFrame,
  make: (id: string) => ImageModelV4,
  shape: ShapeImage,
): Required<MediaPorts>['generateImage'] {
  const modelOf = cacheRecent(make);
  const patient: CallFrame = { ...frame, idleTimeoutMs: frame.idleTimeoutMs * IDLE_TIMEOUT_FACTOR };
  return async (call, options) => {
    const { model, seed, references, mask } = call;
    const shaped = shape(call);
    const result = await callModel(patient, options, { operation: 'image', model }, (abortSignal) =>
      modelOf(model).doGenerate({
        prompt: shaped.prompt,
        n: 1,
        size: shaped.size && `${shaped.size.width}x${shaped.size.height}`,
        aspectRatio: shaped.aspectRatio,
        seed,
        files: references?.map(({ bytes, mediaType }) => ({ type: 'file', data: bytes, mediaType })),
        mask: mask && { type: 'file', data: mask.bytes, mediaType: mask.mediaType },
        providerOptions: shaped.options ?? {},
        abortSignal,
      }),
    );
    const [image] = result.images;
    const facts = factsOf(frame.provider, result);
    if (facts.refused !== null)
      throw new ChorusError('content_refused', `${frame.provider} refused the content${facts.refused}`);
    if (image === undefined) throw new ChorusError('provider_error', `${frame.provider} returned no image`);
    return {
      bytes: typeof image === 'string' ? Buffer.from(image, 'base64') : image,
      usage: usageOf(`${frame.provider}/${model}`, call, result, facts),
      warnings: [...shaped.warnings, ...result.warnings.map((warning) => describeWarning(model, warning))],
    };
  };
}

/** Appends the negative prompt to the prompt, for models that understand prose. */
export function withNegativePrompt(prompt: string, negativePrompt: string | undefined): string {
  return negativePrompt === undefined ? prompt : `${prompt}\n\nDo not show any of this: ${negativePrompt}`;
}

export function describeWarning(model: string, warning: SharedV4Warning): string {
  switch (warning.type) {
    case 'unsupported':
      return `${model} does not take ${warning.feature}. It was left out.`;
    case 'compatibility':
      return `${model} handles ${warning.feature} differently${warning.details ? `: ${warning.details}` : ''}.`;
    case 'deprecated':
      return `${warning.setting}: ${warning.message}`;
    case 'other':
      return warning.message;
    default:
      return warning satisfies never;
  }
}

interface ImageFacts {
  refused: string | null;
  size: Size | null;
  /** Input tokens of images; null if unknown. */
  imageTokens: number | null;
}

function factsOf(provider: string, { images, providerMetadata, isRetryable }: ImageResult): ImageFacts {
  const own = (providerMetadata?.[provider] ?? {}) as Record<string, unknown>;
  const first = ((own.images as unknown[] | undefined)?.[0] ?? {}) as Record<string, unknown>;
  const reason = `${own.finishReason ?? ''} ${JSON.stringify(own.promptFeedback ?? '')}`;
  const hidden = images.length === 0 && (isRetryable === false || REFUSED.test(reason));
  // fal returns a black image for unsafe content.
  const refused = hidden ? '' : first.nsfw === true ? ': the picture was considered unsafe' : null;
  const { width, height, imageTokens } = first;
  return {
    refused,
    size: typeof width === 'number' && typeof height === 'number' ? { width, height } : null,
    imageTokens: typeof imageTokens === 'number' ? tokens(imageTokens) : null,
  };
}

function usageOf(model: string, call: ImageCall, { usage }: ImageResult, facts: ImageFacts): Usage {
  const [input, output] = [tokens(usage?.inputTokens), tokens(usage?.outputTokens)];
  const ofImages = facts.imageTokens ?? (call.references === undefined ? 0 : null);
  const byTokens = input + output === 0 ? null : costOf(model, { input, cached: 0, written: 0, output, ofImages });
  const cost = byTokens ?? costOfImage(model, facts.size ?? call.size ?? null);
  // Its price is by tokens that were not reported, or not by their kind.
  if (cost === null && mostImageTokens(model) !== null) return estimateImage({ ...call, model });
  return { input_tokens: input, output_tokens: output, total_tokens: input + output, cost_usd: cost };
}

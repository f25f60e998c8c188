import type { ImageModelV4, SharedV4Warning } from '@ai-sdk/provider';
import { ChorusError, type Size, type Usage } from '@chorus/contract';
import type { AspectRatio } from './aspect-ratio.ts';
import type { CallFrame } from './call-attempts.ts';
import { costOfImage } from './media-prices.ts';
import { callModel } from './model-call.ts';
import { costOf } from './prices.ts';
import type { ImageCall, MediaPorts } from './provider-port.ts';
import { recent } from './recent.ts';

type ImageResult = Awaited<ReturnType<ImageModelV4['doGenerate']>>;

/** How an image is asked for at a provider, where that is not by the call's own words. */
export interface ShapedImage {
  prompt: string;
  size?: Size;
  aspectRatio?: AspectRatio;
  /** The provider's own options, under its name. */
  options?: Parameters<ImageModelV4['doGenerate']>[0]['providerOptions'];
  warnings: string[];
}

/** @throws ChorusError `invalid_request` for what the model can't do, where leaving it out would not be what was asked for */
export type ShapeImage = (call: ImageCall) => ShapedImage;

/** A picture is drawn in silence: it may be waited for so many times as long as for the next word of an answer. */
const PATIENCE = 5;

/** What a provider says of an image that it does not show, in its answers' own fields. */
const REFUSED = /SAFETY|PROHIBITED|BLOCK|RECITATION|CONTENT[_-]FILTER/i;

/** Images one by one, by the package's models. */
export function imagePort(
  frame: CallFrame,
  make: (id: string) => ImageModelV4,
  shape: ShapeImage,
): Required<MediaPorts>['generateImage'] {
  const modelOf = recent(make);
  const patient: CallFrame = { ...frame, idleTimeoutMs: frame.idleTimeoutMs * PATIENCE };
  return async (call, options) => {
    const { model, seed, references } = call;
    const shaped = shape(call);
    const result = await callModel(patient, options, (abortSignal) =>
      modelOf(model).doGenerate({
        prompt: shaped.prompt,
        n: 1,
        size: shaped.size && `${shaped.size.width}x${shaped.size.height}`,
        aspectRatio: shaped.aspectRatio,
        seed,
        files: references?.map(({ bytes, mediaType }) => ({ type: 'file', data: bytes, mediaType })),
        mask: undefined,
        providerOptions: shaped.options ?? {},
        abortSignal,
      }),
    );
    const [image] = result.images;
    const told = factsOf(frame.provider, result);
    if (told.refused !== null)
      throw new ChorusError('content_refused', `${frame.provider} refused the content${told.refused}`);
    if (image === undefined) throw new ChorusError('provider_error', `${frame.provider} gave no image`);
    return {
      bytes: typeof image === 'string' ? Buffer.from(image, 'base64') : image,
      usage: usageOf(`${frame.provider}/${model}`, call, result, told),
      warnings: [...shaped.warnings, ...result.warnings.map((warning) => inWords(model, warning))],
    };
  };
}

/** What is not wanted, told in the prompt itself to a model that reads it as a person would. */
export function wordsWithout(prompt: string, negativePrompt: string | undefined): string {
  return negativePrompt === undefined ? prompt : `${prompt}\n\nDo not show any of this: ${negativePrompt}`;
}

/** A package's warning as a sentence for the user. */
export function inWords(model: string, warning: SharedV4Warning): string {
  switch (warning.type) {
    case 'unsupported':
      return `${model} does not take ${warning.feature}: it was left out.`;
    case 'compatibility':
      return `${model} takes ${warning.feature} in its own way${warning.details ? `: ${warning.details}` : ''}.`;
    case 'deprecated':
      return `${warning.setting}: ${warning.message}`;
    case 'other':
      return warning.message;
    default:
      return warning satisfies never;
  }
}

/** What the answer tells besides the picture. */
interface ImageFacts {
  /** More of why it was refused; null: it was not. */
  refused: string | null;
  size: Size | null;
  /** How many of the input tokens were those of images; null: not told. */
  imageTokens: number | null;
}

function factsOf(provider: string, { images, providerMetadata, isRetryable }: ImageResult): ImageFacts {
  const own = (providerMetadata?.[provider] ?? {}) as Record<string, unknown>;
  const first = ((own.images as unknown[] | undefined)?.[0] ?? {}) as Record<string, unknown>;
  const reason = `${own.finishReason ?? ''} ${JSON.stringify(own.promptFeedback ?? '')}`;
  const hidden = images.length === 0 && (isRetryable === false || REFUSED.test(reason));
  // What fal finds unfit to be seen, it gives as a black picture.
  const refused = hidden ? '' : first.nsfw === true ? ': the picture was not fit to be seen' : null;
  const { width, height, imageTokens } = first;
  return {
    refused,
    size: typeof width === 'number' && typeof height === 'number' ? { width, height } : null,
    imageTokens: typeof imageTokens === 'number' ? imageTokens : null,
  };
}

function usageOf(model: string, call: ImageCall, { usage }: ImageResult, told: ImageFacts): Usage {
  const { inputTokens: input = 0, outputTokens: output = 0 } = usage ?? {};
  const ofImages = told.imageTokens ?? (call.references === undefined ? 0 : null);
  const byTokens = input + output === 0 ? null : costOf(model, { input, cached: 0, written: 0, output, ofImages });
  const cost = byTokens ?? costOfImage(model, told.size ?? call.size ?? null);
  return { input_tokens: input, output_tokens: output, total_tokens: input + output, cost_usd: cost };
}

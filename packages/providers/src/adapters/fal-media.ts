import type { Experimental_VideoModelV4 as VideoModelV4 } from '@ai-sdk/provider';
import { ChorusError } from '@chorus/contract';
import { nearestRatio } from '../aspect-ratio.ts';
import type { ShapedImage } from '../image-port.ts';
import type { ImageCall, VideoCall } from '../provider-port.ts';
import type { ShapedVideo, VideoModels } from '../video-port.ts';

// fal hosts models from many vendors. Their requests differ slightly, mostly in ways that the name reveals.

const RATIOS = ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'] as const;

const TAKES_IMAGES =
  /image-to-image|[/-]edit\b|kontext|redux|inpaint|remix|upscal|omnigen|ip-adapter|background|controlnet|character|try-?on/;
const TAKES_SEVERAL = /[/-]edit\b|edit-plus|\/multi\b|omnigen/;
/** Models that accept an aspect ratio instead of pixels. */
const BY_RATIO = /ultra|imagen|photon|nano-banana|gemini|kontext/;
const NO_NEGATIVE = /flux|recraft|photon|nano-banana|gemini|omnigen/;

export function shapeFalImage({ model, prompt, size, negativePrompt, references = [] }: ImageCall): ShapedImage {
  const most = !TAKES_IMAGES.test(model) ? 0 : TAKES_SEVERAL.test(model) ? 8 : 1;
  if (references.length > most)
    throw new ChorusError(
      'invalid_request',
      most === 0
        ? `${model} takes no reference images. Use a model such as fal-ai/flux/dev/image-to-image.`
        : `${model} takes at most ${most} of the reference images`,
    );
  const ratio = size && BY_RATIO.test(model) ? nearestRatio(size, RATIOS).ratio : null;
  const leaves = negativePrompt !== undefined && NO_NEGATIVE.test(model);
  const own = {
    ...(ratio !== null && { aspect_ratio: ratio }),
    ...(negativePrompt !== undefined && !leaves && { negative_prompt: negativePrompt }),
    ...(most > 1 && references.length > 0 && { useMultipleImages: true }),
  };
  return {
    prompt,
    ...(size && ratio === null && { size }),
    options: { fal: own },
    warnings: [
      ...(ratio === null ? [] : [`${model} chooses the pixels itself. It was asked for the aspect ratio ${ratio}.`]),
      ...(leaves ? [`${model} takes no negative prompt. It was left out.`] : []),
    ],
  };
}

/**
 * Lengths in seconds by family of video models, and whether they are sent without a unit. Empty: the model decides.
 */
const LENGTHS: { names: RegExp; seconds: number[]; bare?: boolean }[] = [
  { names: /minimax\/video-01|luma-dream-machine(?!\/ray)|hunyuan|ltx-video|mochi/, seconds: [] },
  { names: /luma.*ray/, seconds: [5, 9] },
  { names: /veo/, seconds: [4, 6, 8] },
  { names: /kling/, seconds: [5, 10], bare: true },
  { names: /hailuo-02/, seconds: [6, 10], bare: true },
  { names: /pixverse/, seconds: [5, 8], bare: true },
  { names: /seedance/, seconds: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12], bare: true },
];

function shapeFalVideo({ model, size, durationS, image }: VideoCall): ShapedVideo {
  if (image !== undefined && !/image-to-video|video-01(-live)?\/image|reference/.test(model))
    throw new ChorusError(
      'invalid_request',
      `${model} takes no start image. Use a …/image-to-video model, or remove \`image_asset_id\`.`,
    );
  const family = LENGTHS.find(({ names }) => names.test(model));
  const made = family && (family.seconds.find((seconds) => seconds >= durationS) ?? family.seconds.at(-1));
  const duration = family === undefined ? durationS : made;
  const nearest = size && nearestRatio(size, RATIOS);
  const bare = family?.bare === true && duration !== undefined;
  return {
    ...(duration !== undefined && { duration }),
    ...(nearest && { aspectRatio: nearest.ratio }),
    options: { fal: bare ? { duration: String(duration) } : {} },
    warnings: [
      ...(duration === undefined ? [`${model} chooses the length itself.`] : []),
      ...(duration !== undefined && duration !== durationS
        ? [`${model} cannot make a video of ${durationS} s. This one has ${duration} s.`]
        : []),
      ...(nearest ? [`${model} chooses the pixels itself. It was asked for the aspect ratio ${nearest.ratio}.`] : []),
    ],
  };
}

export function falVideos(
  make: (id: string, own: typeof fetch) => Pick<VideoModelV4, 'doStart' | 'doStatus'>,
  reach: typeof fetch,
  headers: Record<string, string>,
): VideoModels {
  return {
    model: (id) => make(id, keepFailureReasons(reach)),
    shape: shapeFalVideo,
    fetch: reach,
    async cancel(operation, signal) {
      const { responseUrl } = operation as { responseUrl?: unknown };
      if (typeof responseUrl !== 'string' || !/^https:\/\/queue\.fal\.run\//.test(responseUrl)) return;
      const response = await reach(`${responseUrl}/cancel`, { method: 'PUT', headers, signal });
      await response.body?.cancel(); // being too late is not a failure
    },
  };
}

/** Preserves fal's reason for a failed video, of which the package keeps only the status. */
function keepFailureReasons(reach: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await reach(input, init);
    if (response.ok || (init?.method ?? 'GET') !== 'GET') return response;
    const text = await response.text();
    if (text.includes('Request is still in progress')) return new Response(text, response);
    const { detail } = detailOf(text);
    const message = typeof detail === 'string' ? detail : String(detail?.[0]?.msg ?? '');
    throw Object.assign(new Error(message), { statusCode: response.status, data: {}, detail });
  };
}

function detailOf(text: string): { detail?: string | { msg?: unknown }[] } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

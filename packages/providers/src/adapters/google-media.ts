import type { Experimental_VideoModelV4 as VideoModelV4 } from '@ai-sdk/provider';
import { nearestRatio } from '../aspect-ratio.ts';
import { type ShapedImage, withNegativePrompt } from '../image-port.ts';
import type { ImageCall, VideoCall } from '../provider-port.ts';
import type { ShapedVideo, VideoModels } from '../video-port.ts';

const IMAGE_RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'] as const;
const VIDEO_RATIOS = ['16:9', '9:16'] as const;
export const OWN_HOST = 'generativelanguage.googleapis.com';
/** Requests the larger resolution if the shorter side is at least this long. */
const FULL_HD_SIDE = 1_080;

/** Adapts requests to Gemini's image models, which choose the pixels and understand prose. */
export function shapeGoogleImage({ model, prompt, size, negativePrompt }: ImageCall): ShapedImage {
  const ratio = size && nearestRatio(size, IMAGE_RATIOS).ratio;
  return {
    prompt: withNegativePrompt(prompt, negativePrompt),
    ...(ratio && { aspectRatio: ratio }),
    warnings: [
      ...(ratio ? [`${model} chooses the pixels itself. It was asked for the aspect ratio ${ratio}.`] : []),
      ...(negativePrompt === undefined ? [] : [`${model} was asked in the prompt to leave out the negative prompt.`]),
    ],
  };
}

/** Adapts requests to Veo: two ratios, two resolutions, a few lengths. Full HD is always 8 s. */
function shapeGoogleVideo({ model, size, durationS }: VideoCall): ShapedVideo {
  const old = /^veo-2/.test(model);
  const fullHd = !old && size !== undefined && Math.min(size.width, size.height) >= FULL_HD_SIDE;
  const lengths = fullHd ? [8] : old ? [5, 6, 7, 8] : [4, 6, 8];
  const duration = lengths.find((seconds) => seconds >= durationS) ?? 8;
  const nearest = size && nearestRatio(size, VIDEO_RATIOS);
  const resolution = fullHd ? '1920x1080' : '1280x720';
  return {
    duration,
    ...(nearest && { aspectRatio: nearest.ratio, ...(!old && { resolution }) }),
    warnings: [
      ...(duration === durationS
        ? []
        : [`${model} makes videos of ${lengths.join(', ')} s. This one has ${duration} s.`]),
      ...(nearest && !nearest.exact ? [`${model} makes videos of 16:9 and 9:16. This one is ${nearest.ratio}.`] : []),
    ],
  };
}

/** @param headers sent only to Google's own addresses */
export function googleVideos(
  make: (id: string, own: typeof fetch) => Pick<VideoModelV4, 'doStart' | 'doStatus'>,
  reach: typeof fetch,
  { baseUrl, headers }: { baseUrl: string; headers: Record<string, string> },
): VideoModels {
  return {
    model: (id) => make(id, exposeRefusals(reach)),
    shape: shapeGoogleVideo,
    fetch: reach,
    credentials(url) {
      url.searchParams.delete('key'); // added by the package, and visible in every log
      return url.hostname === OWN_HOST || url.origin === new URL(baseUrl).origin ? headers : {};
    },
  };
}

/** Reports why Google filtered a video, which the package does not read. */
function exposeRefusals(reach: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await reach(input, init);
    if (!response.ok || (init?.method ?? 'GET') !== 'GET') return response;
    const text = await response.text();
    const reasons = refusalsIn(text);
    if (reasons === null) return new Response(text, response);
    throw Object.assign(new Error(reasons), { code: 'responsible_ai', data: {} });
  };
}

function refusalsIn(text: string): string | null {
  try {
    const { generateVideoResponse: made } = JSON.parse(text).response ?? {};
    const { generatedSamples = [], raiMediaFilteredReasons = [] } = made ?? {};
    return generatedSamples.length === 0 && raiMediaFilteredReasons.length > 0
      ? String(raiMediaFilteredReasons[0])
      : null;
  } catch {
    return null; // the package reports the problem
  }
}

import { createFal } from '@ai-sdk/fal';
import { PROVIDER_URLS } from '@chorus/contract';
import { callFetchTo } from '../call-fetch.ts';
import { toEndpoint } from '../endpoint.ts';
import type { AdapterContext, Provider } from '../provider-port.ts';
import { modelsByCapability, sdkProvider } from '../sdk-provider.ts';
import { falVideos, shapeFalImage } from './fal-media.ts';

const OWN_BASE_URL = PROVIDER_URLS.fal;

/**
 * Connects to fal for images and videos. fal lists over a thousand models, so a few well-known ones
 * are named here; any other can be requested by name.
 */
export function createAdapter(context: AdapterContext): Provider {
  const { baseUrl, headers, secrets } = toEndpoint(context.settings.baseUrl ?? OWN_BASE_URL, context.settings.apiKey);
  // fal uses several hosts, including one for its queue. A base URL replaces them all.
  const fetch = callFetchTo(context.settings.baseUrl && baseUrl, /(^|\.)fal\.(run|media|ai)$/);
  const apiKey = context.settings.apiKey ?? '';
  const provider = createFal({ apiKey, headers, fetch });
  return sdkProvider(context, {
    secrets,
    list: null,
    initialModels: modelsByCapability(
      [['image'], 'fal-ai/flux/dev', 'fal-ai/flux/schnell', 'fal-ai/flux-pro/v1.1', 'fal-ai/recraft/v3/text-to-image'],
      [['image'], 'fal-ai/flux/dev/image-to-image', 'fal-ai/flux-pro/kontext'],
      [['video'], 'fal-ai/minimax/video-01', 'fal-ai/luma-dream-machine', 'fal-ai/hunyuan-video'],
      [['video'], 'fal-ai/minimax/video-01/image-to-video', 'fal-ai/luma-dream-machine/image-to-video'],
    ),
    listReplaces: false,
    image: { model: (id) => provider.image(id), shape: shapeFalImage },
    video: falVideos((id, own) => createFal({ apiKey, headers, fetch: own }).video(id), fetch, {
      authorization: `Key ${apiKey}`,
      ...headers,
    }),
  });
}

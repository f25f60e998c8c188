import { Readable } from 'node:stream';
import { APICallError, type Experimental_VideoModelV4 as VideoModelV4 } from '@ai-sdk/provider';
import { ChorusError } from '@chorus/contract';
import { LaneWait } from '@chorus/lanes';
import type { AspectRatio } from './aspect-ratio.ts';
import { cacheRecent } from './cache-recent.ts';
import { type CallFrame, callModel } from './call-attempts.ts';
import { openGate } from './call-gate.ts';
import { networkCode } from './failure-facts.ts';
import { NOT_CONNECTED } from './failure-table.ts';
import { describeWarning } from './image-port.ts';
import { openDownload } from './open-download.ts';
import { toFailure } from './provider-failure.ts';
import type { CallOptions, MediaPorts, VideoCall, VideoState } from './provider-port.ts';
import { costOfVideo } from './usage/prices.ts';

type VideoQueue = Pick<VideoModelV4, 'doStart' | 'doStatus'>;

export interface ShapedVideo {
  /** Seconds; by default the provider chooses. */
  duration?: number;
  aspectRatio?: AspectRatio;
  resolution?: `${number}x${number}`;
  options?: Parameters<NonNullable<VideoModelV4['doStart']>>[0]['providerOptions'];
  warnings: string[];
}

export interface VideoModels {
  model(id: string): VideoQueue;
  /** @throws ChorusError `invalid_request` for unsupported options that cannot be left out */
  shape(call: VideoCall): ShapedVideo;
  fetch: typeof fetch;
  /** Returns the headers for a download. Removes credentials from `url`. */
  credentials?(url: URL): Record<string, string>;
  cancel?(operation: unknown, signal: AbortSignal): Promise<void>;
}

/** Errors that make a video fail for good. */
const FINAL: ReadonlySet<string> = new Set(['content_refused', 'invalid_request', 'model_not_found', 'provider_auth']);

type VideoPorts = Required<Pick<MediaPorts, 'startVideo' | 'pollVideo'>> & Pick<MediaPorts, 'cancelVideo'>;

export function videoPorts(
  frame: CallFrame,
  { model: make, shape, fetch, credentials, cancel }: VideoModels,
): VideoPorts {
  const modelOf = cacheRecent(make);
  const queueOf = (id: string) => {
    const { doStart, doStatus } = modelOf(id);
    if (!doStart || !doStatus)
      throw new ChorusError('invalid_request', `${frame.provider} does not support this kind of video`);
    return { start: doStart.bind(modelOf(id)), status: doStatus.bind(modelOf(id)) };
  };

  return {
    async startVideo(call, options) {
      const { model, prompt, fps, seed, image } = call;
      const { start } = queueOf(model);
      const shaped = shape(call);
      const { operation, warnings } = await callModel(
        frame,
        options,
        { operation: 'video', model },
        (abortSignal) =>
          start({
            prompt,
            n: 1,
            duration: shaped.duration,
            aspectRatio: shaped.aspectRatio,
            resolution: shaped.resolution,
            fps: undefined,
            seed,
            image: image && { type: 'file', data: image.bytes, mediaType: image.mediaType },
            frameImages: undefined,
            inputReferences: undefined,
            generateAudio: undefined,
            providerOptions: shaped.options ?? {},
            abortSignal,
          }),
        wasNotTaken,
      );
      const cost = costOfVideo(`${frame.provider}/${model}`, shaped.duration ?? null);
      return {
        operation,
        usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: cost },
        warnings: [
          ...shaped.warnings,
          ...(fps === undefined ? [] : [`${model} chooses the frame rate itself.`]),
          ...warnings.map((warning) => describeWarning(model, warning)),
        ],
      };
    },

    async pollVideo({ model, operation }, options): Promise<VideoState> {
      const { status } = queueOf(model);
      let state: Awaited<ReturnType<typeof status>>;
      try {
        state = await pollOnce(frame, options, model, (abortSignal) => status({ operation, abortSignal }));
      } catch (error) {
        if (error instanceof ChorusError && FINAL.has(error.code)) return { status: 'failed', error };
        throw error;
      }
      if (state.status === 'pending') return { status: 'pending' };
      if (state.status === 'error') return { status: 'failed', error: toFailure(state.error, frame).error };
      const [made] = state.videos;
      const nothing = {
        status: 'failed',
        error: new ChorusError('provider_error', `${frame.provider} returned no video`),
      } as const;
      switch (made?.type) {
        case 'url': {
          const url = new URL(made.url);
          const headers = credentials?.(url) ?? {};
          return {
            status: 'made',
            mediaType: made.mediaType,
            open: (own) => openDownload(frame, fetch, { url, headers }, own),
          };
        }
        case 'base64':
        case 'binary': {
          const bytes = typeof made.data === 'string' ? Buffer.from(made.data, 'base64') : made.data;
          return { status: 'made', mediaType: made.mediaType, open: async () => Readable.from([bytes]) };
        }
        case 'uploaded':
        case undefined:
          return nothing;
        default:
          return made satisfies never;
      }
    },

    ...(cancel && {
      async cancelVideo({ model, operation }, options) {
        await callModel(frame, options, { operation: 'video', model }, (abortSignal) => cancel(operation, abortSignal));
      },
    }),
  };
}

/** Polls with the permit of the video, or with a free one of its lane, which is then held. Else without any. */
async function pollOnce<T>(
  frame: CallFrame,
  options: CallOptions,
  model: string,
  poll: (abortSignal: AbortSignal) => PromiseLike<T>,
): Promise<T> {
  const subject = { operation: 'video', model } as const;
  if (options.permit === undefined) return callModel(frame, options, subject, poll);
  try {
    return await callModel(frame, { ...options, maxWaitS: 0 }, subject, poll);
  } catch (error) {
    // The provider makes the video whether its lane has a permit or not.
    if (!(error instanceof LaneWait && error.notStarted)) throw error;
    const { permit: _, ...others } = options;
    return callModel({ ...frame, gate: openGate }, others, subject, poll);
  }
}

/**
 * Whether the provider certainly did not accept the submission: it refused, or was not reached. A 502 or 504 from a
 * gateway proves neither.
 */
export function wasNotTaken(thrown: unknown): boolean {
  const status = APICallError.isInstance(thrown) ? (thrown.statusCode ?? 0) : 0;
  if ((status >= 400 && status < 500 && status !== 408) || status === 503 || status === 529) return true;
  return NOT_CONNECTED.test(networkCode(thrown) ?? '');
}

import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, type ErrorCode, scopeKey, usage } from '@chorus/contract';
import type { CallOptions, VideoCall, VideoOperation, VideoState } from '@chorus/providers';
import { type JobContext, Stop } from '@chorus/worker-kit';
import { z } from 'zod';
import { downloadVideo } from './download-video.ts';
import type { MediaParts, VideoPatience } from './media-parts.ts';
import { posterOf } from './poster-of.ts';
import type { MakeVideo } from './video-file.ts';

const PATIENCE: VideoPatience = {
  firstPauseMs: 1_000,
  longestPauseMs: 10_000,
  troubleMs: 300_000,
  downloadMs: 900_000,
  lastWordMs: 800,
};
/** Each pause is so many times as long as the one before. */
const GROWTH = 1.3;

/** What was paid for is fetched so many times before it is given up. */
const DOWNLOADS = 3;

/** Asking a provider to stop takes no longer, in milliseconds. */
const CANCEL_MS = 5_000;

/** What may be over when it is asked again. */
const TROUBLE: ReadonlySet<ErrorCode> = new Set(['provider_error', 'provider_rate_limited', 'timeout']);

/** `starting` is saved before a video is handed in, `started` after it: between the two it is not known whether one is being made. */
const checkpoint = z.discriminatedUnion('stage', [
  z.object({ stage: z.literal('starting') }),
  z.object({ stage: z.literal('started'), operation: z.json(), usage, warnings: z.array(z.string()) }),
]);
type Started = Extract<z.infer<typeof checkpoint>, { stage: 'started' }>;

/** Has a provider make a video, or goes on waiting for the one that an earlier attempt handed in. */
export const fetchVideo: MakeVideo = async (parts, job, call, path, tell) => {
  const { signal, executionId, note } = job;
  const patience = parts.videoPatience ?? PATIENCE;
  const started = await start(parts, job, call, patience);
  note({ usage: started.usage, warnings: started.warnings });
  await tell('queued');
  const request = { model: call.model, operation: started.operation as VideoOperation };
  const options: CallOptions = { signal, executionId, user: job.owner.user_id };
  const wait = waiting(patience, signal);
  try {
    for (let downloads = 1; ; ) {
      const state = await wait.asked(() => parts.providers.pollVideo(request, options));
      if (state?.status === 'failed') throw state.error;
      if (state?.status === 'made') {
        await tell('downloading');
        const error = await downloaded(state, path, options, patience);
        if (error === null) break;
        if (downloads === DOWNLOADS) throw error;
        downloads += 1;
      } else if (state?.status === 'pending') {
        await tell('rendering');
        // The provider goes on with it meanwhile.
        if (await job.place.isWanted()) job.place.giveBack();
      }
      await wait.pause();
    }
  } catch (error) {
    if (signal.aborted && stopsForGood(signal.reason)) stop(parts, job, request);
    throw error;
  }
  return { path, ...(await posterOf(path, scopeKey(job.owner))), usage: started.usage, warnings: started.warnings };
};

/** Hands the video in, unless an earlier attempt has done so. */
async function start(
  { providers }: MediaParts,
  { checkpoint: kept, signal, executionId }: JobContext<'iris.video'>,
  call: VideoCall,
  { lastWordMs }: VideoPatience,
): Promise<Started> {
  const earlier = checkpoint.safeParse(kept.value).data;
  if (earlier?.stage === 'started') return earlier;
  if (earlier?.stage === 'starting')
    throw new ChorusError(
      'worker_lost',
      'The worker went away while it handed the video in. The provider may be making it, at its price, so it is not handed in again; a retry does that.',
    );
  await kept.save({ stage: 'starting' });
  const { operation, usage, warnings } = await providers.startVideo(call, {
    signal: delayed(signal, lastWordMs),
    executionId,
  });
  const started: Started = { stage: 'started', operation: operation as Started['operation'], usage, warnings };
  await kept.save(started);
  return started;
}

/** Pauses that grow, and how long trouble has lasted. */
function waiting({ firstPauseMs, longestPauseMs, troubleMs }: VideoPatience, signal: AbortSignal) {
  let pauseMs = firstPauseMs;
  let troubleSince: number | null = null;
  return {
    /** Null: it could not be asked now. */
    async asked(ask: () => Promise<VideoState>): Promise<VideoState | null> {
      try {
        const state = await ask();
        troubleSince = null;
        return state;
      } catch (error) {
        signal.throwIfAborted();
        troubleSince ??= performance.now();
        const passes = error instanceof ChorusError && TROUBLE.has(error.code);
        if (!passes || performance.now() - troubleSince > troubleMs) throw error;
        return null;
      }
    },
    async pause(): Promise<void> {
      await pause(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      pauseMs = Math.min(pauseMs * GROWTH, longestPauseMs);
    },
  };
}

/** Null, or why it could not be fetched this time. */
async function downloaded(
  state: Extract<VideoState, { status: 'made' }>,
  path: string,
  options: CallOptions,
  { downloadMs }: VideoPatience,
): Promise<ChorusError | null> {
  try {
    await downloadVideo(state, path, options, downloadMs);
    return null;
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof ChorusError && TROUBLE.has(error.code)) return error;
    throw error;
  }
}

/** Another worker goes on with what is handed back. */
function stopsForGood(reason: unknown): boolean {
  return reason instanceof Stop && (reason.kind === 'cancelled' || reason.kind === 'timeout');
}

/** Not waited for: the execution's end does not depend on it. */
function stop(
  { providers }: MediaParts,
  { executionId, log }: JobContext<'iris.video'>,
  request: { model: string; operation: VideoOperation },
) {
  const options = { signal: AbortSignal.timeout(CANCEL_MS), executionId };
  providers
    .cancelVideo(request, options)
    .catch((err: unknown) => log.warn({ err }, 'the provider could not be asked to stop'));
}

/** Aborts some time after another signal does. */
function delayed(signal: AbortSignal, ms: number): AbortSignal {
  const controller = new AbortController();
  const later = () => setTimeout(() => controller.abort(signal.reason), ms).unref();
  if (signal.aborted) later();
  else signal.addEventListener('abort', later, { once: true });
  return controller.signal;
}

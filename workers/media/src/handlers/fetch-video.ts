import { setTimeout as pause } from 'node:timers/promises';
import { ChorusError, type ErrorCode, type irisVideo, scopeKey, usage } from '@chorus/contract';
import {
  type CallOptions,
  HeldPermit,
  LaneWait,
  type VideoCall,
  type VideoOperation,
  type VideoState,
} from '@chorus/providers';
import { type JobContext, Stop } from '@chorus/worker-kit';
import { z } from 'zod';
import { downloadVideo } from './download-video.ts';
import type { MediaParts, VideoTimes } from './media-parts.ts';
import { posterOf } from './poster-of.ts';
import type { MakeVideo } from './video-file.ts';

const DEFAULT_TIMES: VideoTimes = {
  firstPauseMs: 1_000,
  maxPauseMs: 10_000,
  maxErrorsMs: 300_000,
  downloadMs: 900_000,
  startGraceMs: 800,
};
/** Factor between polling intervals. */
const BACKOFF = 1.3;

/** Attempts to download a video that was paid for. */
const MAX_DOWNLOADS = 3;

/** Time limit for asking a provider to cancel. */
const CANCEL_TIMEOUT_MS = 5_000;

const TEMPORARY_ERRORS: ReadonlySet<ErrorCode> = new Set([
  'provider_error',
  'provider_unavailable',
  'provider_rate_limited',
  'timeout',
]);

/**
 * `starting` is saved before the provider is called, `started` after it. Between the two, it is unknown
 * whether the provider is making a video.
 */
const checkpoint = z.discriminatedUnion('stage', [
  z.object({ stage: z.literal('starting') }),
  z.object({ stage: z.literal('started'), operation: z.json(), usage, warnings: z.array(z.string()) }),
]);
type Started = Extract<z.infer<typeof checkpoint>, { stage: 'started' }>;

/** Has a provider make a video, or waits for the one that an earlier attempt requested. */
export const fetchVideo: MakeVideo = async (parts, job, call, path, report) => {
  // Held while the provider makes the video, since providers limit how many they make at once.
  const permit = new HeldPermit();
  try {
    return await fetchWith(permit, parts, job, call, path, report);
  } finally {
    permit.leave();
  }
};

async function fetchWith(permit: HeldPermit, ...[parts, job, call, path, report]: Parameters<MakeVideo>) {
  const { signal, note } = job;
  const times = parts.videoTimes ?? DEFAULT_TIMES;
  const started = await start(parts, job, call, times, permit);
  note({ usage: started.usage, warnings: started.warnings });
  await report('queued');
  const request = { model: call.model, operation: started.operation as VideoOperation };
  const options: CallOptions = { signal, ...job.caller };
  const polling = { ...options, permit };
  const wait = waiting(times, signal);
  try {
    for (let downloads = 1; ; ) {
      const state = await wait.asked(() => parts.providers.pollVideo(request, polling));
      if (state !== null && state.status !== 'pending') permit.leave();
      if (state?.status === 'failed') throw state.error;
      if (state?.status === 'made') {
        await report('downloading');
        const error = await downloaded(state, path, options, times);
        if (error === null) break;
        if (downloads === MAX_DOWNLOADS) throw error;
        downloads += 1;
      } else if (state?.status === 'pending') {
        await report('rendering');
      }
      await wait.pause();
    }
  } catch (error) {
    if (signal.aborted && endsExecution(signal.reason)) stop(parts, job, request);
    throw error;
  }
  return { path, ...(await posterOf(path, scopeKey(job.owner))), usage: started.usage, warnings: started.warnings };
}

/** Requests the video, unless an earlier attempt has done so. */
async function start(
  { providers }: MediaParts,
  { checkpoint: kept, signal, executionId, owner }: JobContext<typeof irisVideo.kind>,
  call: VideoCall,
  { startGraceMs }: VideoTimes,
  permit: HeldPermit,
): Promise<Started> {
  const earlier = checkpoint.safeParse(kept.value).data;
  if (earlier?.stage === 'started') return earlier;
  if (earlier?.stage === 'starting')
    throw new ChorusError(
      'worker_lost',
      'The worker stopped while it requested the video. The provider may be making it and charging for it, so it is not requested again; retry the execution to do so.',
    );
  let isAsked = false;
  const options: CallOptions = {
    signal: delayed(signal, startGraceMs),
    executionId,
    user: owner.user_id,
    permit,
    async onRequest() {
      isAsked = true;
      await kept.save({ stage: 'starting' });
    },
  };
  const { operation, usage, warnings } = await providers.startVideo(call, options).catch(async (error) => {
    // The provider takes no video now, so the next attempt may request it.
    if (isAsked && error instanceof LaneWait) await kept.save(null);
    throw error;
  });
  const started: Started = { stage: 'started', operation: operation as Started['operation'], usage, warnings };
  await kept.save(started);
  return started;
}

/** Growing polling intervals, and how long errors have lasted. */
function waiting({ firstPauseMs, maxPauseMs, maxErrorsMs }: VideoTimes, signal: AbortSignal) {
  let pauseMs = firstPauseMs;
  let errorsSince: number | null = null;
  return {
    /** Returns null if the provider cannot be reached now. */
    async asked(ask: () => Promise<VideoState>): Promise<VideoState | null> {
      try {
        const state = await ask();
        errorsSince = null;
        return state;
      } catch (error) {
        signal.throwIfAborted();
        errorsSince ??= performance.now();
        const passes = error instanceof ChorusError && TEMPORARY_ERRORS.has(error.code);
        if (!passes || performance.now() - errorsSince > maxErrorsMs) throw error;
        return null;
      }
    },
    async pause(): Promise<void> {
      await pause(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      pauseMs = Math.min(pauseMs * BACKOFF, maxPauseMs);
    },
  };
}

/** Returns null, or why the download failed. */
async function downloaded(
  state: Extract<VideoState, { status: 'made' }>,
  path: string,
  options: CallOptions,
  { downloadMs }: VideoTimes,
): Promise<ChorusError | null> {
  try {
    await downloadVideo(state, path, options, downloadMs);
    return null;
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof ChorusError && TEMPORARY_ERRORS.has(error.code)) return error;
    throw error;
  }
}

/** Returns whether the execution ends, instead of moving to another worker. */
function endsExecution(reason: unknown): boolean {
  return reason instanceof Stop && (reason.kind === 'cancelled' || reason.kind === 'timeout');
}

/** Not awaited, because the execution's end does not depend on it. */
function stop(
  { providers }: MediaParts,
  { executionId, log }: JobContext<typeof irisVideo.kind>,
  request: { model: string; operation: VideoOperation },
) {
  const options = { signal: AbortSignal.timeout(CANCEL_TIMEOUT_MS), executionId };
  providers
    .cancelVideo(request, options)
    .catch((err: unknown) => log.warn({ err }, 'the provider could not be asked to cancel'));
}

/** Returns a signal that aborts with a delay after another one. */
function delayed(signal: AbortSignal, ms: number): AbortSignal {
  const controller = new AbortController();
  const later = () => setTimeout(() => controller.abort(signal.reason), ms).unref();
  if (signal.aborted) later();
  else signal.addEventListener('abort', later, { once: true });
  return controller.signal;
}

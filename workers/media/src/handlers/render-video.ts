import { scopeKey } from '@chorus/contract';
import { perceptualHash } from '@chorus/media';
import type { MakeVideo } from './video-file.ts';

const REPORT_INTERVAL_MS = 250;

/** Renders a video frame by frame. */
export const renderVideo: MakeVideo = async ({ providers }, { owner, signal, executionId }, call, path, report) => {
  await report('rendering');
  let toldAt = 0;
  const { width, height, durationMs, poster, usage, warnings } = await providers.renderVideo(call, {
    signal,
    executionId,
    path,
    onFrame(completed, total) {
      const now = performance.now();
      if (now - toldAt < REPORT_INTERVAL_MS && completed < total) return;
      toldAt = now;
      report('rendering', completed, total)?.catch(() => {}); // the next report supersedes it
    },
  });
  return {
    path,
    perceptualHash: await perceptualHash(poster, { owner: scopeKey(owner) }),
    facts: { width, height, duration_ms: durationMs },
    poster,
    usage,
    warnings,
  };
};

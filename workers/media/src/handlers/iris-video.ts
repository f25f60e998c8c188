import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AssetFacts, IrisVideoInput } from '@chorus/contract';
import type { VideoCall } from '@chorus/providers';
import type { Handler, JobContext, JobResult } from '@chorus/worker-kit';
import { fetchVideo } from './fetch-video.ts';
import { givenImages } from './given-image.ts';
import { keepMade, keptBefore } from './keep-made.ts';
import { type MediaParts, makerOf } from './media-parts.ts';
import { renderVideo } from './render-video.ts';
import { Tally } from './tally.ts';
import type { TellProgress } from './video-file.ts';

/**
 * One video: rendered here, or made by a provider, which is asked until it is there. What a provider makes is kept as a checkpoint, so that an attempt
 * that takes over goes on waiting for it, and nothing is paid twice.
 */
export const irisVideo = (parts: MediaParts): Handler<'iris.video'> => ({
  async run(job): Promise<JobResult> {
    const { input, owner, executionId, signal, emit, note } = job;
    note(makerOf(input.model));
    const tell: TellProgress = (stage, completed = 0, total = 1) =>
      emit({ type: 'progress', progress: { completed, total, stage } });

    const kept = (await keptBefore(parts, job)).get(0);
    if (kept) return ended(job, kept, new Tally(job.checkpoint.value).known);
    await tell('starting');
    // Nothing is paid for that could not be kept.
    await parts.assets.quota.check(owner);
    const ids = input.image_asset_id === null ? [] : [input.image_asset_id];
    const [image] = await givenImages(parts.assets, job, ids);
    const call: VideoCall = { ...callOf(input), ...(image && { image }) };

    const folder = await mkdtemp(join(tmpdir(), 'chorus-video-'));
    try {
      const make = (await parts.providers.rendersVideos(input.model)) ? renderVideo : fetchVideo;
      const file = await make(parts, job, call, join(folder, 'video'), tell);
      const { path, perceptualHash, facts, poster, usage, warnings } = file;
      note({ usage, warnings });
      await tell('storing');
      const { model, prompt } = input;
      const asset = await keepMade(
        parts,
        {
          body: { path },
          kind: 'video',
          owner,
          executionId,
          outputIndex: 0,
          model,
          prompt,
          perceptualHash,
          ...(facts && { facts }),
          ...(poster && { poster }),
        },
        signal,
      );
      return ended(job, asset, { usage, warnings });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

function callOf({ model, prompt, duration_s, fps, size, seed }: IrisVideoInput): VideoCall {
  return {
    model,
    prompt,
    durationS: duration_s,
    ...(fps !== null && { fps }),
    ...(size && { size }),
    ...(seed !== null && { seed }),
  };
}

async function ended(
  { input, emit }: JobContext<'iris.video'>,
  asset: AssetFacts,
  known: Tally['known'],
): Promise<JobResult> {
  const item = { type: 'asset', asset } as const;
  await emit({ type: 'output.item', index: 0, item });
  await emit({ type: 'progress', progress: { completed: 1, total: 1, stage: 'storing' } });
  return { output: [item], ...known, ...makerOf(input.model), finish_reason: 'stop' };
}

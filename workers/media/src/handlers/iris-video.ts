import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AssetFacts, IrisVideoInput, JobOutput } from '@chorus/contract';
import type { VideoCall } from '@chorus/providers';
import type { Handler, JobContext, JobResult } from '@chorus/worker-kit';
import { fetchVideo } from './fetch-video.ts';
import { type MediaParts, makerOf } from './media-parts.ts';
import { readInputImages } from './read-input-images.ts';
import { renderVideo } from './render-video.ts';
import { storedBefore, storeGenerated } from './store-generated.ts';
import { Tally } from './tally.ts';
import type { ReportProgress } from './video-file.ts';

/**
 * Makes a video: rendered here, or by a provider that is polled. The provider's operation is saved as a
 * checkpoint,
 * so that a takeover continues to wait and pays nothing twice.
 */
export const irisVideo = (parts: MediaParts): Handler<'iris.video'> => ({
  async run(job) {
    const { input, owner, executionId, signal, emit, note } = job;
    note(makerOf(input.model));
    const report: ReportProgress = (stage, completed = 0, total = 1) =>
      emit({ type: 'progress', progress: { completed, total, stage } });

    const kept = (await storedBefore(parts, job)).get(0);
    if (kept) return ended(job, kept, new Tally(job.checkpoint.value).known);
    await report('starting');
    // Checks the quota before paying.
    await parts.assets.quota.check(owner);
    const ids = input.image_asset_id === null ? [] : [input.image_asset_id];
    const [image] = await readInputImages(parts.assets, job, ids);
    const call: VideoCall = { ...callOf(input), ...(image && { image }) };

    const folder = await mkdtemp(join(tmpdir(), 'chorus-video-'));
    try {
      const make = (await parts.providers.rendersVideos(input.model)) ? renderVideo : fetchVideo;
      const file = await make(parts, job, call, join(folder, 'video'), report);
      const { path, perceptualHash, facts, poster, usage } = file;
      const warnings = [...file.warnings, ...parts.provenance.warnings];
      note({ usage, warnings });
      await report('storing');
      const { model, prompt } = input;
      const asset = await storeGenerated(
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
): Promise<JobResult<JobOutput<'iris.video'>>> {
  const item = { type: 'asset', asset } as const;
  await emit({ type: 'output.item', index: 0, item });
  await emit({ type: 'progress', progress: { completed: 1, total: 1, stage: 'storing' } });
  return { output: [item], ...known, ...makerOf(input.model), finish_reason: 'stop' };
}

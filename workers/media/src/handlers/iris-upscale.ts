import { type AssetFacts, ChorusError, scopeKey } from '@chorus/contract';
import { enlargeImage, MediaError, perceptualHash } from '@chorus/media';
import type { Handler, JobContext } from '@chorus/worker-kit';
import { type MediaParts, makerOf } from './media-parts.ts';
import { storedBefore, storeGenerated } from './store-generated.ts';

export const irisUpscale = (parts: MediaParts): Handler<'iris.upscale'> => ({
  models: ['embedded/lanczos'],
  async run(job) {
    const maker = makerOf(job.input.model);
    job.note(maker);
    // An attempt that takes over finds the asset that the one before it stored.
    const asset = (await storedBefore(parts, job)).get(0) ?? (await upscale(parts, job));
    const item = { type: 'asset' as const, asset };
    await job.emit({ type: 'output.item', index: 0, item });
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0 };
    return { output: [item], usage, ...maker, finish_reason: 'stop', warnings: [...parts.provenance.warnings] };
  },
});

async function upscale(
  parts: MediaParts,
  { input, owner, executionId, signal }: JobContext<'iris.upscale'>,
): Promise<AssetFacts> {
  const { asset_id, factor, model } = input;
  const record = await parts.assets.get(owner, asset_id);
  if (record === null) throw new ChorusError('invalid_request', `The image ${asset_id} has been deleted.`);
  const source = {
    sizeBytes: record.size_bytes,
    open: (range?: { start: number; end: number }) => parts.assets.read(record, range),
  };
  const call = { owner: scopeKey(owner) };
  try {
    const body = await enlargeImage(source, factor, call);
    signal.throwIfAborted();
    const made = { body, kind: 'image', perceptualHash: await perceptualHash(body, call) } as const;
    const prompt = `${record.filename ?? 'image'} ${factor}x`;
    return await storeGenerated(parts, { ...made, owner, executionId, outputIndex: 0, model, prompt }, signal);
  } catch (error) {
    if (error instanceof MediaError) throw new ChorusError('invalid_request', error.message, { cause: error });
    throw error;
  }
}

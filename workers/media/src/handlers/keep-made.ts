import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { assetFactsOf, type NewAsset } from '@chorus/assets';
import { type AssetFacts, ChorusError, type Owner } from '@chorus/contract';
import { detectType, extensionOf, HEAD_BYTES } from '@chorus/media';
import { type JobContext, persist } from '@chorus/worker-kit';
import type { MediaParts } from './media-parts.ts';

/** Something that was made, before it is an asset. */
export interface Made {
  /** Bytes, or a file. */
  body: Uint8Array | { path: string };
  kind: 'image' | 'video';
  owner: Owner;
  executionId: string;
  /** Its place in the execution's output. */
  outputIndex: number;
  model: string;
  /** What it is called after. */
  prompt: string;
  /** Of the image, or of the video's first frame. */
  perceptualHash: string | null;
  facts?: NewAsset['facts'];
  poster?: Uint8Array;
}

/**
 * Signs what was made, stores it and remembers it. What was paid for is not lost to a store that is away for a minute.
 * @throws {ChorusError} `provider_error` where it is not what was asked for; `store_unavailable`
 */
export async function keepMade(
  { assets, provenance }: Pick<MediaParts, 'assets' | 'provenance'>,
  made: Made,
  signal: AbortSignal,
): Promise<AssetFacts> {
  const { owner, executionId, outputIndex, model, kind, perceptualHash, facts, poster } = made;
  const type = await typeOf(made.body);
  if (type.kind !== kind) throw new ChorusError('provider_error', `${model} gave no ${kind}, but ${type.mime_type}`);
  const making = {
    mime: type.mime_type,
    executionId,
    model,
    procedural: model.startsWith('embedded/'),
    perceptualHash,
  };
  const { body, unsignedSha256 } = await provenance.finish(made.body, making, signal);
  const asset = await persist(
    () =>
      assets.create({
        owner,
        body: body instanceof Uint8Array ? body : createReadStream(body.path),
        filename: `${nameOf(made)}.${extensionOf(type.mime_type)}`,
        executionId,
        outputIndex,
        ...(facts && { facts }),
        ...(poster && { poster }),
      }),
    () => !signal.aborted,
  );
  await persist(() => provenance.recordGenerated({ asset, executionId, model, unsignedSha256, perceptualHash }));
  return assetFactsOf(asset);
}

/** What an earlier attempt has stored, and may not have come to remember. */
export async function keptBefore(
  { assets, provenance }: Pick<MediaParts, 'assets' | 'provenance'>,
  {
    owner,
    executionId,
    input: { model },
  }: Pick<JobContext<'iris.image' | 'iris.video'>, 'owner' | 'executionId' | 'input'>,
): Promise<Map<number, AssetFacts>> {
  const kept = new Map<number, AssetFacts>();
  for (const asset of await assets.ofExecution(owner, executionId)) {
    if (asset.output_index === null) continue;
    await provenance.recordGenerated({ asset, executionId, model, unsignedSha256: asset.sha256 });
    kept.set(asset.output_index, assetFactsOf(asset));
  }
  return kept;
}

async function typeOf(body: Made['body']) {
  if (body instanceof Uint8Array) return detectType(body.subarray(0, HEAD_BYTES), body.length <= HEAD_BYTES);
  const file = await open(body.path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return await detectType(buffer.subarray(0, bytesRead), bytesRead < HEAD_BYTES);
  } finally {
    await file.close();
  }
}

/** The first words of the prompt, so that downloads can be told from each other. */
function nameOf({ prompt, outputIndex, kind }: Made): string {
  const words = prompt
    .slice(0, 200)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return `${words?.slice(0, 6).join('-').slice(0, 60).toWellFormed() || kind}-${outputIndex + 1}`;
}

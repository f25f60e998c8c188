import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { assetFactsOf, type NewAsset } from '@chorus/assets';
import { type AssetFacts, ChorusError, type Owner } from '@chorus/contract';
import { detectType, extensionOf, HEAD_BYTES } from '@chorus/media';
import { persist } from '@chorus/worker-kit';
import type { MediaJob, MediaParts } from './media-parts.ts';

/** A generated file, before it is an asset. */
export interface GeneratedFile {
  /** Bytes or a file. */
  body: Uint8Array | { path: string };
  kind: 'image' | 'video';
  owner: Owner;
  executionId: string;
  outputIndex: number;
  model: string;
  prompt: string;
  perceptualHash: string | null;
  facts?: NewAsset['facts'];
  poster?: Uint8Array;
}

/**
 * Signs, stores, and records a generated file. Retries for a minute, because it was paid for.
 * @throws {ChorusError} `provider_error` for an unexpected type; `store_unavailable`
 */
export async function storeGenerated(
  { assets, provenance }: Pick<MediaParts, 'assets' | 'provenance'>,
  made: GeneratedFile,
  signal: AbortSignal,
): Promise<AssetFacts> {
  const { owner, executionId, outputIndex, model, kind, perceptualHash, facts, poster } = made;
  const type = await typeOf(made.body);
  if (type.kind !== kind)
    throw new ChorusError('provider_error', `${model} returned ${type.mime_type} instead of the requested ${kind}`);
  const making = {
    mime: type.mime_type,
    executionId,
    model,
    procedural: model.startsWith('embedded/'),
    perceptualHash,
  };
  const { body, unsignedSha256 } = await provenance.sign(made.body, making, signal);
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

/** Returns files that an earlier attempt stored, recorded or not. */
export async function storedBefore(
  { assets, provenance }: Pick<MediaParts, 'assets' | 'provenance'>,
  { owner, executionId, input: { model } }: Pick<MediaJob, 'owner' | 'executionId' | 'input'>,
): Promise<Map<number, AssetFacts>> {
  const kept = new Map<number, AssetFacts>();
  for (const asset of await assets.ofExecution(owner, executionId)) {
    if (asset.output_index === null) continue;
    await provenance.recordGenerated({ asset, executionId, model, unsignedSha256: asset.sha256 });
    kept.set(asset.output_index, assetFactsOf(asset));
  }
  return kept;
}

async function typeOf(body: GeneratedFile['body']) {
  if (body instanceof Uint8Array) return detectType(body.subarray(0, HEAD_BYTES), body.length <= HEAD_BYTES);
  const file = await open(body.path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return await detectType(buffer.subarray(0, bytesRead), bytesRead < HEAD_BYTES);
  } finally {
    await file.close();
  }
}

/** Names the file after the first words of the prompt. */
function nameOf({ prompt, outputIndex, kind }: GeneratedFile): string {
  const words = prompt
    .slice(0, 200)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return `${words?.slice(0, 6).join('-').slice(0, 60).toWellFormed() || kind}-${outputIndex + 1}`;
}

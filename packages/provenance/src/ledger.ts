import type { Owner } from '@chorus/contract';
import type { AssetRecord, LedgerRecord, ProvenanceRepository } from '@chorus/database';
import { hashDistance } from '@chorus/media';
import { bandsNear, bandsOf, isPerceptualHash, SIMILAR_RADIUS } from './hash-bands.ts';

/** What is recorded of something that was made here. */
export interface Generated {
  /** As it was stored. */
  asset: Pick<AssetRecord, 'id' | 'owner' | 'sha256' | 'kind' | 'perceptual_hash' | 'created_at'>;
  executionId: string;
  /** `provider/model` */
  model: string;
  /** Of the content before it was signed, as `finish` tells it: whoever takes the signature off is still known. */
  unsignedSha256: string;
  /** Where the asset has none of its own, as videos: that of the poster. 16 hexadecimal digits. */
  perceptualHash?: string | null;
}

export interface Similar {
  record: LedgerRecord;
  /** Bits of 64 in which the perceptual hashes differ. */
  distance: number;
}

export interface Ledger {
  /** Remembers that something was made here. Can be repeated: the first record of an asset stays. @throws {ChorusError} store_unavailable */
  recordGenerated(generated: Generated): Promise<void>;
  /** What was made in the owner's scope with exactly this content; at most five. @throws {ChorusError} store_unavailable */
  withContent(owner: Owner, sha256: string): Promise<LedgerRecord[]>;
  /**
   * What was made in the owner's scope and looks like this: at most five, the likest first. All within `SIMILAR_RADIUS` bits are looked at, unless
   * more than 20,000 share a part of their hash. (Two round trips.) @throws {ChorusError} store_unavailable
   */
  similarTo(owner: Owner, perceptualHash: string): Promise<Similar[]>;
}

const MAX_FOUND = 5;
const MAX_CANDIDATES = 20_000;

export function createLedger(repository: ProvenanceRepository): Ledger {
  return {
    recordGenerated: ({ asset, executionId, model, unsignedSha256, perceptualHash }) => {
      const hash = asset.perceptual_hash ?? perceptualHash ?? null;
      const known = hash !== null && isPerceptualHash(hash);
      return repository.record({
        id: asset.id,
        owner: asset.owner,
        execution_id: executionId,
        kind: asset.kind === 'video' ? 'video' : 'image',
        model,
        sha256: [...new Set([asset.sha256, unsignedSha256])],
        perceptual_hash: known ? hash : null,
        bands: known ? bandsOf(hash) : [],
        created_at: asset.created_at,
      });
    },
    withContent: (owner, sha256) => repository.withContent(owner, sha256, MAX_FOUND),
    similarTo: async (owner, hash) => {
      if (!isPerceptualHash(hash)) return [];
      const candidates = await repository.withBands(owner, bandsNear(hash), MAX_CANDIDATES);
      const likest = candidates
        .map(({ id, perceptual_hash }) => ({ id, distance: hashDistance(hash, perceptual_hash) }))
        .filter(({ distance }) => distance <= SIMILAR_RADIUS)
        .sort((one, other) => one.distance - other.distance)
        .slice(0, MAX_FOUND);
      const records = await repository.getMany(
        owner,
        likest.map(({ id }) => id),
      );
      return likest.flatMap(({ id, distance }) => {
        const record = records.find((found) => found.id === id);
        return record ? { record, distance } : [];
      });
    },
  };
}

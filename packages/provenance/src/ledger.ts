import type { Owner } from '@chorus/contract';
import type { AssetRecord, LedgerRecord, ProvenanceRepository } from '@chorus/database';
import { hashDistance } from '@chorus/media';
import { bandsNear, bandsOf, isPerceptualHash, SIMILAR_RADIUS } from './hash-bands.ts';

export interface Generated {
  asset: Pick<AssetRecord, 'id' | 'owner' | 'sha256' | 'kind' | 'perceptual_hash' | 'created_at'>;
  executionId: string;
  /** `provider/model` */
  model: string;
  /** Hash of the content before signing, from `sign`, to recognize it without its signature. */
  unsignedSha256: string;
  /** For assets without their own hash, such as videos: the poster's. 16 hexadecimal digits. */
  perceptualHash?: string | null;
}

export interface Similar {
  record: LedgerRecord;
  /** Differing bits of 64. */
  distance: number;
}

export interface Ledger {
  /** Records a generated asset. Idempotent: the first record stays. @throws {ChorusError} store_unavailable */
  recordGenerated(generated: Generated): Promise<void>;
  /** Returns up to five assets of the owner's scope with this content. @throws {ChorusError} store_unavailable */
  findByContent(owner: Owner, sha256: string): Promise<LedgerRecord[]>;
  /**
   * Returns up to five similar assets of the owner's scope, most similar first. Compares all within
   * `SIMILAR_RADIUS` bits, unless more than 20,000 share a band. Takes two round trips. @throws {ChorusError}
   * store_unavailable
   */
  findSimilar(owner: Owner, perceptualHash: string): Promise<Similar[]>;
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
    findByContent: (owner, sha256) => repository.withContent(owner, sha256, MAX_FOUND),
    findSimilar: async (owner, hash) => {
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

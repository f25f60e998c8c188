import type { AssetStore } from '@chorus/assets';
import { ChorusError, type Owner } from '@chorus/contract';
import { imageSimilarity, MediaError } from '@chorus/media';
import type { Provenance, Similar } from '@chorus/provenance';
import { dayOf, shownRecord } from './shown-record.ts';
import type { Subject } from './subject.ts';
import type { OriginFinding } from './verification.ts';

export interface SimilarityParts {
  provenance: Pick<Provenance, 'findSimilar'>;
  assets: Pick<AssetStore, 'get' | 'thumbnail'>;
}

/** Hashes with fewer different bits do not match by chance, even among a million. */
const MATCH_DISTANCE = 6;

/** Records with the nearest hashes whose pictures are compared. */
const MAX_COMPARED = 3;

/**
 * Measured by `npm run bench -- provenance`: copies score above 0.95, even cropped; the most similar of 7,140
 * pairs
 * of different pictures scores 0.69.
 */
const SAME = 0.9;
const OTHER = 0.7;

/** A record with a near hash. `likeness` of the pictures is from 0 to 1; null if the picture is gone. */
interface Compared extends Similar {
  likeness: number | null;
}

/**
 * Checks whether something similar was made in the owner's scope. Candidates have near hashes. If their assets
 * still exist, the pictures decide, because a near hash can be a coincidence.
 */
export async function checkSimilarity(
  parts: SimilarityParts,
  owner: Owner,
  subject: Subject,
  signal: AbortSignal,
): Promise<OriginFinding> {
  const { perceptualHash, unseen } = subject;
  if (perceptualHash === null)
    return {
      origin: null,
      result: 'skipped',
      reason: `Its appearance cannot be compared. ${unseen}`,
      details: {},
    };
  const compared: Compared[] = [];
  for (const similar of (await parts.provenance.findSimilar(owner, perceptualHash)).slice(0, MAX_COMPARED)) {
    signal.throwIfAborted();
    compared.push({ ...similar, likeness: await compare(parts.assets, owner, similar, subject) });
  }
  const details = {
    perceptual_hash: perceptualHash,
    records: compared.map(({ record, distance, likeness }) => ({ ...shownRecord(record), distance, likeness })),
  };
  return { ...judge(compared), details };
}

function judge(compared: Compared[]): Omit<OriginFinding, 'details'> {
  const same = compared.find(isSame);
  if (same !== undefined) return { origin: 'here_altered', result: 'match', reason: `It looks like ${nameOf(same)}.` };
  const perhaps = compared.find(({ likeness }) => likeness === null || likeness >= OTHER);
  if (perhaps !== undefined)
    return { origin: null, result: 'uncertain', reason: `It resembles ${nameOf(perhaps)}: it may be a changed copy.` };
  return {
    origin: null,
    result: 'absent',
    reason: 'Nothing made in this scope looks like it. Mirrored, rotated, or heavily cropped copies are not found.',
  };
}

const isSame = ({ likeness, distance }: Compared) =>
  likeness === null ? distance <= MATCH_DISTANCE : likeness >= SAME;

const nameOf = ({ record }: Compared) => `an output of ${record.model} in this scope on ${dayOf(record)}`;

async function compare(
  assets: SimilarityParts['assets'],
  owner: Owner,
  { record }: Similar,
  subject: Subject,
): Promise<number | null> {
  const asset = await assets.get(owner, record.id);
  const own = asset === null ? null : await subject.thumbnail();
  if (asset === null || own === null) return null;
  try {
    const thumbnail = await assets.thumbnail(asset);
    if (thumbnail === null) return null;
    return Math.round((await imageSimilarity(own, thumbnail, { owner: subject.owner })) * 1_000) / 1_000;
  } catch (error) {
    // Deleted or unavailable: the hash still counts.
    if (error instanceof MediaError || error instanceof ChorusError) return null;
    throw error;
  }
}

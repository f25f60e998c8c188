import type { AssetStore } from '@chorus/assets';
import { ChorusError, type Owner } from '@chorus/contract';
import { MediaError, pictureLikeness } from '@chorus/media';
import type { Provenance, Similar } from '@chorus/provenance';
import { dayOf, shownRecord } from './shown-record.ts';
import type { Subject } from './subject.ts';
import type { OriginFinding } from './verification.ts';

export interface SimilarityParts {
  provenance: Pick<Provenance, 'similarTo'>;
  assets: Pick<AssetStore, 'get' | 'thumbnail'>;
}

/** Perceptual hashes that are nearer than this, in bits, are not so by chance, among a million either. */
const SURE_DISTANCE = 6;

/** Of the likest by their hash so many are looked at. */
const MAX_COMPARED = 3;

/** `npm run bench -- provenance` measures it: copies keep above 0.95, also cropped at each side; of 7,140 pairs of other pictures the likest has 0.69. */
const SAME = 0.9;
const OTHER = 0.7;

/** Something that was made in the scope and is near by its hash. `likeness`, from 0 to 1: of the pictures; null: the other one is not there any more. */
interface Compared extends Similar {
  likeness: number | null;
}

/**
 * Whether something that looks like this was made in the owner's scope. A near hash finds it; where the asset is still there, the pictures themselves
 * decide, since among a million some hash is near by chance.
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
      reason: `There is nothing to compare by its looks. ${unseen}`,
      details: {},
    };
  const compared: Compared[] = [];
  for (const similar of (await parts.provenance.similarTo(owner, perceptualHash)).slice(0, MAX_COMPARED)) {
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
    reason:
      'Nothing that was made in this scope looks like it. What was mirrored, turned or cropped much is not found so.',
  };
}

const isSame = ({ likeness, distance }: Compared) => (likeness === null ? distance <= SURE_DISTANCE : likeness >= SAME);

const nameOf = ({ record }: Compared) => `what ${record.model} made in this scope on ${dayOf(record)}`;

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
    return Math.round((await pictureLikeness(own, thumbnail, { owner: subject.owner })) * 1_000) / 1_000;
  } catch (error) {
    // It went meanwhile, or can't be had now: what is known by its hash still counts.
    if (error instanceof MediaError || error instanceof ChorusError) return null;
    throw error;
  }
}

import type { Owner } from '@chorus/contract';
import type { LedgerRecord } from '@chorus/database';
import type { Provenance } from '@chorus/provenance';
import type { Subject } from './subject.ts';
import type { OriginFinding } from './verification.ts';

/** Far fewer bits than pictures that have nothing to do with each other differ in. */
const SURELY = 6;

/** Whether exactly this content was made in the owner's scope. */
export async function checkLedger(
  provenance: Pick<Provenance, 'withContent'>,
  owner: Owner,
  { sha256 }: Subject,
): Promise<OriginFinding> {
  const records = await provenance.withContent(owner, sha256);
  const [first] = records;
  if (first === undefined)
    return {
      origin: null,
      result: 'absent',
      reason: 'Nothing with exactly this content is recorded as made in this scope.',
      details: { sha256 },
    };
  return {
    origin: 'here',
    result: 'match',
    reason: `Exactly this content was made in this scope by ${first.model} on ${dayOf(first)}.`,
    details: { sha256, records: records.map(shown) },
  };
}

/** Whether something that looks like this was made in the owner's scope. */
export async function checkSimilarity(
  provenance: Pick<Provenance, 'similarTo'>,
  owner: Owner,
  { perceptualHash, unseen }: Subject,
): Promise<OriginFinding> {
  if (perceptualHash === null)
    return {
      origin: null,
      result: 'skipped',
      reason: `There is nothing to compare by its looks. ${unseen}`,
      details: {},
    };
  const similar = await provenance.similarTo(owner, perceptualHash);
  const [likest] = similar;
  const details = {
    perceptual_hash: perceptualHash,
    records: similar.map(({ record, distance }) => ({ ...shown(record), distance })),
  };
  if (likest === undefined)
    return {
      origin: null,
      result: 'absent',
      reason:
        'Nothing that was made in this scope looks like it. What was mirrored, turned or cropped much is not found so.',
      details,
    };
  const { distance, record } = likest;
  const named = `what ${record.model} made in this scope on ${dayOf(record)} (${distance} of 64 bits differ)`;
  if (distance <= SURELY)
    return { origin: 'here_altered', result: 'match', reason: `It looks like ${named}.`, details };
  return { origin: null, result: 'uncertain', reason: `It resembles ${named}: it may be a changed copy.`, details };
}

const dayOf = ({ created_at }: LedgerRecord) => created_at.toISOString().slice(0, 10);

const shown = ({ id, execution_id, model, created_at }: LedgerRecord) => ({
  asset_id: id,
  execution_id,
  model,
  created_at: created_at.toISOString(),
});

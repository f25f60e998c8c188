import type { Owner } from '@chorus/contract';
import type { Provenance } from '@chorus/provenance';
import { dayOf, shownRecord } from './shown-record.ts';
import type { Subject } from './subject.ts';
import type { OriginFinding } from './verification.ts';

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
    details: { sha256, records: records.map(shownRecord) },
  };
}

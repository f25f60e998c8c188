import type { Owner } from '@chorus/contract';
import type { Provenance } from '@chorus/provenance';
import { dayOf, shownRecord } from './shown-record.ts';
import type { Subject } from './subject.ts';
import type { OriginFinding } from './verification.ts';

export async function checkLedger(
  provenance: Pick<Provenance, 'findByContent'>,
  owner: Owner,
  { sha256 }: Subject,
): Promise<OriginFinding> {
  const records = await provenance.findByContent(owner, sha256);
  const [first] = records;
  if (first === undefined)
    return {
      origin: null,
      result: 'absent',
      reason: 'No record in this scope has exactly this content.',
      details: { sha256 },
    };
  return {
    origin: 'here',
    result: 'match',
    reason: `Exactly this content was made in this scope by ${first.model} on ${dayOf(first)}.`,
    details: { sha256, records: records.map(shownRecord) },
  };
}

import { hashDistance } from '@chorus/media';
import { type Claims, type Generation, type Provenance, SIMILAR_RADIUS } from '@chorus/provenance';
import type { Subject } from './subject.ts';
import type { OriginFinding } from './verification.ts';

export async function checkProvenance(
  provenance: Pick<Provenance, 'read'>,
  subject: Subject,
  signal: AbortSignal,
): Promise<OriginFinding> {
  const { path, mimeType } = subject.file;
  const reading = await provenance.read({ path, mime: mimeType }, signal);
  switch (reading.found) {
    case 'none':
      return absent('The file has no provenance record. Most programs drop such records when they save a file.');
    case 'unsupported':
      return absent(`Provenance records are not supported in files of the type ${mimeType}.`);
    case 'unreadable':
      return {
        origin: null,
        result: 'uncertain',
        reason: 'A provenance record cannot be read: the file or the record is damaged.',
        details: { problem: reading.reason },
      };
    case 'claims':
      return ofClaims(reading.claims, subject);
    default:
      return reading satisfies never;
  }
}

const absent = (reason: string): OriginFinding => ({ origin: null, result: 'absent', reason, details: {} });

function ofClaims(claims: Claims, subject: Subject): OriginFinding {
  const details = { ...claims };
  if (claims.ours) return { ...ofOurs(claims, subject), details };
  const parent = claims.ingredients.find(({ ours, relationship }) => ours && relationship === 'parentOf');
  if (parent?.generation && looksLike(parent.generation, subject) === 'alike') {
    const reason = `It was made here and then changed by ${nameOf(claims)}, according to its record, which includes ours.`;
    return { origin: 'here_altered', result: 'mismatch', reason, details };
  }
  return { ...ofOthers(claims), details };
}

function ofOurs(claims: Claims, subject: Subject): Omit<OriginFinding, 'details'> {
  const model = claims.generation === null ? '' : ` by ${claims.generation.model}`;
  if (claims.state === 'intact')
    return {
      origin: 'here',
      result: 'match',
      reason: `It has our signature, and its content is unchanged: it was made here${model}.${
        claims.expired ? ' The certificate has expired since.' : ''
      }`,
    };
  if (claims.state === 'invalid')
    return {
      origin: null,
      result: 'mismatch',
      reason: 'It has our signature, but the record itself was changed.',
    };
  const likeness = claims.generation === null ? 'unknown' : looksLike(claims.generation, subject);
  if (likeness === 'alike')
    return {
      origin: 'here_altered',
      result: 'mismatch',
      reason: `It has our signature, but the content was changed. It still looks like what was made here${model}.`,
    };
  return {
    origin: null,
    result: 'mismatch',
    reason:
      likeness === 'different'
        ? 'It has our signature, but for another picture: the record was moved from another file, or the content was replaced.'
        : 'It has our signature, but for other content, which cannot be compared with this one.',
  };
}

/** Records can be moved to any file, so only a similar picture counts as an altered copy. */
function looksLike(
  { perceptual_hash: signed }: Generation,
  { perceptualHash }: Subject,
): 'alike' | 'different' | 'unknown' {
  if (signed === null || perceptualHash === null || !/^[0-9a-f]{16}$/.test(signed)) return 'unknown';
  return hashDistance(signed, perceptualHash) <= SIMILAR_RADIUS ? 'alike' : 'different';
}

const UNKNOWN = 'The signer is unknown here, so this cannot be confirmed.';

function ofOthers(claims: Claims): Omit<OriginFinding, 'details'> {
  const who = nameOf(claims);
  if (claims.state === 'intact')
    return {
      origin: 'elsewhere',
      result: 'mismatch',
      reason: `It has an intact provenance record by ${who}. ${UNKNOWN}`,
    };
  if (claims.state === 'altered')
    return {
      origin: 'elsewhere',
      result: 'mismatch',
      reason: `It has a provenance record by ${who}, but the content was changed. ${UNKNOWN}`,
    };
  return {
    origin: null,
    result: 'uncertain',
    reason: `It has an invalid provenance record that names ${who}: it proves nothing.`,
  };
}

function nameOf({ generator, signer }: Claims): string {
  const by = [signer.name, signer.organization].filter((name) => name !== null);
  const signed = by.length === 0 ? '' : `, signed by ${by.map(quoted).join(' of ')}`;
  return `${generator === null ? 'an unnamed program' : quoted(generator)}${signed}`;
}

const MAX_NAME = 80;

/** Quotes a name from outside, to set it apart from our own words. */
function quoted(name: string): string {
  const plain = name.replace(/[\p{C}\p{Z}“”"]+/gu, ' ').trim();
  return `“${plain.length > MAX_NAME ? `${plain.slice(0, MAX_NAME).toWellFormed()}…` : plain}”`;
}

import { hashDistance } from '@chorus/media';
import { type Claims, type Generation, type Provenance, SIMILAR_RADIUS } from '@chorus/provenance';
import type { Subject } from './subject.ts';
import type { OriginFinding } from './verification.ts';

/** What the signed record within the file says, if there is one. */
export async function checkProvenance(
  provenance: Pick<Provenance, 'read'>,
  subject: Subject,
  signal: AbortSignal,
): Promise<OriginFinding> {
  const { path, mimeType } = subject.file;
  const reading = await provenance.read({ path, mime: mimeType }, signal);
  switch (reading.found) {
    case 'none':
      return absent(
        'The file carries no provenance record. Most programs drop such records when they save a file anew.',
      );
    case 'unsupported':
      return absent(`Files of the type ${mimeType} carry no provenance record that is understood here.`);
    case 'unreadable':
      return {
        origin: null,
        result: 'uncertain',
        reason: 'Its provenance record, if there is one, can not be read: the file is damaged, or the record is.',
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
    const reason = `It was made here, and changed since by ${nameOf(claims)}, whose record says so and has ours within it.`;
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
      reason: `It carries our signature, and the content is what was signed: it was made here${model}.${
        claims.expired ? ' The certificate has expired since.' : ''
      }`,
    };
  if (claims.state === 'invalid')
    return {
      origin: null,
      result: 'mismatch',
      reason: 'It carries a record with our signature that does not hold: the record itself was changed.',
    };
  const likeness = claims.generation === null ? 'unknown' : looksLike(claims.generation, subject);
  if (likeness === 'alike')
    return {
      origin: 'here_altered',
      result: 'mismatch',
      reason: `It carries our signature, but the content was changed since. It still looks like what was made here${model}.`,
    };
  return {
    origin: null,
    result: 'mismatch',
    reason:
      likeness === 'different'
        ? 'It carries our signature, but for another picture: the record was moved here from another file, or the content replaced.'
        : 'It carries our signature, but for another content, and whether that looked like this one can not be told.',
  };
}

/** A record can be moved to any file: only when the picture still looks like the one that was signed is it called an altered copy. */
function looksLike(
  { perceptual_hash: signed }: Generation,
  { perceptualHash }: Subject,
): 'alike' | 'different' | 'unknown' {
  if (signed === null || perceptualHash === null || !/^[0-9a-f]{16}$/.test(signed)) return 'unknown';
  return hashDistance(signed, perceptualHash) <= SIMILAR_RADIUS ? 'alike' : 'different';
}

const UNKNOWN = 'Whether that is true nobody here can tell: the signer is unknown here.';

function ofOthers(claims: Claims): Omit<OriginFinding, 'details'> {
  const who = nameOf(claims);
  if (claims.state === 'intact')
    return {
      origin: 'elsewhere',
      result: 'mismatch',
      reason: `It carries an intact provenance record by ${who}. ${UNKNOWN}`,
    };
  if (claims.state === 'altered')
    return {
      origin: 'elsewhere',
      result: 'mismatch',
      reason: `It carries a provenance record by ${who}, but the content was changed since. ${UNKNOWN}`,
    };
  return {
    origin: null,
    result: 'uncertain',
    reason: `It carries a provenance record that names ${who} and does not hold: it proves nothing.`,
  };
}

function nameOf({ generator, signer }: Claims): string {
  const by = [signer.name, signer.organization].filter((name) => name !== null);
  const signed = by.length === 0 ? '' : `, signed by ${by.map(quoted).join(' of ')}`;
  return `${generator === null ? 'an unnamed program' : quoted(generator)}${signed}`;
}

const MAX_NAME = 80;

/** A name that somebody chose, so that it can't be taken for our own words. */
function quoted(name: string): string {
  const plain = name.replace(/[\p{C}\p{Z}“”"]+/gu, ' ').trim();
  return `“${plain.length > MAX_NAME ? `${plain.slice(0, MAX_NAME).toWellFormed()}…` : plain}”`;
}

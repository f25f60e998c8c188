import { type MediaType, mediaType } from './media-types.ts';
import { decodeText, textType } from './text-type.ts';

/** So many of the first bytes are looked at, at most. */
export const HEAD_BYTES = 65_536;

/** Readers of PDF look for its beginning so far in. */
const PDF_WITHIN_BYTES = 1_024;
const PDF = '%PDF-';

/** What begins with a sign in plain text, and is more than that. */
const TEXTUAL = /^(?:application\/(?:pdf|rtf|postscript|eps|pgp-encrypted)|text\/)/;

/** What browsers show within a page: for these a second reading must be ruled out. */
const SHOWN = ['image', 'video', 'audio'];

/**
 * Finds the type of a file from its bytes alone: neither a name nor what somebody claims counts. Of several readings of the same bytes the stricter
 * wins: markup before text, and what is a picture to one program and a PDF to another is neither.
 *
 * @param head the first bytes, `HEAD_BYTES` of them or all
 * @param complete whether these are all
 */
export async function detectType(head: Uint8Array, complete: boolean): Promise<MediaType> {
  const bytes = head.subarray(0, HEAD_BYTES);
  const whole = complete && bytes.length === head.length;
  const signed = await signedType(bytes);
  const text = decodeText(bytes, whole);
  if (text !== null) {
    // A few letters at the start make no picture of a text: `BM` would.
    if (signed !== null && TEXTUAL.test(signed.mime_type)) return signed;
    const type = textType(text, whole);
    return type === 'text/plain' && holdsPdf(bytes) ? mediaType('application/pdf') : mediaType(type);
  }
  if (signed === null) return mediaType(holdsPdf(bytes) ? 'application/pdf' : 'application/octet-stream');
  if (SHOWN.includes(signed.kind) && holdsPdf(bytes)) return mediaType('application/octet-stream');
  return signed;
}

async function signedType(bytes: Uint8Array): Promise<MediaType | null> {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 5)).toString('latin1');
  if (latin1 === PDF) return mediaType('application/pdf');
  // A cover picture may be longer than what is looked at.
  if (latin1.startsWith('ID3')) return mediaType('audio/mpeg');
  const { fileTypeFromBuffer } = await import('file-type');
  try {
    const found = await fileTypeFromBuffer(bytes);
    return found === undefined ? null : mediaType(found.mime);
  } catch {
    return null; // cut off where its signs lead
  }
}

function holdsPdf(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, PDF_WITHIN_BYTES + PDF.length));
  return start.includes(PDF, 0, 'latin1');
}

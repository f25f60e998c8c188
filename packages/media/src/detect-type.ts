import { type MediaType, mediaType } from './media-types.ts';
import { lengthOfId3, typeBySignature, withoutPadding } from './signatures.ts';
import { decodeText, textType } from './text-type.ts';

export const HEAD_BYTES = 65_536;

/** PDF readers accept a header up to this offset. */
const PDF_WITHIN_BYTES = 1_024;
const PDF = '%PDF-';

/** Types whose plain-text signature is conclusive. */
const TEXTUAL = /^(?:application\/(?:pdf|rtf|postscript|eps|pgp-encrypted)|text\/)/;

/** Types that browsers display inline, which must not be ambiguous. */
const INLINE_KINDS = ['image', 'video', 'audio'];

/**
 * Detects the type of a file from its bytes, ignoring name and declared type. The stricter of several readings
 * wins: markup over text, and a file that is both an image and a PDF is neither.
 *
 * @param head the first `HEAD_BYTES` bytes, or all
 * @param complete whether `head` is the whole file
 */
export async function detectType(head: Uint8Array, complete: boolean): Promise<MediaType> {
  const bytes = head.subarray(0, HEAD_BYTES);
  const whole = complete && bytes.length === head.length;
  const signed = await signedType(bytes);
  const text = decodeText(bytes, whole);
  if (text !== null) {
    // A few letters do not make a text an image, as `BM` would.
    if (signed !== null && TEXTUAL.test(signed.mime_type)) return signed;
    const type = textType(text, whole);
    return type === 'text/plain' && holdsPdf(bytes) ? mediaType('application/pdf') : mediaType(type);
  }
  if (signed === null) return mediaType(holdsPdf(bytes) ? 'application/pdf' : 'application/octet-stream');
  if (INLINE_KINDS.includes(signed.kind) && holdsPdf(bytes)) return mediaType('application/octet-stream');
  return signed;
}

async function signedType(bytes: Uint8Array): Promise<MediaType | null> {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 5)).toString('latin1');
  if (latin1 === PDF) return mediaType('application/pdf');
  const tag = lengthOfId3(bytes);
  // A cover image may exceed the bytes read.
  if (tag > bytes.length) return mediaType('audio/mpeg');
  const signature = withoutPadding(bytes);
  const found = typeBySignature(signature, await libraryType(signature));
  if (tag > 0) return mediaType(found?.startsWith('audio/') ? found : 'audio/mpeg');
  return found === null ? null : mediaType(found);
}

async function libraryType(bytes: Uint8Array): Promise<string | null> {
  const { fileTypeFromBuffer } = await import('file-type');
  try {
    return (await fileTypeFromBuffer(bytes))?.mime ?? null;
  } catch {
    return null; // cut off inside the file's structure
  }
}

function holdsPdf(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, PDF_WITHIN_BYTES + PDF.length));
  return start.includes(PDF, 0, 'latin1');
}

/** Boxes that may come before `ftyp` in MP4 and its relatives. */
const PADDING_BOXES = ['free', 'skip', 'wide'];

/** AVIF and HEIC share the generic brands `mif1` and `msf1`. The compatible brands distinguish them. */
const IMAGE_BRANDS: readonly [brand: string, mimeType: string][] = [
  ['avif', 'image/avif'],
  ['avis', 'image/avif'],
  ['heic', 'image/heic'],
  ['heix', 'image/heic'],
];

/** Streams in Ogg that may follow a description in the first page, such as Ogg Skeleton. */
const OGG_CODECS: readonly [signature: string, mimeType: string][] = [
  ['\x80theora', 'video/ogg'],
  ['\x01vorbis', 'audio/ogg'],
  ['OpusHead', 'audio/ogg'],
  ['\x7fFLAC', 'audio/ogg'],
  ['Speex   ', 'audio/ogg'],
];

/** Returns the bytes from `ftyp` on, if only padding comes before it. */
export function withoutPadding(bytes: Uint8Array): Uint8Array {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at + 8 <= view.length; ) {
    const name = view.toString('latin1', at + 4, at + 8);
    if (name === 'ftyp') return bytes.subarray(at);
    const size = view.readUInt32BE(at);
    if (!PADDING_BOXES.includes(name) || size < 8) break;
    at += size;
  }
  return bytes;
}

/** Detects types whose decisive bytes the library ignores, or expects beyond the head. */
export function typeBySignature(bytes: Uint8Array, found: string | null): string | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  // Its directory, in which the library looks for the camera, is usually at the end.
  if (found === null && /^(?:II[*+]\0|MM\0[*+])/.test(text)) return 'image/tiff';
  if (found === 'application/ogg') return OGG_CODECS.find(([signature]) => text.includes(signature))?.[1] ?? found;
  if (found === 'image/heif' || found === 'image/heif-sequence') {
    const size = Buffer.from(bytes.buffer, bytes.byteOffset, 4).readUInt32BE();
    const brands: readonly string[] = text.slice(16, Math.min(size, 256)).match(/.{4}/gs) ?? [];
    return IMAGE_BRANDS.find(([brand]) => brands.includes(brand))?.[1] ?? found;
  }
  return found;
}

/** Returns the length of an ID3v2 tag at the beginning. 0 if there is none. */
export function lengthOfId3(bytes: Uint8Array): number {
  const isTagged = bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33;
  return isTagged ? 10 + bytes.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 127), 0) : 0;
}

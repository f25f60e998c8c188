/** Type and size of a picture, from its first bytes. */
export interface PictureFacts {
  /** Null if OCR cannot read it. */
  mimeType: 'image/png' | 'image/jpeg' | 'image/tiff' | 'image/webp' | null;
  /** For the user. */
  format: string;
  /** Null if unknown. */
  width: number | null;
  height: number | null;
}

interface Signature {
  format: string;
  mimeType?: PictureFacts['mimeType'];
  begins: readonly string[];
  /** Offset of the signature. Default: 0. */
  at?: number;
}

/** In Latin-1. */
const SIGNATURES: readonly Signature[] = [
  { format: 'PNG', mimeType: 'image/png', begins: ['\x89PNG\r\n\x1a\n'] },
  { format: 'JPEG', mimeType: 'image/jpeg', begins: ['\xff\xd8\xff'] },
  { format: 'TIFF', mimeType: 'image/tiff', begins: ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'] },
  { format: 'WebP', mimeType: 'image/webp', begins: ['WEBP'], at: 8 },
  { format: 'GIF', begins: ['GIF8'] },
  { format: 'BMP', begins: ['BM'] },
  { format: 'EMF', begins: [' EMF'], at: 40 },
  { format: 'WMF', begins: ['\xd7\xcd\xc6\x9a', '\x01\0\x09\0'] },
  { format: 'SVG', begins: ['<svg', '<?xml', '<!DOCTYPE svg', '\xef\xbb\xbf<'] },
];

/** Recognizes a picture and reads its size without decoding it. */
export function examinePicture(bytes: Buffer): PictureFacts {
  const head = bytes.toString('latin1', 0, 64);
  const found = SIGNATURES.find(({ begins, at = 0 }) => begins.some((signature) => head.startsWith(signature, at)));
  const { format = 'unknown', mimeType = null } = found ?? {};
  const [width, height] = (format === 'PNG' ? sizeOfPng(bytes) : format === 'JPEG' ? sizeOfJpeg(bytes) : null) ?? [];
  return { mimeType, format, width: width ?? null, height: height ?? null };
}

type Size = [width: number, height: number];

const sizeOfPng = (bytes: Buffer): Size | null =>
  bytes.length < 24 ? null : [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];

/** Maximum number of segments before the one with the size. A real file has a few dozen. */
const MAX_SEGMENTS = 1_000;

function sizeOfJpeg(bytes: Buffer): Size | null {
  for (let at = 2, segments = 0; at + 9 <= bytes.length && segments < MAX_SEGMENTS; segments += 1) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    // Fill bytes have no length.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

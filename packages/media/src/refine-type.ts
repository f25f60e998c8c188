import { type MediaType, mediaType } from './media-types.ts';

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const FOLDERS: readonly [folder: string, mimeType: string][] = [
  ['word/', `${OFFICE}.wordprocessingml.document`],
  ['xl/', `${OFFICE}.spreadsheetml.sheet`],
  ['ppt/', `${OFFICE}.presentationml.presentation`],
];
const NAMED_IN_ZIP = /^application\/(?:epub\+zip|vnd\.oasis\.opendocument\.[\w.-]{1,60})$/;

const ENTRY = 'PK\x01\x02';
const ENTRY_BYTES = 46;
const LOCAL_ENTRY_BYTES = 30;

/** Returns whether the end of a file may reveal more about its type than its beginning. */
export const dependsOnEnd = ({ mime_type }: MediaType): boolean =>
  mime_type === 'application/zip' || mime_type === 'application/xml';

/**
 * Refines a type by the end of the file, where ZIP archives list their files and the root element of XML closes.
 *
 * @param tail the last bytes of a file of `size` bytes
 */
export function refineType(type: MediaType, tail: Uint8Array, size: number): MediaType {
  const end = Buffer.from(tail.buffer, tail.byteOffset, tail.length);
  if (type.mime_type === 'application/xml')
    return /<\/(?:\w+:)?svg\s*>\s*(?:<!--[^>]*-->\s*)?$/i.test(end.toString('latin1', end.length - 1_024))
      ? mediaType('image/svg+xml')
      : type;
  return type.mime_type === 'application/zip' ? mediaType(packageType(end, size) ?? type.mime_type) : type;
}

function packageType(tail: Buffer, size: number): string | null {
  const names = new Set<string>();
  for (let at = tail.indexOf(ENTRY, 0, 'latin1'); at >= 0; at = tail.indexOf(ENTRY, at + 4, 'latin1')) {
    if (at + ENTRY_BYTES > tail.length) break;
    const name = tail.toString('latin1', at + ENTRY_BYTES, at + ENTRY_BYTES + tail.readUInt16LE(at + 28));
    names.add(name);
    if (name !== 'mimetype') continue;
    const named = storedText(tail, tail.readUInt32LE(at + 42) - (size - tail.length));
    if (named !== null && NAMED_IN_ZIP.test(named)) return named;
  }
  if (names.has('mimetype') && names.has('META-INF/container.xml')) return 'application/epub+zip';
  if (!names.has('[Content_Types].xml')) return null;
  return FOLDERS.find(([folder]) => names.values().some((name) => name.startsWith(folder)))?.[1] ?? null;
}

/** Returns the content of an uncompressed file of the archive. */
function storedText(tail: Buffer, at: number): string | null {
  if (at < 0 || at + LOCAL_ENTRY_BYTES > tail.length || tail.readUInt16LE(at + 8) !== 0) return null;
  const begin = at + LOCAL_ENTRY_BYTES + tail.readUInt16LE(at + 26) + tail.readUInt16LE(at + 28);
  return tail.toString('latin1', begin, begin + Math.min(tail.readUInt32LE(at + 18), 100)).trim();
}

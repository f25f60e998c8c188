import { crc32, inflateRawSync } from 'node:zlib';

/** Reads the entries of a ZIP file by its directory. */
export function readZip(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const entries = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [packed, length] = [zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)];
    const name = zip.toString('utf8', at + 46, at + 46 + length);
    const local = zip.readUInt32LE(at + 42);
    const begin = local + 30 + zip.readUInt16LE(local + 26);
    const content = zip.subarray(begin, begin + packed);
    const bytes = zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(content) : content;
    if (crc32(bytes) !== zip.readUInt32LE(at + 16)) throw new Error(`${name} is damaged`);
    entries.set(name, bytes);
    at += 46 + length;
  }
  return entries;
}

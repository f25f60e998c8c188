import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { connect } from '@lancedb/lancedb';

/** How a text may lie in a file: as it is, in two bytes a letter, in hexadecimal, and in base64 from each of its three places. */
function formsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((shift) => {
    // Without the first and the last signs, which depend on what stands beside it.
    const coded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    return Buffer.from(coded.slice(shift === 0 ? 0 : 4, -4));
  });
  return [bytes, Buffer.from(text, 'utf16le'), Buffer.from(bytes.toString('hex')), ...base64];
}

const COMPRESSED: [start: Buffer, unpack: (bytes: Buffer) => Buffer][] = [
  [Buffer.from([0x1f, 0x8b, 8]), (bytes) => gunzipSync(bytes)],
  [Buffer.from([0x78, 0x9c]), (bytes) => inflateSync(bytes)],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), (bytes) => zstdDecompressSync(bytes)],
];

/** What is packed somewhere in a file; what only looks so is nothing. */
function unpacked(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (const [start, unpack] of COMPRESSED) {
    for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + 1)) {
      try {
        found.push(unpack(bytes.subarray(at)));
      } catch {
        // These bytes stand there by chance.
      }
    }
  }
  return found;
}

/** The files under a folder that hold one of these texts, whatever way they are coded; by their paths in it. */
export async function filesWith(folder: string, texts: readonly string[]): Promise<string[]> {
  const forms = texts.flatMap(formsOf);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path).catch(() => Buffer.alloc(0)); // it is gone, as sockets and temporary files are
    if ([bytes, ...unpacked(bytes)].some((part) => forms.some((form) => part.includes(form))))
      found.push(relative(folder, path));
  }
  return found.sort();
}

/** The tables of a search index that have one of these texts in a row of any version, which its files may hold in the engine's own coding. */
export async function tablesWith(location: string, texts: readonly string[]): Promise<string[]> {
  const connection = await connect(location);
  const found = new Set<string>();
  for (const name of await connection.tableNames()) {
    const table = await connection.openTable(name);
    for (const { version } of await table.listVersions()) {
      await table.checkout(version);
      const rows = JSON.stringify(await table.query().toArray(), (_, value) =>
        typeof value === 'bigint' ? String(value) : value,
      );
      if (texts.some((text) => rows.includes(text))) found.add(name);
    }
  }
  connection.close();
  return [...found];
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { detectFileType } from './detect-file-type.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-type-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

const PICTURE = 'x'.repeat(200_000);

/** Writes an archive without compression. */
function zipOf(...files: [name: string, content: string][]): Buffer {
  const parts: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [name, content] of files) {
    const facts = Buffer.alloc(26);
    facts.writeUInt32LE(content.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    entries.push(Buffer.from('PK\x01\x02\x14\0'), facts, place, Buffer.from(name));
    const part = Buffer.concat([Buffer.from('PK\x03\x04'), facts, Buffer.from(name + content)]);
    parts.push(part);
    at += part.length;
  }
  return Buffer.concat([...parts, ...entries, Buffer.from('PK\x05\x06'.padEnd(22, '\0'))]);
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const ODT = 'application/vnd.oasis.opendocument.text';
test.each<[string, string, Buffer | string]>([
  [
    'DOCX with a large picture first',
    `${OFFICE}.wordprocessingml.document`,
    zipOf(['docProps/thumbnail.jpeg', PICTURE], ['word/document.xml', 'x'], ['[Content_Types].xml', '<Types/>']),
  ],
  [
    'PPTX with a large picture first',
    `${OFFICE}.presentationml.presentation`,
    zipOf(['docProps/thumbnail.jpeg', PICTURE], ['ppt/presentation.xml', 'x'], ['[Content_Types].xml', '<Types/>']),
  ],
  [
    'EPUB that names its type at the end',
    'application/epub+zip',
    zipOf(['cover.jpg', PICTURE], ['META-INF/container.xml', 'x'], ['mimetype', 'application/epub+zip']),
  ],
  [
    'EPUB that names its type in the middle',
    'application/epub+zip',
    zipOf(
      ['1.jpg', PICTURE],
      ['mimetype', 'application/epub+zip'],
      ['META-INF/container.xml', 'x'],
      ['2.jpg', PICTURE],
    ),
  ],
  ['ODT that names its type at the end', ODT, zipOf(['1.jpg', PICTURE], ['content.xml', 'x'], ['mimetype', ODT])],
  ['an archive', 'application/zip', zipOf(['1.jpg', PICTURE], ['mimetype', 'text/html'], ['word/document.xml', 'x'])],
  [
    'SVG after a long comment',
    'image/svg+xml',
    `<?xml version="1.0"?><!--${PICTURE}--><svg xmlns="http://www.w3.org/2000/svg"></svg>\n`,
  ],
  ['XML after a long comment', 'application/xml', `<?xml version="1.0"?><!--${PICTURE}--><note>svg</note>\n`],
  ['a small file', 'text/plain', 'Just words.'],
])('%s', async (name, type, content) => {
  const path = join(folder, name);
  await writeFile(path, content);
  expect((await detectFileType(path)).mime_type).toBe(type);
});

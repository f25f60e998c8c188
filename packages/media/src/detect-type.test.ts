import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { detectType, HEAD_BYTES } from './detect-type.ts';

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);
const typeOf = async (content: Uint8Array, complete = true) => (await detectType(content, complete)).mime_type;

const pixels = () => sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } });

describe('pictures', () => {
  test.each(['png', 'jpeg', 'webp', 'gif', 'tiff', 'avif'] as const)('%s', async (format) => {
    const content = await pixels().toFormat(format).toBuffer();
    expect(await detectType(content, true)).toEqual({ kind: 'image', mime_type: `image/${format}` });
  });

  test('treats a file that is also a PDF as neither', async () => {
    const gif = await pixels().gif().toBuffer();
    const both = Buffer.concat([gif, bytes('%PDF-1.7\n1 0 obj')]);
    expect(await detectType(both, true)).toEqual({ kind: 'other', mime_type: 'application/octet-stream' });
  });

  test('treats words that begin like a signature as text', async () => {
    expect(await typeOf(bytes('BM is a car\n'))).toBe('text/plain');
    expect(await typeOf(bytes('GIF89a=1;alert(document.domain)'))).toBe('text/plain');
    expect(await typeOf(bytes('\xff\xd8\xff<script>', 'latin1'))).not.toBe('text/html');
  });
});

test.each([
  ['a document', '%PDF-1.4\n%âãÏÓ', 'application/pdf'],
  ['junk before it', `${'x\0'.repeat(400)}%PDF-1.4\n`, 'application/pdf'],
  ['lines before it', 'HTTP/1.1 200 OK\r\n\r\n%PDF-1.4\n', 'application/pdf'],
  ['too far in', `${'x\0'.repeat(600)}%PDF-1.4\n`, 'application/octet-stream'],
  ['markup before it', '<html>%PDF-1.4\n', 'text/html'],
])('PDF: %s', async (_, content, expected) => {
  expect(await typeOf(bytes(content, 'latin1'))).toBe(expected);
});

test.each([
  ['<!DOCTYPE html><p>x', 'text/html'],
  ['\uFEFF \n<SCRIPT>alert(1)</SCRIPT>', 'text/html'],
  ['<!-- a --><!-- b -->\n<body onload=x>', 'text/html'],
  ['<!-- never closed <p>', 'text/html'],
  ['<a href=x>', 'text/html'],
  ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'image/svg+xml'],
  [
    '<?xml version="1.0"?>\n<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<!-- c --><svg>&x;</svg>',
    'image/svg+xml',
  ],
  ['<?xml version="1.0"?><s:svg xmlns:s="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
  ['<?xml version="1.0"?><root xmlns:h="http://www.w3.org/1999/xhtml"><h:script/></root>', 'application/xhtml+xml'],
  ['<?xml version="1.0"?><note/>', 'application/xml'],
  ['<note>x</note>', 'application/xml'],
  ['a < b and <not markup', 'text/plain'],
  ['{"a": [1, 2]}', 'application/json'],
  [' [1, 2, 3]\n', 'application/json'],
  ['{"a": 1}\n{"a": 2}\n', 'application/x-ndjson'],
  ['{not json}', 'text/plain'],
  ['[draft] a letter', 'text/plain'],
  ['name,age\nAda,36\n"Lovelace, A",37\n', 'text/csv'],
  ['name;age\nAda;36\n', 'text/csv'],
  ['a\tb\r\nc\td\r\n', 'text/csv'],
  ['Dear Ada, hello\nMore, soon\n', 'text/plain'],
  ['Just words.', 'text/plain'],
  ['Zürich, 北京, 😀', 'text/plain'],
  ['{\\rtf1\\ansi x}', 'application/rtf'],
])('text: %j', async (content, expected) => {
  const found = await detectType(bytes(content), true);
  expect(found).toEqual({ kind: 'document', mime_type: expected });
});

test('detects text in other encodings, or cut within a character', async () => {
  expect(await typeOf(Buffer.concat([Buffer.from([0xff, 0xfe]), bytes('<html>', 'utf16le')]))).toBe('text/html');
  expect(await typeOf(bytes('na\xefve caf\xe9, twenty and more letters of plain words here', 'latin1'))).toBe(
    'text/plain',
  );
  expect(await typeOf(bytes('caf\xe9\xff\xfe\xfd', 'latin1'))).toBe('application/octet-stream');
  const cut = bytes('words 北');
  expect(await typeOf(cut.subarray(0, -1), false)).toBe('text/plain');
  expect(await typeOf(bytes('{"a long'), false)).toBe('text/plain');
  expect(await typeOf(bytes('{"a": "x", "b": "a long'), false)).toBe('application/json');
});

const box = (name: string, body: string | Uint8Array) => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, Buffer.from(body as Uint8Array)]);
};
const ogg = (packet: string) => {
  const head = Buffer.alloc(28);
  head.write('OggS\0\x02', 'latin1');
  head.set([1, packet.length], 26);
  return Buffer.concat([head, bytes(packet, 'latin1')]);
};
const LATE = Buffer.alloc(200_000, 7);

test.each<[string, string, Buffer[]]>([
  ['TIFF, directory at the end', 'image/tiff', [bytes('II*\0\x90\xd0\x03\0', 'latin1'), LATE]],
  ['TIFF of a Macintosh', 'image/tiff', [bytes('MM\0*\0\x03\xd0\x90', 'latin1'), LATE]],
  ['BigTIFF', 'image/tiff', [bytes('II+\0\x08\0\0\0\x90\xd0\x03\0\0\0\0\0', 'latin1'), LATE]],
  ['BigTIFF of a Macintosh', 'image/tiff', [bytes('MM\0+\0\x08\0\0\0\0\0\0\0\x03\xd0\x90', 'latin1'), LATE]],
  ['AVIF of a generic brand', 'image/avif', [box('ftyp', 'mif1\0\0\0\0mif1avif'), box('mdat', LATE)]],
  ['HEIC of a generic brand', 'image/heic', [box('ftyp', 'mif1\0\0\0\0mif1heic'), box('mdat', LATE)]],
  ['MP4, padding before it', 'video/mp4', [box('free', LATE.subarray(0, 99)), box('ftyp', 'isom\0\0\0\0isom')]],
  ['Ogg video after a description', 'video/ogg', [ogg('fishead\0'), ogg('\x80theora'), LATE]],
  ['Ogg sound after a description', 'audio/ogg', [ogg('fishead\0'), ogg('\x01vorbis'), LATE]],
  ['FLAC behind an ID3 tag', 'audio/flac', [bytes('ID3\x04\0\0\0\0\0\x05abcdefLaC\0\0\0\x22', 'latin1'), LATE]],
  ['an image behind an ID3 tag', 'audio/mpeg', [bytes('ID3\x04\0\0\0\0\0\x05abcdeGIF89a', 'latin1'), LATE]],
])('decisive bytes: %s', async (_, type, parts) => {
  const content = Buffer.concat(parts);
  expect(await typeOf(content.subarray(0, HEAD_BYTES), content.length <= HEAD_BYTES)).toBe(type);
});

test.each([
  [
    'audio behind a large cover picture',
    Buffer.concat([bytes('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'), Buffer.alloc(70_000, 1)]),
    'audio',
    'audio/mpeg',
  ],
  ['a program', bytes('\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0', 'latin1'), 'other', 'application/x-elf'],
  ['an archive', bytes('PK\x05\x06'.padEnd(22, '\0'), 'latin1'), 'other', 'application/zip'],
  ['noise', Buffer.from([1, 2, 3, 250, 251, 252]), 'other', 'application/octet-stream'],
])('%s', async (_, content, kind, mime_type) => {
  expect(await detectType(content, true)).toEqual({ kind, mime_type });
});

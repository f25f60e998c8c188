import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { detectType } from './detect-type.ts';

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

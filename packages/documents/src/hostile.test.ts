import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { cpuMsFor } from '@chorus/sandbox';
import { assemblePdf, writeCompressedPdf, writePdf } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chunkDocument } from './chunking/chunk-document.ts';
import { docxOf, odfOf, officeFile, wordParagraph, wordRow, xlsxOf, zipOf } from './test-packages.ts';
import { inShort, startTestParser, type TestParser } from './test-parsing.ts';

/** Small limits, which tests exceed quickly. */
const LIMITS = {
  fileBytes: 3_000_000,
  textBytes: 2_500_000,
  pages: 20,
  characters: 200_000,
  unpackedBytes: 2_000_000,
  packedFiles: 50,
  parseMs: 15_000,
  silenceMs: 10_000,
  memoryBytes: 1_000_000_000,
};

let parser: TestParser;
beforeAll(async () => {
  parser = await startTestParser(LIMITS);
});
afterAll(() => parser.close());

const stream = (dictionary: string, bytes: Uint8Array) =>
  Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
const TREE = [
  Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
  Buffer.from('<< /Type /Pages /Count 1 /Kids [3 0 R] >>'),
];
const PAGE = '/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R';
const FONT = '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>';

const swollenPdf = (lines: number) =>
  assemblePdf([
    ...TREE,
    Buffer.from(`<< ${PAGE} /Resources << ${FONT} >> >>`),
    stream(
      '/Filter /FlateDecode',
      deflateSync(Buffer.from(`BT /F 1 Tf 1 1 Td (${'a'.repeat(60)}) Tj ET\n`.repeat(lines))),
    ),
  ]);

/** Builds a form that draws a form ten times, which draws a form ten times, and so on. */
function endlessPdf(): Buffer {
  const form = (next: number) =>
    stream(
      `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /X ${next} 0 R >> >>`,
      Buffer.from('/X Do '.repeat(10)),
    );
  return assemblePdf([
    ...TREE,
    Buffer.from(`<< ${PAGE} /Resources << /XObject << /X 5 0 R >> >> >>`),
    stream('', Buffer.from('/X Do')),
    ...Array.from({ length: 14 }, (_, index) => form(index + 6)),
    stream('/Type /XObject /Subtype /Form /BBox [0 0 600 800]', Buffer.from('')),
  ]);
}

function lockedPdf(): Buffer {
  const keys = `/O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}>`;
  const id = '00112233445566778899aabbccddeeff';
  return writePdf([{ marks: [{ text: 'secret', x: 60, y: 60 }] }], {
    trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -44 ${keys} >> /ID [<${id}> <${id}>]`,
  });
}

const emptyPages = (count: number) => writePdf(Array.from({ length: count }, () => ({ marks: [] })));
const wordFile = (document: string) => officeFile('word/document.xml', { 'word/document.xml': document });
const runs = (text: string) => `<w:document><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`;

describe('damaged, locked, or unsupported files', () => {
  test.each<[string, string, () => string | Uint8Array, string, RegExp]>([
    ['a truncated PDF', 'a.pdf', () => emptyPages(1).subarray(0, 200), 'invalid_request', /damaged or cut off/],
    ['a PDF with a password', 'a.pdf', lockedPdf, 'invalid_request', /encrypted/],
    ['a PDF without text', 'a.pdf', () => emptyPages(1), 'invalid_request', /no text/],
    [
      'a truncated archive',
      'a.docx',
      () => docxOf(wordParagraph('x')).subarray(0, 400),
      'invalid_request',
      /damaged or cut off/,
    ],
    ['an archive with changed bytes', 'a.docx', changedDocx, 'invalid_request', /damaged or cut off/],
    [
      'an archive with a password',
      'a.docx',
      () => zipOf([{ name: '_rels/.rels', bytes: 'x', flags: 1 }]),
      'invalid_request',
      /encrypted/,
    ],
    [
      'OpenDocument with a password',
      'a.odt',
      () => odfOf('text', '', '', '<manifest:encryption-data/>'),
      'invalid_request',
      /encrypted/,
    ],
    ['any other archive', 'a.zip', () => zipOf([{ name: 'a.txt', bytes: 'x' }]), 'unsupported_media_type', /DOCX/],
    ['bytes that are not text', 'a.txt', () => Buffer.alloc(500), 'unsupported_media_type', /not text/],
    ['an unknown type', 'a.bin', () => 'x', 'unsupported_media_type', /application\/octet-stream/],
    ['nothing', 'a.txt', () => '', 'invalid_request', /empty/],
    ['blanks', 'a.md', () => ' \n\n ', 'invalid_request', /no text/],
  ])('%s', async (_name, filename, bytes, code, message) => {
    expect(await parser.fault(filename, bytes())).toEqual({ code, message: expect.stringMatching(message) });
  });

  test('an old Word file', async () => {
    await expect(parser.parse('a.doc', 'x', { mimeType: 'application/x-cfb' })).rejects.toMatchObject({
      code: 'unsupported_media_type',
      message: expect.stringMatching(/Save it as DOCX/),
    });
  });

  test('tries to read a file with a text extension as text', async () => {
    const read = await parser.parse('a.txt', Buffer.from('Früh am Morgen', 'latin1'), {
      mimeType: 'application/octet-stream',
    });
    expect(inShort(read)).toEqual(['paragraph: Früh am Morgen']);
    expect(read.warnings).toEqual(['The text is not in UTF-8. It was read as windows-1252.']);
  });
});

describe('files beyond the limits', () => {
  test.each<[string, string, () => string | Uint8Array, RegExp]>([
    ['bytes', 'a.pdf', () => Buffer.alloc(3_100_000), /3000000 bytes/],
    ['bytes of text', 'a.txt', () => 'word '.repeat(520_000), /2500000 bytes/],
    ['characters', 'a.txt', () => 'word '.repeat(50_000), /200000 characters/],
    ['pages', 'a.pdf', () => emptyPages(21), /21 pages; the limit is 20/],
    [
      'bytes unpacked',
      'a.docx',
      () => wordFile(`<w:document>${'<w:p>x</w:p>'.repeat(180_000)}</w:document>`),
      /2000000 bytes/,
    ],
    ['characters unpacked', 'a.docx', () => wordFile(runs('A'.repeat(1_500_000))), /200000 characters/],
    [
      'files in an archive',
      'a.docx',
      () => zipOf(Array.from({ length: 51 }, (_, at) => ({ name: `${at}`, bytes: '' }))),
      /51 files/,
    ],
    ['cells that are repeated a million times', 'a.ods', repeatedCells, /200000 characters/],
    ['rows as wide as Excel', 'a.xlsx', wideRows, /200000 characters/],
    ['cells of a table', 'a.csv', () => 'cell,'.repeat(50_000), /200000 characters/],
  ])('%s', async (_name, filename, bytes, message) => {
    expect(await parser.fault(filename, bytes())).toEqual({
      code: 'payload_too_large',
      message: expect.stringMatching(message),
    });
  });

  test.each<[string, string, () => string | Uint8Array]>([
    ['HTML', 'a.html', () => `${'<div>'.repeat(100_000)}x`],
    ['XML', 'a.docx', () => docxOf('<w:p>'.repeat(50_000))],
  ])('thousands of nested %s', async (_name, filename, bytes) => {
    const message = expect.stringMatching(/levels of nested elements/);
    expect(await parser.fault(filename, bytes())).toEqual({ code: 'invalid_request', message });
  });
});

describe('repetitive files cost no more than their content', () => {
  test.each<[string, string, () => string]>([
    ['nested quotes', 'a.md', () => '> '.repeat(90_000)],
    ['the same as plain text', 'a.txt', () => '> '.repeat(90_000)],
    ['brackets', 'a.md', () => '['.repeat(180_000)],
    ['one letter', 'a.txt', () => 'a'.repeat(180_000)],
    ['one word', 'a.txt', () => 'lorem '.repeat(30_000)],
    ['a paragraph for each letter', 'a.txt', () => 'a\n\n'.repeat(60_000)],
    ['a heading for each line', 'a.md', () => '# a\n'.repeat(40_000)],
    ['elements that say the same', 'a.html', () => '<b>x</b>'.repeat(100_000)],
    ['rows of a table', 'a.csv', () => `a,b\n${'1,2\n'.repeat(15_000)}`],
    [
      'a list with ever deeper nesting',
      'a.md',
      () => Array.from({ length: 500 }, (_, at) => `${' '.repeat(at)}- a`).join('\n'),
    ],
  ])('%s', async (_name, filename, bytes) => {
    const parsed = await parser.parse(filename, bytes());
    const said = parsed.blocks.reduce((sum, { text }) => sum + text.length, 0);
    expect(said).toBeLessThan(20_000);
    expect(chunkDocument(parsed).length).toBeLessThan(20);
    expect(chunkDocument(parsed).length).toBeGreaterThan(0);
  });

  test('finds text between repetitions, and creates no chunks of repetitions', async () => {
    const text = `Before ${'> '.repeat(30_000)}\n\nThe answer is 42.\n\n${'[ '.repeat(30_000)}`;
    const chunks = chunkDocument(await parser.parse('a.txt', text), { targetTokens: 20, maxTokens: 40 });
    expect(chunks.map((chunk) => chunk.text).join(' ')).toContain('The answer is 42.');
    for (const { text } of chunks) expect(new Set(text.split(/\s+/)).size).toBeGreaterThan(1);
  });

  test('refuses a document with more paragraphs than fit in memory', async () => {
    const patient = await startTestParser({ ...LIMITS, characters: 3_000_000, parseMs: 120_000, silenceMs: 90_000 });
    const lines = Array.from({ length: 510_000 }, (_, at) => (at % 7 === 0 ? 'a' : 'b')).join('\n\n');
    expect(await patient.fault('a.txt', lines)).toEqual({
      code: 'payload_too_large',
      message: expect.stringContaining('500000 paragraphs'),
    });
    await patient.close();
  });
});

describe('files that would expand or never end', () => {
  test.each<[string, string, () => string | Uint8Array]>([
    [
      'expanding entities',
      'a.docx',
      () => wordFile(`<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>${runs('&b;&b;ok')}`),
    ],
    ['unclosed brackets', 'a.md', () => `# ${'['.repeat(90_000)}\n\n${'*'.repeat(90_000)}`],
    ['nested quotes', 'a.md', () => '> '.repeat(90_000)],
    ['spaces where a heading may end', 'a.md', () => `# a${' '.repeat(90_000)}x #\nb`],
    ['unfinished tags', 'a.md', () => `<p>x\n${'<!--'.repeat(20_000)}\n${'<'.repeat(90_000)}`],
    ['nested tables', 'a.html', () => `${'<table><tr><td>'.repeat(300)}x`],
    ['end tags without a start', 'a.html', () => `${'<b>'.repeat(900)}${'</i>'.repeat(40_000)}x`],
    ['an unclosed quote', 'a.csv', () => `a,b\n1,2\n"${'x,y\n'.repeat(30_000)}`],
    ['a column for each letter', 'a.md', () => `|${'a|'.repeat(20_000)}\n|${'-|'.repeat(20_000)}\n`],
    [
      'billions of spaces',
      'a.odt',
      () => odfOf('text', '', `<text:p>${'<text:s text:c="1000000000"/>'.repeat(100)}x</text:p>`),
    ],
    ['nested tables in Word', 'a.docx', () => docxOf(`${'<w:tbl><w:tr><w:tc>'.repeat(150)}${wordParagraph('x')}`)],
    [
      'styles based on themselves',
      'a.docx',
      () =>
        docxOf(wordParagraph('x', '<w:pStyle w:val="A"/>'), {
          styles: '<w:style w:styleId="A"><w:basedOn w:val="A"/></w:style>',
        }),
    ],
    [
      'missing parts',
      'a.docx',
      () => wordFile(`<w:document><w:body><w:tbl>${wordRow('a', 'b')}</w:tbl></w:body></w:document>`),
    ],
  ])('%s', async (_name, filename, bytes) => {
    const { blocks } = await parser.parse(filename, bytes());
    expect(blocks.length).toBeGreaterThan(0);
  });

  test('kills a child with a page that never finishes, and reads the next file', async () => {
    const strict = await startTestParser({ parseMs: 1_500 });
    const [{ code, message }, read] = await Promise.all([
      strict.fault('a.pdf', endlessPdf()),
      strict.parse('a.txt', 'Next.'),
    ]);
    expect(code).toBe('timeout');
    expect(message).toContain('1.5 s');
    expect(inShort(read)).toEqual(['paragraph: Next.']);
    await strict.close();
  });

  // Each takes its five seconds of CPU time.
  test.each(
    [
      ['lines', { operators: '1 1 m 2 2 l S ', times: 4_000_000, flates: 2 }] as const,
      ['states', { operators: 'q Q ', times: 30_000_000, flates: 2 }] as const,
      ['blanks', { operators: ' '.repeat(1_000), times: 200_000, flates: 3 }] as const,
      ['letters', { operators: 'BT /F 1 Tf 1 1 Td (aaaaaaaa) Tj ET\n', times: 2_000_000, flates: 2 }] as const,
    ].slice(0, process.env.CHORUS_SOAK ? undefined : 1),
  )('limits the CPU time for a kilobyte of doubly compressed PDF with millions of %s', async (_, content) => {
    const pdf = writeCompressedPdf(content);
    expect(pdf.length).toBeLessThan(3_000);
    const patient = await startTestParser({ ...LIMITS, parseMs: 300_000, silenceMs: 300_000 });
    const before = endedChildrenCpuMs();
    const { code, message } = await patient.fault('a.pdf', pdf);
    expect({ code, message }).toEqual({
      code: 'invalid_request',
      message: expect.stringMatching(/5 s of CPU time|1000 MB of memory|no text/),
    });
    await patient.close();
    await expect.poll(endedChildrenCpuMs).toBeGreaterThan(before);
    expect(endedChildrenCpuMs() - before).toBeLessThan(2 * cpuMsFor(pdf.length));
  });

  test('kills a child with a page that exceeds its memory', async () => {
    // A long time limit, so that it runs out of memory first even on a busy machine.
    const patient = await startTestParser({ ...LIMITS, memoryBytes: 500_000_000, parseMs: 120_000, silenceMs: 90_000 });
    expect(await patient.fault('a.pdf', swollenPdf(600_000))).toEqual({
      code: 'invalid_request',
      message: expect.stringContaining('500 MB of memory'),
    });
    expect(inShort(await patient.parse('a.txt', 'Next.'))).toEqual(['paragraph: Next.']);
    await patient.close();
  });

  test('stops immediately on abort, with its reason, and on close', async () => {
    const own = await startTestParser();
    const controller = new AbortController();
    const parsing = own.parse('a.pdf', endlessPdf(), { signal: controller.signal });
    const waiting = own.parse('b.pdf', endlessPdf(), { signal: controller.signal });
    controller.abort(new Error('enough'));
    await Promise.all([parsing, waiting].map((one) => expect(one).rejects.toThrow('enough')));
    const closed = own.parse('c.pdf', endlessPdf());
    const [result] = await Promise.allSettled([closed, own.close()]);
    expect(result.status).toBe('rejected');
  });
});

function endedChildrenCpuMs(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

function changedDocx(): Buffer {
  const bytes = docxOf(wordParagraph('Some text that is long enough to be packed.'.repeat(20)));
  const at = bytes.indexOf('word/document.xml') + 'word/document.xml'.length;
  bytes.fill(0xff, at + 4, at + 12);
  return bytes;
}

function repeatedCells(): Buffer {
  const row =
    '<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16000"><text:p>x</text:p></table:table-cell></table:table-row>';
  return odfOf('spreadsheet', '', `<table:table>${row.repeat(10)}</table:table>`);
}

function wideRows(): Buffer {
  const rows = Array.from(
    { length: 30 },
    (_, at) =>
      `<row r="${at + 1}"><c r="${at % 2 ? 'A' : 'XFD'}${at + 1}"><v>1</v></c><c r="XFD${at + 1}"><v>1</v></c></row>`,
  );
  const wide = Array.from({ length: 16_000 }, () => '<c><v>123456789</v></c>').join('');
  return xlsxOf([{ name: 'S', rows: `${rows.join('')}<row r="40">${wide}</row><row r="41">${wide}</row>` }]);
}

import { writePdf } from '@chorus/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { PageText, ReadPictures } from './documents.ts';
import {
  docxOf,
  epubOf,
  odfOf,
  officeFile,
  pptxOf,
  relationsXml,
  slidePicture,
  slideShape,
  wordParagraph,
  wordPicture,
} from './test-packages.ts';
import { inShort, startTestParser, type TestParser } from './test-parsing.ts';

let parser: TestParser;
beforeAll(async () => {
  parser = await startTestParser();
});
afterAll(() => parser.close());

/** A picture whose color is its content. */
const picture = (grey: number, { width = 400, height = 100, format = 'png' as 'png' | 'jpeg' | 'gif' } = {}) =>
  sharp({ create: { width, height, channels: 3, background: { r: grey, g: grey, b: grey } } })
    .toFormat(format)
    .toBuffer();

/** Reads "Shade n" from a picture, and nothing from a black one. */
const readPictures: ReadPictures = async (pictures, { onPage }) => {
  const read: PageText[] = [];
  for (const { bytes } of pictures) {
    const [grey] = await sharp(bytes).raw().toBuffer();
    read.push({ number: read.length + 1, text: grey === 0 ? '' : `# Shade ${grey}` });
    onPage?.(read.length);
  }
  return read;
};
const [a, b, black, icon] = await Promise.all([
  picture(40),
  picture(80),
  picture(0),
  picture(200, { width: 64, height: 64 }),
]);

describe('pictures inside documents', () => {
  test('DOCX: are read in place, once, and their text does not become a heading', async () => {
    const body = [
      wordParagraph('Before.'),
      wordPicture('a.png', 'Beside.'),
      '<w:tbl><w:tr><w:tc><w:p><w:r><w:t>One</w:t></w:r></w:p></w:tc><w:tc>',
      wordPicture('b.png', 'Two'),
      '</w:tc></w:tr></w:tbl>',
      wordPicture('copy.png'),
      '<w:p><w:r><w:pict><v:imagedata r:id="black.png"/></w:pict></w:r></w:p>',
      wordPicture('icon.png'),
      wordPicture('missing.png'),
      wordParagraph('After.'),
    ];
    const pictures = { 'a.png': a, 'b.png': b, 'copy.png': a, 'black.png': black, 'icon.png': icon };
    const progress: [number, number][] = [];
    const read = await parser.parse('a.docx', docxOf(body.join(''), { pictures }), {
      readPictures,
      onProgress: (...step) => progress.push(step),
    });
    expect(inShort(read)).toEqual([
      'paragraph: Before.',
      'paragraph: Beside.',
      'paragraph: Shade 40',
      'table: | One | Two |\n| --- | --- |',
      'paragraph: Shade 80',
      'paragraph: After.',
    ]);
    expect(read.warnings).toEqual(['1 of 3 pictures contains no readable text.']);
    const [done, total] = progress.at(-1) ?? [];
    expect(done).toBe(total);
  });

  test('are listed in a warning if they were not read', async () => {
    const gif = await picture(90, { format: 'gif' });
    const emf = Buffer.concat([Buffer.from([1, 0, 0, 0]), Buffer.alloc(36), Buffer.from(' EMF'), Buffer.alloc(500)]);
    const pictures = { 'a.png': a, 'b.png': b, 'c.gif': gif, 'd.emf': emf };
    const body = [wordParagraph('Text.'), ...Object.keys(pictures).map((name) => wordPicture(name))].join('');
    const unsupported = '2 pictures were not read: the format is EMF, GIF; PNG, JPEG, TIFF, and WebP are read.';
    const without = await parser.parse('a.docx', docxOf(body, { pictures }));
    expect(without.warnings).toEqual([unsupported, '2 pictures were not read.']);
    const failing: ReadPictures = async (_pictures, { onFailure }) => {
      onFailure?.(2, 'Page 1 took too long.');
      return [{ number: 1, text: 'Read.' }];
    };
    const half = await parser.parse('a.docx', docxOf(body, { pictures }), { readPictures: failing });
    expect(inShort(half)).toEqual(['paragraph: Text.', 'paragraph: Read.']);
    expect(half.warnings).toEqual([unsupported, '1 picture was not read. Page 1 took too long.']);
  });

  test('a document with a single picture has its text', async () => {
    const file = docxOf(wordPicture('a.png'), { pictures: { 'a.png': a } });
    expect(inShort(await parser.parse('a.docx', file, { readPictures }))).toEqual(['paragraph: Shade 40']);
    expect(await parser.fault('a.docx', file)).toEqual({
      code: 'invalid_request',
      message: 'The file has no text. 1 picture was not read.',
    });
  });

  test('PPTX: a logo on every slide is read once, others on their slide', async () => {
    const shapes = (title: string, ...names: string[]) =>
      [slideShape('title', [title]), ...names.map(slidePicture), slideShape(null, ['Below.'])].join('');
    const read = await parser.parse(
      'a.pptx',
      pptxOf(
        [
          { shapes: shapes('One', 'a.png') },
          { shapes: shapes('Two', 'a.png', 'b.png') },
          { shapes: shapes('Three', 'a.png') },
        ],
        { 'a.png': a, 'b.png': b },
      ),
      { readPictures },
    );
    expect(read.blocks.map(({ page, text }) => `${page} ${text}`)).toEqual([
      '1 One',
      '1 Shade 40',
      '1 Below.',
      '2 Two',
      '2 Shade 80',
      '2 Below.',
      '3 Three',
      '3 Below.',
    ]);
    expect(read.warnings).toEqual([]);
  });

  test('XLSX, ODT, and EPUB', async () => {
    const workbook = officeFile('xl/workbook.xml', {
      'xl/workbook.xml': '<workbook><sheets><sheet name="Sheet" sheetId="1" r:id="s"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': relationsXml({ s: ['worksheet', 'worksheets/s.xml'] }),
      'xl/worksheets/s.xml':
        '<worksheet><sheetData><row><c t="inlineStr"><is><t>Cell</t></is></c></row></sheetData></worksheet>',
      'xl/worksheets/_rels/s.xml.rels': relationsXml({ d: ['drawing', '../drawings/d.xml'] }),
      'xl/drawings/_rels/d.xml.rels': relationsXml({ i: ['image', '../media/a.png'] }),
      'xl/media/a.png': a,
    });
    expect(inShort(await parser.parse('a.xlsx', workbook, { readPictures })).at(-1)).toBe('paragraph: Shade 40');
    const text = odfOf(
      'text',
      '',
      '<text:p>Before.</text:p><text:p><draw:frame><draw:image xlink:href="Pictures/a.png"/></draw:frame></text:p><text:p>After.</text:p>',
      '',
      { 'a.png': a },
    );
    const shown = ['paragraph: Before.', 'paragraph: Shade 40', 'paragraph: After.'];
    expect(inShort(await parser.parse('a.odt', text, { readPictures }))).toEqual(shown);
    const book = epubOf('Book', {
      'text/one.xhtml': '<html><body><p>Before.</p><img src="../my%20a.png"/><p>After.</p></body></html>',
      'my a.png': a,
    });
    expect(inShort(await parser.parse('a.epub', book, { readPictures }))).toEqual(shown);
  });

  test('PDF: pictures on pages with a text layer are read in their place, backgrounds and logos are not', async () => {
    const jpeg = await picture(120, { format: 'jpeg' });
    const other = await picture(160, { format: 'jpeg' });
    const line = (text: string, y: number) => ({ text, x: 60, y, size: 10 });
    const image = (bytes: Buffer, y: number, width = 300) =>
      ({ jpeg: bytes, pixels: [400, 100], x: 60, y, width, height: width / 4 }) as const;
    const lines = Array.from({ length: 8 }, (_, at) =>
      line(`Line ${at} of a page that has a layer of text.`, 500 + at * 13),
    );
    const readFrom = vi.fn(readPictures);
    const read = await parser.parse(
      'a.pdf',
      writePdf([
        {
          marks: [
            line('Above the picture.', 100),
            image(jpeg, 130),
            line('Below the picture.', 240),
            ...lines,
          ] as never,
        },
        { marks: [image(jpeg, 130), image(other, 640, 60), ...lines] as never },
        { marks: [{ ...image(other, 0, 595), height: 842 }, line('On a background.', 100), ...lines] as never },
      ]),
      { readPictures: readFrom },
    );
    const texts = read.blocks.map(({ page, text }) => `${page} ${text}`);
    expect(texts.slice(0, 3)).toEqual([
      '1 Above the picture.',
      '1 Shade 120',
      expect.stringMatching(/^1 Below the picture\./),
    ]);
    expect(texts.filter((text) => text.includes('Shade'))).toHaveLength(1);
    expect(read.warnings).toEqual([]);
    expect(readFrom.mock.calls.map(([pictures]) => pictures.length)).toEqual([1]);
  });
});

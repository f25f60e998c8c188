import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docxOf, epubOf, odfOf, pptxOf, slideShape, wordParagraph, wordRow, xlsxOf } from './test-packages.ts';
import { inShort, startTestParser, type TestParser } from './test-parsing.ts';

let parser: TestParser;
beforeAll(async () => {
  parser = await startTestParser();
});
afterAll(() => parser.close());

const series = (name: string, ...values: number[]) => {
  const points = (texts: (string | number)[]) =>
    texts.map((text, at) => `<c:pt idx="${at}"><c:v>${text}</c:v></c:pt>`).join('');
  return `<c:ser><c:tx><c:strCache>${points([name])}</c:strCache></c:tx><c:cat><c:strCache>${points(['May', 'June'])}</c:strCache></c:cat><c:val><c:numCache>${points(values)}</c:numCache></c:val></c:ser>`;
};
const title = (text: string) =>
  `<c:title><c:tx><c:rich><a:p><a:r><a:t>${text}</a:t></a:r></a:p></c:rich></c:tx></c:title>`;
const chart = `<c:chartSpace><c:chart>${title('Hay sold')}<c:plotArea><c:barChart>${series('Fresh', 7, 8)}${series('Old', 1)}</c:barChart><c:catAx>${title('Month')}</c:catAx></c:plotArea></c:chart></c:chartSpace>`;
const CHART_TABLE = '|  | Fresh | Old |\n| --- | --- | --- |\n| May | 7 | 1 |\n| June | 8 |  |';

describe('DOCX', () => {
  const styles = `
    <w:style w:styleId="Ttl"><w:name w:val="Title"/></w:style>
    <w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>
    <w:style w:styleId="Mine"><w:name w:val="Chapter of mine"/><w:basedOn w:val="H2"/></w:style>
    <w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style>
    <w:style w:styleId="Q"><w:name w:val="Intense Quote"/></w:style>
    <w:style w:styleId="C"><w:name w:val="HTML Preformatted"/></w:style>`;
  const numbering = `
    <w:abstractNum w:abstractNumId="5"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
    <w:num w:numId="2"><w:abstractNumId w:val="5"/></w:num>`;
  const item = (text: string, depth: number) =>
    wordParagraph(text, `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="2"/></w:numPr>`);
  const styled = (text: string, style: string) => wordParagraph(text, `<w:pStyle w:val="${style}"/>`);

  test('reads headings by style and base style, numbered lists, quotes, code, and notes', async () => {
    const body = [
      styled('Rabbits', 'Ttl'),
      styled('At home', 'H1'),
      '<w:p><w:r><w:t>They live in </w:t></w:r><w:r><w:t>burrows &amp; warrens.</w:t></w:r><w:r><w:footnoteReference w:id="3"/></w:r></w:p>',
      styled('Food', 'Mine'),
      item('Grass', 0),
      item('fresh', 1),
      item('Hay', 0),
      styled('Quick they are.', 'Q'),
      styled('if (hungry)', 'C'),
      styled('  eat();', 'C'),
      '<w:p><w:pPr><w:outlineLvl w:val="3"/></w:pPr><w:r><w:t>Deep</w:t><w:tab/><w:t>down</w:t></w:r></w:p>',
    ];
    const footnotes =
      '<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:t>no</w:t></w:r></w:p></w:footnote><w:footnote w:id="3"><w:p><w:r><w:t>Dug by themselves.</w:t></w:r></w:p></w:footnote>';
    const read = await parser.parse('a.docx', docxOf(body.join(''), { styles, numbering, footnotes }));
    expect(inShort(read)).toEqual([
      '# Rabbits',
      '# At home',
      'paragraph: They live in burrows & warrens.',
      'paragraph: Dug by themselves.',
      '## Food',
      'list: 1. Grass\n  - fresh\n2. Hay',
      'quote: Quick they are.',
      'code: if (hungry)\n  eat();',
      '#### Deep down',
    ]);
    expect(read).toMatchObject({ title: 'Rabbits', pageCount: null, warnings: [] });
  });

  test('reads merged cells, nested tables, and frames, but no deleted, hidden, or duplicate text', async () => {
    const inner = `<w:tbl>${wordRow('x', 'y')}</w:tbl>`;
    const body = `
      <w:tbl>${wordRow('Name', 'Kilos', 'Of | what')}
        <w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>${wordParagraph('both')}</w:tc><w:tc>${inner}${wordParagraph('two')}${wordParagraph('lines')}</w:tc></w:tr>
      </w:tbl>
      <w:tbl>${wordRow('Only framed')}</w:tbl>
      <w:p><w:moveFrom><w:r><w:t>moved </w:t></w:r></w:moveFrom><w:del><w:r><w:delText>gone </w:delText></w:r></w:del>
        <w:r><w:rPr><w:vanish/></w:rPr><w:t>secret </w:t></w:r><w:r><w:instrText>PAGE</w:instrText><w:t>Seen</w:t></w:r>
        <w:r><mc:AlternateContent><mc:Choice><w:txbxContent>${wordParagraph('In a box')}</w:txbxContent></mc:Choice>
        <mc:Fallback><w:txbxContent>${wordParagraph('In a box')}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>`;
    const read = await parser.parse('b.docx', docxOf(body, { title: 'Accounts' }), { mimeType: 'application/zip' });
    expect(inShort(read)).toEqual([
      'table: | Name | Kilos | Of \\| what |\n| --- | --- | --- |\n| both |  | x y two lines |',
      'paragraph: Only framed',
      'paragraph: In a box',
      'paragraph: Seen',
    ]);
    expect(read.title).toBe('Accounts');
  });
});

test('writes chart values in place, in Word and on slides', async () => {
  const drawn = '<w:p><w:r><w:t>See:</w:t></w:r><w:r><w:drawing><c:chart r:id="c1"/></w:drawing></w:r></w:p>';
  const word = await parser.parse('a.docx', docxOf(drawn + wordParagraph('After.'), { chart }));
  expect(inShort(word)).toEqual([
    'paragraph: See:',
    'paragraph: Hay sold',
    `table: ${CHART_TABLE}`,
    'paragraph: After.',
  ]);
  const slides = await parser.parse('a.pptx', pptxOf([{ shapes: slideShape('title', ['Sales']), chart }]));
  expect(inShort(slides)).toEqual(['# Sales', 'paragraph: Hay sold', `table: ${CHART_TABLE}`]);
});

test('PPTX: reads slides in order, titles first, points, tables, and notes, but no repeated elements', async () => {
  const table =
    '<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>Year</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>Sum</a:t></a:r></a:p></a:txBody></a:tc></a:tr><a:tr><a:tc><a:txBody><a:p><a:r><a:t>2024</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>7</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>';
  const read = await parser.parse(
    'a.pptx',
    pptxOf([
      {
        shapes: slideShape('body', ['One', 'Two']) + slideShape('ctrTitle', ['Our year']) + slideShape('sldNum', ['1']),
      },
      { shapes: table + slideShape(null, ['Free text']), notes: 'Say hello.' },
    ]),
  );
  expect(read.blocks.map(({ page, text }) => `${page} ${text}`)).toEqual([
    '1 Our year',
    '1 - One\n- Two',
    '2 Slide 2',
    '2 | Year | Sum |\n| --- | --- |\n| 2024 | 7 |',
    '2 Free text',
    '2 Say hello.',
  ]);
  expect(read).toMatchObject({ title: 'Our year', pageCount: 2 });
});

test('XLSX: reads sheets under their names with formatted values, splits tables at empty rows, and skips hidden sheets', async () => {
  const strings =
    '<si><t>Name</t></si><si><r><t>Born</t></r><r><t> on</t></r><rPh><t>spoken</t></rPh></si><si><t>Ada</t></si>';
  const styles =
    '<numFmts><numFmt numFmtId="164" formatCode="[$-407]d. mmm yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="10"/><xf numFmtId="20"/><xf numFmtId="22"/></cellXfs>';
  const rows = `
    <row r="1"><c r="B1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c><c r="E1" t="inlineStr"><is><t>Share</t></is></c></row>
    <row r="2"><c r="B2" t="s"><v>2</v></c><c r="C2" s="1"><v>45292</v></c><c r="E2" s="2"><v>0.125</v></c></row>
    <row r="3"><c r="B3" t="b"><v>1</v></c><c r="C3" s="3"><v>1.25</v></c><c r="E3"><f>0.1+0.2</f><v>0.30000000000000004</v></c></row>
    <row r="4"/>
    <row r="7"><c r="A7" t="str"><v>Later</v></c></row>
    <row r="8"><c r="A8" s="4"><v>45292.75</v></c><c r="B8" t="e"><v>#REF!</v></c></row>`;
  const sheets = [
    { name: 'People', rows },
    { name: 'Secret', rows, state: 'hidden' },
    { name: 'Empty', rows: '<row r="1"><c r="A1"/></row>' },
  ];
  const read = await parser.parse('a.xlsx', xlsxOf(sheets, { strings, styles }));
  expect(inShort(read)).toEqual([
    '# People',
    'table: | Name | Born on | Share |\n| --- | --- | --- |\n| Ada | 2024-01-01 | 12.5% |\n| TRUE | 30:00:00 | 0.3 |',
    'table: | Later |  |\n| --- | --- |\n| 2024-01-01 18:00:00 | #REF! |',
  ]);
  expect(read.warnings).toEqual(['Hidden sheets were left out: Secret.']);
});

describe('OpenDocument', () => {
  test('reads a text with headings, numbered lists, spaces, notes, and tables', async () => {
    const styles =
      '<style:style style:name="P1" style:parent-style-name="Preformatted_20_Text"/><text:list-style style:name="L1"><text:list-level-style-number text:level="1"/><text:list-level-style-bullet text:level="2"/></text:list-style>';
    const body = `
      <text:tracked-changes><text:p>was once</text:p></text:tracked-changes>
      <text:h text:outline-level="2">Warrens</text:h>
      <text:p>Two<text:s text:c="2"/>blanks,
         and a<text:line-break/>break.<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note></text:p>
      <text:p text:style-name="P1">x  = 1</text:p>
      <text:list text:style-name="L1"><text:list-item><text:p>first</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>second</text:p></text:list-item></text:list>
      <table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>`;
    const read = await parser.parse('a.odt', odfOf('text', styles, body));
    expect(inShort(read)).toEqual([
      '## Warrens',
      'paragraph: A note.',
      'paragraph: Two  blanks, and a\nbreak.',
      'code: x = 1',
      'list: 1. first\n  - inner\n2. second',
      'table: | a | b |\n| --- | --- |',
    ]);
  });

  test('reads a workbook with repeated rows and cells, and slides', async () => {
    const cell = (text: string, times = 1) =>
      `<table:table-cell table:number-columns-repeated="${times}"><text:p>${text}</text:p></table:table-cell>`;
    const sheet = `<table:table table:name="Sums"><table:table-row>${cell('k')}${cell('v', 2)}</table:table-row><table:table-row table:number-rows-repeated="2">${cell('a')}${cell('7', 2)}</table:table-row><table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>`;
    expect(inShort(await parser.parse('a.ods', odfOf('spreadsheet', '', sheet)))).toEqual([
      '# Sums',
      'table: | k | v | v |\n| --- | --- | --- |\n| a | 7 | 7 |\n| a | 7 | 7 |',
    ]);
    const slide = (title: string, text: string) =>
      `<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>${title}</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`;
    const slides = await parser.parse(
      'a.odp',
      odfOf('presentation', '', slide('One', 'first') + slide('Two', 'second')),
    );
    expect(slides.blocks.map(({ page, type, text }) => `${page} ${type} ${text}`)).toEqual([
      '1 heading One',
      '1 paragraph first',
      '2 heading Two',
      '2 paragraph second',
    ]);
    expect(slides.pageCount).toBe(2);
  });
});

describe('EPUB', () => {
  const chapter = (title: string, text: string) =>
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>no</title></head><body><header><h1>${title}</h1></header><p>${text}</p></body></html>`;

  test('reads chapters in order without the table of contents', async () => {
    const chapters = { 'b two.xhtml': chapter('First', 'It began.'), 'a.xhtml': chapter('Second', 'It ended.') };
    const read = await parser.parse('a.epub', epubOf('A Short Book', chapters));
    expect(inShort(read)).toEqual(['# First', 'paragraph: It began.', '# Second', 'paragraph: It ended.']);
    expect(read.title).toBe('A Short Book');
  });

  test('warns about an encrypted chapter and rejects an encrypted book', async () => {
    const locked = Uint8Array.from({ length: 999 }, (_, index) => (index * 7919) % 256);
    const some = await parser.parse(
      'b.epub',
      epubOf('B', { 'a.xhtml': chapter('First', 'It began.'), 'b.xhtml': locked }),
    );
    expect(some.warnings).toEqual(['1 of 2 chapters are encrypted and were not read.']);
    expect(await parser.fault('c.epub', epubOf('C', { 'a.xhtml': locked }))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('encrypted'),
    });
  });
});

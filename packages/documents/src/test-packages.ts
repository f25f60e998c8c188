import { crc32, deflateRawSync } from 'node:zlib';

export interface Packed {
  name: string;
  bytes: string | Uint8Array;
  isStored?: boolean;
  /** General purpose flags: 1 means encrypted. */
  flags?: number;
}

export function zipOf(files: readonly Packed[]): Buffer {
  const parts: Buffer[] = [];
  const table: Buffer[] = [];
  let at = 0;
  for (const { name, bytes, isStored = false, flags = 0 } of files) {
    const content = Buffer.from(bytes as Uint8Array);
    const packed = isStored ? content : deflateRawSync(content);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(flags | 0x800, 2); // names are UTF-8
    facts.writeUInt16LE(isStored ? 0 : 8, 4);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(Buffer.byteLength(name), 22);
    const head = Buffer.concat([Buffer.from('PK\x03\x04'), facts, Buffer.from(name)]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    table.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), facts, tail, Buffer.from(name)]));
    parts.push(head, packed);
    at += head.length + packed.length;
  }
  const entries = Buffer.concat(table);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, entries, end]);
}

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export function relationsXml(relations: Record<string, [type: string, target: string]>): string {
  const each = Object.entries(relations).map(
    ([id, [type, target]]) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${each.join('')}</Relationships>`;
}

const coreXml = (title: string) =>
  `<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>${title}</dc:title><dc:creator>Ada</dc:creator></cp:coreProperties>`;

export function officeFile(main: string, parts: Record<string, string | Uint8Array>, title = ''): Buffer {
  const root = relationsXml({ r1: ['officeDocument', main], r2: ['core-properties', 'docProps/core.xml'] });
  const all = { '[Content_Types].xml': '<Types/>', '_rels/.rels': root, 'docProps/core.xml': coreXml(title), ...parts };
  return zipOf(Object.entries(all).map(([name, bytes]) => ({ name, bytes })));
}

/** By file name, which is also the id of the relation. */
export type Pictures = Record<string, Uint8Array>;

const imageRelations = (pictures: Pictures, folder: string) =>
  Object.fromEntries(
    Object.keys(pictures).map((name): [string, [string, string]] => [name, ['image', `${folder}/${name}`]]),
  );

const within = (folder: string, pictures: Pictures) =>
  Object.fromEntries(Object.entries(pictures).map(([name, bytes]) => [`${folder}/${name}`, bytes]));

/** A paragraph with a picture, as Word writes it. */
export const wordPicture = (name: string, text = '') =>
  `<w:p><w:r><w:t>${text}</w:t></w:r><w:r><w:drawing><a:graphic><pic:pic><pic:blipFill><a:blip r:embed="${name}"/></pic:blipFill></pic:pic></a:graphic></w:drawing></w:r></w:p>`;

export const slidePicture = (name: string) => `<p:pic><p:blipFill><a:blip r:embed="${name}"/></p:blipFill></p:pic>`;

export function docxOf(
  body: string,
  { styles = '', numbering = '', footnotes = '', chart = '', title = '', pictures = {} as Pictures } = {},
): Buffer {
  const relations = relationsXml({
    r1: ['styles', 'styles.xml'],
    r2: ['numbering', 'numbering.xml'],
    r3: ['footnotes', '/word/footnotes.xml'],
    r4: ['hyperlink', 'https://example.org/'],
    ...(chart === '' ? {} : { c1: ['chart', 'charts/chart.xml'] }),
    ...imageRelations(pictures, 'media'),
  });
  return officeFile(
    'word/document.xml',
    {
      'word/document.xml': `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
      'word/_rels/document.xml.rels': relations,
      'word/styles.xml': `<w:styles xmlns:w="w">${styles}</w:styles>`,
      'word/numbering.xml': `<w:numbering xmlns:w="w">${numbering}</w:numbering>`,
      'word/charts/chart.xml': chart,
      'word/footnotes.xml': `<w:footnotes xmlns:w="w">${footnotes}</w:footnotes>`,
      ...within('word/media', pictures),
    },
    title,
  );
}

export const wordParagraph = (text: string, properties = '') =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

export const wordRow = (...cells: string[]) =>
  `<w:tr>${cells.map((cell) => `<w:tc>${wordParagraph(cell)}</w:tc>`).join('')}</w:tr>`;

export function pptxOf(slides: { shapes: string; notes?: string; chart?: string }[], pictures: Pictures = {}): Buffer {
  const parts: Record<string, string | Uint8Array> = within('ppt/media', pictures);
  const relations: Record<string, [string, string]> = {};
  for (const [index, { shapes, notes, chart }] of slides.entries()) {
    relations[`s${index}`] = ['slide', `slides/slide${index}.xml`];
    parts[`ppt/slides/slide${index}.xml`] =
      `<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`;
    const own: Record<string, [string, string]> = imageRelations(pictures, '../media');
    if (notes !== undefined) own.n = ['notesSlide', `../notes/notes${index}.xml`];
    if (chart !== undefined) own.c = ['chart', '../charts/chart.xml'];
    parts[`ppt/slides/_rels/slide${index}.xml.rels`] = relationsXml(own);
    if (chart !== undefined) parts['ppt/charts/chart.xml'] = chart;
    if (notes === undefined) continue;
    parts[`ppt/notes/notes${index}.xml`] =
      `<p:notes xmlns:p="p" xmlns:a="a">${slideShape('body', [notes])}${slideShape('sldNum', ['7'])}</p:notes>`;
  }
  // In reverse, because the list decides the order.
  const ids = slides.map((_, index) => `<p:sldId id="${300 - index}" r:id="s${index}"/>`).join('');
  return officeFile('ppt/presentation.xml', {
    'ppt/presentation.xml': `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationsXml(relations),
    ...parts,
  });
}

export function slideShape(place: string | null, paragraphs: string[]): string {
  const ph = place === null ? '' : `<p:nvSpPr><p:nvPr><p:ph type="${place}"/></p:nvPr></p:nvSpPr>`;
  const text = paragraphs.map((paragraph) => `<a:p><a:r><a:t>${paragraph}</a:t></a:r></a:p>`).join('');
  return `<p:sp>${ph}<p:txBody>${text}</p:txBody></p:sp>`;
}

export function xlsxOf(
  sheets: { name: string; rows: string; state?: string }[],
  { strings = '', styles = '' } = {},
): Buffer {
  const relations: Record<string, [string, string]> = {
    t: ['sharedStrings', 'sharedStrings.xml'],
    y: ['styles', 'styles.xml'],
  };
  const parts: Record<string, string> = {};
  for (const [index, { rows }] of sheets.entries()) {
    relations[`s${index}`] = ['worksheet', `worksheets/sheet${index}.xml`];
    parts[`xl/worksheets/sheet${index}.xml`] = `<worksheet><sheetData>${rows}</sheetData></worksheet>`;
  }
  const list = sheets.map(
    ({ name, state }, index) =>
      `<sheet name="${name}" sheetId="${index}" ${state ? `state="${state}"` : ''} r:id="s${index}"/>`,
  );
  return officeFile('xl/workbook.xml', {
    'xl/workbook.xml': `<workbook><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationsXml(relations),
    'xl/sharedStrings.xml': `<sst>${strings}</sst>`,
    'xl/styles.xml': `<styleSheet>${styles}</styleSheet>`,
    ...parts,
  });
}

export function odfOf(type: string, styles: string, body: string, manifest = '', pictures: Pictures = {}): Buffer {
  return zipOf([
    { name: 'mimetype', bytes: `application/vnd.oasis.opendocument.${type}`, isStored: true },
    {
      name: 'content.xml',
      bytes: `<office:document-content xmlns:office="o"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${type}>${body}</office:${type}></office:body></office:document-content>`,
    },
    { name: 'META-INF/manifest.xml', bytes: `<manifest:manifest>${manifest}</manifest:manifest>` },
    ...Object.entries(pictures).map(([name, bytes]) => ({ name: `Pictures/${name}`, bytes })),
  ]);
}

export function epubOf(title: string, chapters: Record<string, string | Uint8Array>): Buffer {
  const names = Object.keys(chapters);
  const items = names.map(
    (name, index) => `<item id="c${index}" href="${encodeURI(name)}" media-type="application/xhtml+xml"/>`,
  );
  const order = names.map((_, index) => `<itemref idref="c${index}"/>`);
  const nav = '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>';
  return zipOf([
    { name: 'mimetype', bytes: 'application/epub+zip', isStored: true },
    {
      name: 'META-INF/container.xml',
      bytes: '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    },
    {
      name: 'OPS/book.opf',
      bytes: `<package><metadata><dc:title>${title}</dc:title></metadata><manifest>${nav}${items.join('')}</manifest><spine><itemref idref="nav"/>${order.join('')}</spine></package>`,
    },
    { name: 'OPS/nav.xhtml', bytes: '<html><body><p>Contents</p></body></html>' },
    ...Object.entries(chapters).map(([name, bytes]) => ({ name: `OPS/${name}`, bytes })),
  ]);
}

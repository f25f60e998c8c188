import { deflateSync } from 'node:zlib';

/** A mark on a page. Positions are in points from the top left corner. Text is placed by its baseline. */
export type PdfMark =
  | { text: string; x: number; y: number; size?: number; font?: 'regular' | 'bold' }
  | { jpeg: Uint8Array; pixels: [width: number, height: number]; x: number; y: number; width: number; height: number }
  | { from: [x: number, y: number]; to: [x: number, y: number] };

export interface PdfPage {
  width?: number;
  height?: number;
  rotate?: 0 | 90 | 180 | 270;
  marks: PdfMark[];
}

export function writePdf(pages: PdfPage[], { trailer = '' }: { trailer?: string } = {}): Buffer {
  const objects: Buffer[] = [];
  const add = (body: string | Buffer) => objects.push(typeof body === 'string' ? Buffer.from(body, 'latin1') : body);
  const stream = (dictionary: string, bytes: Uint8Array) =>
    Buffer.concat([
      Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`),
      bytes,
      Buffer.from('\nendstream'),
    ]);
  const font = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(''); // placeholder of the page tree
  add(font('Helvetica'));
  add(font('Helvetica-Bold'));
  const kids: number[] = [];
  for (const { width = 595, height = 842, rotate = 0, marks } of pages) {
    const images: string[] = [];
    const drawn = marks.map((mark) => {
      if ('text' in mark) return textOf(mark, height);
      if ('from' in mark) return `${mark.from[0]} ${height - mark.from[1]} m ${mark.to[0]} ${height - mark.to[1]} l S`;
      const [pixelsAcross, pixelsDown] = mark.pixels;
      const facts = `/Type /XObject /Subtype /Image /Width ${pixelsAcross} /Height ${pixelsDown} /ColorSpace /DeviceRGB /BitsPerComponent 8`;
      images.push(`/I${images.length} ${add(stream(`${facts} /Filter /DCTDecode`, mark.jpeg))} 0 R`);
      const place = `${mark.width} 0 0 ${mark.height} ${mark.x} ${height - mark.y - mark.height}`;
      return `q ${place} cm /I${images.length - 1} Do Q`;
    });
    const content = add(stream('/Filter /FlateDecode', deflateSync(Buffer.from(drawn.join('\n'), 'latin1'))));
    const resources = `<< /Font << /regular 3 0 R /bold 4 0 R >> /XObject << ${images.join(' ')} >> >>`;
    const box = `/MediaBox [0 0 ${width} ${height}] /Rotate ${rotate}`;
    kids.push(add(`<< /Type /Page /Parent 2 0 R ${box} /Resources ${resources} /Contents ${content} 0 R >>`));
  }
  objects[1] = Buffer.from(
    `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] >>`,
  );
  return assemblePdf(objects, trailer);
}

function textOf(
  { text, x, y, size = 12, font = 'regular' }: Extract<PdfMark, { text: string }>,
  height: number,
): string {
  const escaped = text.replace(/[\\()]/g, (sign) => `\\${sign}`).replaceAll('•', '\x95'); // WinAnsiEncoding
  return `BT /${font} ${size} Tf ${x} ${height - y} Td (${escaped}) Tj ET`;
}

export interface RepeatedContent {
  operators: string;
  times: number;
  /** How often to compress the content. Twice fits gigabytes into kilobytes. */
  flates: number;
}

/** Writes a 600 x 800 page with long, highly compressed content. */
export function writeCompressedPdf({ operators, times, flates }: RepeatedContent): Buffer {
  let content: Buffer = Buffer.from(operators.repeat(times), 'latin1');
  for (let flate = 0; flate < flates; flate += 1) content = deflateSync(content, { level: 9 });
  const filters = Array.from({ length: flates }, () => '/FlateDecode').join(' ');
  const font = '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>';
  return assemblePdf([
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Count 1 /Kids [3 0 R] >>'),
    Buffer.from(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << ${font} >> >>`),
    Buffer.concat([
      Buffer.from(`<< /Filter [${filters}] /Length ${content.length} >>\nstream\n`),
      content,
      Buffer.from('\nendstream'),
    ]),
  ]);
}

export function assemblePdf(objects: Buffer[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  let at = parts[0]?.length ?? 0;
  const places = objects.map((body, index) => {
    const place = at;
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from('\nendobj\n')]);
    parts.push(part);
    at += part.length;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

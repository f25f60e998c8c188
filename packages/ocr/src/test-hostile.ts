import { deflateSync } from 'node:zlib';
import { assemblePdf, writePdf } from '@chorus/testing';

const stream = (dictionary: string, bytes: Uint8Array) =>
  Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
const HEAD = [
  Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
  Buffer.from('<< /Type /Pages /Count 1 /Kids [3 0 R] >>'),
];
const PAGE = '/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R';
const FONTS = '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>';

/** Builds 2 KB of PDF in which each form draws the next ten times, so that rendering never ends. */
export function endlessPdf(): Buffer {
  const form = (next: number) =>
    stream(
      `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /X ${next} 0 R >> >>`,
      Buffer.from('/X Do '.repeat(10)),
    );
  return assemblePdf([
    ...HEAD,
    Buffer.from(`<< ${PAGE} /Resources << /XObject << /X 5 0 R >> >> >>`),
    stream('', Buffer.from('/X Do')),
    ...Array.from({ length: 14 }, (_, index) => form(index + 6)),
    stream('/Type /XObject /Subtype /Form /BBox [0 0 600 800]', Buffer.from('')),
  ]);
}

/** Builds a few hundred KB of PDF with 120 million letters. */
export function pdfBomb(): Buffer {
  const line = `BT /F 1 Tf 1 1 Td (${'a'.repeat(60)}) Tj ET\n`;
  return assemblePdf([
    ...HEAD,
    Buffer.from(`<< ${PAGE} /Resources << ${FONTS} >> >>`),
    stream('/Filter /FlateDecode', deflateSync(Buffer.from(line.repeat(2_000_000)), { level: 9 })),
  ]);
}

export function lockedPdf(): Buffer {
  const keys = `/O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}>`;
  const id = '00112233445566778899aabbccddeeff';
  return writePdf([{ marks: [{ text: 'secret', x: 60, y: 60 }] }], {
    trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -44 ${keys} >> /ID [<${id}> <${id}>]`,
  });
}

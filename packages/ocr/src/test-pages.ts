import { openPdf } from '@chorus/documents/pdf';
import { type PdfPage, writePdf } from '@chorus/testing';
import sharp, { type Sharp } from 'sharp';

export const PIXELS_PER_POINT = 2;

export async function drawPage(page: PdfPage): Promise<Sharp> {
  const [drawn] = await openPdf({ dpi: 72 * PIXELS_PER_POINT }, (pdf) => pdf.screenshot(writePdf([page])));
  if (drawn === undefined) throw new Error('nothing was drawn');
  return sharp(drawn.imageBuffer).flatten({ background: '#fff' });
}

export async function scannedPage(page: PdfPage): Promise<PdfPage> {
  const { width = 595, height = 842 } = page;
  const { data, info } = await (await drawPage(page)).jpeg({ quality: 90 }).toBuffer({ resolveWithObject: true });
  const marks = [{ jpeg: data, pixels: [info.width, info.height] as [number, number], x: 0, y: 0, width, height }];
  return { width, height, marks };
}

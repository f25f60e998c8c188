import { open } from 'node:fs/promises';
import { ChorusError } from '@chorus/contract/errors';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { type Raster, toRaster } from '../image/raster.ts';
import type { FileToRead, TaskAnswers } from '../page-tasks.ts';

/** Larger images are scaled down before analysis and OCR. */
const MAX_READ_PIXELS = 20_000_000;
/** Longer side of an image for a model. */
const DISPLAY_SIDE = 2_000;

interface ImageFormat {
  name: string;
  format: Metadata['format'];
  /** File signatures in Latin-1; a dot matches any byte. */
  signatures: string[];
}

const FORMATS: Partial<Record<FileToRead['type'], ImageFormat>> = {
  'image/png': { name: 'a PNG', format: 'png', signatures: ['\x89PNG\r\n\x1a\n'] },
  'image/jpeg': { name: 'a JPEG', format: 'jpeg', signatures: ['\xff\xd8\xff'] },
  'image/tiff': { name: 'a TIFF', format: 'tiff', signatures: ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'] },
  'image/webp': { name: 'a WebP', format: 'webp', signatures: ['RIFF....WEBP'] },
};

// Nothing is cached between files, and no other format is opened, whatever a file claims to be.
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadTiff', 'VipsForeignLoadWebp'],
});

export interface OpenedPage {
  raster: Raster;
  /** Displayed size: pixels of an image, points of a PDF page. */
  width: number;
  height: number;
}

/**
 * Returns how many pages an image has: one, except in TIFF. @throws {ChorusError} for a wrong type or a size
 * beyond the limit
 */
export async function countImages(file: FileToRead, pixels: number): Promise<number> {
  const { pages = 1 } = await examine(file, 0, pixels);
  return file.type === 'image/tiff' ? pages : 1; // frames of an animation are not pages
}

export async function openImage(file: FileToRead, page: number, pixels: number): Promise<OpenedPage> {
  const { width, height } = await examine(file, page - 1, pixels);
  const shrink = Math.max(1, Math.sqrt((width * height) / MAX_READ_PIXELS));
  const image = upright(file, page - 1, pixels);
  const raster = await decoded(file, () =>
    toRaster(shrink === 1 ? image : sharpened(image, { width, height }, shrink)),
  );
  return { raster, width, height };
}

export async function renderImage(file: FileToRead, page: number, pixels: number): Promise<TaskAnswers['picture']> {
  const { width, height } = await examine(file, page - 1, pixels);
  const bytes = await decoded(file, () => toDisplayImage(upright(file, page - 1, pixels, { color: true })));
  return { bytes, width, height, blank: false };
}

export function toDisplayImage(image: Sharp): Promise<Uint8Array> {
  return image
    .resize({ width: DISPLAY_SIDE, height: DISPLAY_SIDE, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 85 })
    .toBuffer();
}

const sharpened = (image: Sharp, { width, height }: { width: number; height: number }, shrink: number) =>
  image.resize({ width: Math.round(width / shrink), height: Math.round(height / shrink), fit: 'inside' });

function upright({ path }: FileToRead, page: number, pixels: number, { color = false } = {}): Sharp {
  const image = sharp(path, { page, limitInputPixels: pixels, failOn: 'error' })
    .autoOrient()
    .flatten({ background: '#fff' });
  return color ? image : image.greyscale();
}

async function examine(
  file: FileToRead,
  page: number,
  pixels: number,
): Promise<{ width: number; height: number; pages: number | undefined }> {
  const expected = FORMATS[file.type];
  if (!expected || !hasSignature(expected, await beginning(file.path)))
    throw new ChorusError('invalid_request', `The file is not ${expected?.name ?? 'a supported image'}.`);
  const { width, height, pages, format, autoOrient } = await decoded(file, () =>
    sharp(file.path, { page, limitInputPixels: false, failOn: 'error' }).metadata(),
  );
  if (format !== expected.format) throw new ChorusError('invalid_request', `The file is not ${expected.name}.`);
  if (width * height > pixels)
    throw new ChorusError(
      'payload_too_large',
      `The image has ${width} x ${height} pixels; the limit is ${Math.floor(pixels / 1_000_000)} megapixels.`,
    );
  return { width: autoOrient.width, height: autoOrient.height, pages };
}

const hasSignature = ({ signatures: begins }: ImageFormat, head: string) =>
  begins.some((sample) => [...sample].every((sign, at) => sign === '.' || sign === head[at]));

async function beginning(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function decoded<T>(file: FileToRead, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const name = FORMATS[file.type]?.name.replace(/^an? /, '') ?? 'image';
    throw new ChorusError('invalid_request', `The ${name} is damaged or cut off and cannot be decoded.`, {
      cause: error,
    });
  }
}

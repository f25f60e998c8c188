import { open } from 'node:fs/promises';
import { ChorusError } from '@chorus/contract';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { type Raster, toRaster } from '../image/raster.ts';
import type { FileToRead, TaskAnswers } from '../page-tasks.ts';

/** Of the picture that is looked at and read; what is larger is made smaller first. */
const MAX_READ_PIXELS = 20_000_000;
/** The longer side of a picture that a model is shown. */
const SHOWN_SIDE = 2_000;

interface ImageFormat {
  name: string;
  format: Metadata['format'];
  /** How such files begin, in Latin-1; a dot stands for any byte. */
  begins: string[];
}

const FORMATS: Partial<Record<FileToRead['type'], ImageFormat>> = {
  'image/png': { name: 'a PNG', format: 'png', begins: ['\x89PNG\r\n\x1a\n'] },
  'image/jpeg': { name: 'a JPEG', format: 'jpeg', begins: ['\xff\xd8\xff'] },
  'image/tiff': { name: 'a TIFF', format: 'tiff', begins: ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'] },
  'image/webp': { name: 'a WebP', format: 'webp', begins: ['RIFF....WEBP'] },
};

// Nothing of ours is kept between files, and no other format is ever opened, whatever a file says that it is.
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadTiff', 'VipsForeignLoadWebp'],
});

/** A page as it is read: grey, perhaps smaller than it is. */
export interface OpenedPage {
  raster: Raster;
  /** Its size as viewers show it: pixels of the image, points of a PDF. */
  width: number;
  height: number;
}

/** How many pages an image has: one, but for TIFF. @throws ChorusError for a file that is not what it should be, or too large */
export async function countImages(file: FileToRead, pixels: number): Promise<number> {
  const { pages = 1 } = await examine(file, 0, pixels);
  return file.type === 'image/tiff' ? pages : 1; // the frames of an animation are no pages
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

/** A picture of the page for a model that sees, as viewers show it. */
export async function pictureOfImage(file: FileToRead, page: number, pixels: number): Promise<TaskAnswers['picture']> {
  const { width, height } = await examine(file, page - 1, pixels);
  const bytes = await decoded(file, () => toShown(upright(file, page - 1, pixels, { colour: true })));
  return { bytes, width, height, blank: false };
}

/** No larger than models look at. */
export function toShown(image: Sharp): Promise<Uint8Array> {
  return image
    .resize({ width: SHOWN_SIDE, height: SHOWN_SIDE, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 85 })
    .toBuffer();
}

const sharpened = (image: Sharp, { width, height }: { width: number; height: number }, shrink: number) =>
  image.resize({ width: Math.round(width / shrink), height: Math.round(height / shrink), fit: 'inside' });

/** As viewers show it, on white. */
function upright({ path }: FileToRead, page: number, pixels: number, { colour = false } = {}): Sharp {
  const image = sharp(path, { page, limitInputPixels: pixels, failOn: 'error' })
    .autoOrient()
    .flatten({ background: '#fff' });
  return colour ? image : image.greyscale();
}

/** Its size once it is upright, before anything is decoded. */
async function examine(
  file: FileToRead,
  page: number,
  pixels: number,
): Promise<{ width: number; height: number; pages: number | undefined }> {
  const expected = FORMATS[file.type];
  if (!expected || !beginsSo(expected, await beginning(file.path)))
    throw new ChorusError('invalid_request', `The file is not ${expected?.name ?? 'an image that can be read'}.`);
  const { width, height, pages, format, autoOrient } = await decoded(file, () =>
    sharp(file.path, { page, limitInputPixels: false, failOn: 'error' }).metadata(),
  );
  if (format !== expected.format) throw new ChorusError('invalid_request', `The file is not ${expected.name}.`);
  if (width * height > pixels)
    throw new ChorusError(
      'payload_too_large',
      `The image has ${width} x ${height} pixels; at most ${Math.floor(pixels / 1_000_000)} megapixels can be read.`,
    );
  return { width: autoOrient.width, height: autoOrient.height, pages };
}

const beginsSo = ({ begins }: ImageFormat, head: string) =>
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

/** Runs what decodes; what it throws is the file's fault. */
async function decoded<T>(file: FileToRead, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const name = FORMATS[file.type]?.name.replace(/^an? /, '') ?? 'image';
    throw new ChorusError('invalid_request', `The ${name} is broken or cut off: it can not be decoded.`, {
      cause: error,
    });
  }
}

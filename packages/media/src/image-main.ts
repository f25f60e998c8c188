import { getPriority, setPriority } from 'node:os';
import { isOutOfMemory, serveTasks } from '@chorus/sandbox/child';
import { enlargeImage } from './enlarge-image.ts';
import { imageSimilarity } from './image-similarity.ts';
import type { ImageAnswer, ImageFacts, ImageHeader, ImageSettings, ImageTask } from './image-tasks.ts';
import { loadSharp } from './load-sharp.ts';
import { makeThumbnail } from './make-thumbnail.ts';
import { makeView } from './make-view.ts';
import { MediaError } from './media-error.ts';
import { readHeader } from './open-image.ts';
import { perceptualHash, probeImage } from './perceptual-hash.ts';

/** Loaders of supported formats. By default, libvips would read many more, whatever a file claims to be. */
const LOADERS = ['Png', 'Jpeg', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map((format) => `VipsForeignLoad${format}`);

const loaded = loadSharp().then((sharp) => {
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
});

// Entry point of the child process that decodes images.
serveTasks<ImageSettings, ImageTask, ImageAnswer>(({ nice }) => {
  setPriority(Math.max(nice, getPriority()));
  return answer;
});

async function answer(task: ImageTask): Promise<ImageAnswer> {
  await loaded;
  try {
    return { result: await resultOf(task) };
  } catch (error) {
    if (error instanceof MediaError && !isOutOfMemory(error)) return { problem: error.problem, message: error.message };
    throw error;
  }
}

function resultOf(task: ImageTask) {
  const { input, ...limits } = task;
  switch (task.operation) {
    case 'header':
      return headerOf(input, limits);
    case 'inspect':
      return inspect(task);
    case 'probe':
      return probeImage(input, limits);
    case 'thumbnail':
      return makeThumbnail(input, limits);
    case 'view':
      return makeView(input, limits);
    case 'enlarged':
      return enlargeImage(input, task.factor, limits);
    case 'hash':
      return perceptualHash(input, limits);
    case 'similarity':
      return imageSimilarity(input, task.other, limits);
    default:
      return task satisfies never;
  }
}

/** Baseline JPEGs are decoded at an eighth of their size for a small result. */
const JPEG_SHARE = 1 / 8;

async function headerOf(input: ImageTask['input'], limits: { maxPixels: number | undefined }): Promise<ImageHeader> {
  const { width, height, format, isProgressive, autoOrient } = await readHeader(input, limits);
  const share = format === 'jpeg' && !isProgressive ? JPEG_SHARE : 1;
  return { width: autoOrient.width, height: autoOrient.height, cost: Math.ceil(width * height * share) };
}

async function inspect(task: Extract<ImageTask, { operation: 'inspect' }>): Promise<ImageFacts | null> {
  const { input, complete, maxCost, maxPixels } = task;
  try {
    const { width, height, cost } = await headerOf(input, { maxPixels });
    if (complete && cost <= maxCost) return await probeImage(input, { maxPixels });
    return { width, height, perceptual_hash: null };
  } catch (error) {
    if (!complete && error instanceof MediaError && error.problem === 'damaged') return null;
    throw error;
  }
}

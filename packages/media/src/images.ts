import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ChorusError } from '@chorus/contract/errors';
import {
  ChildGone,
  ChildPool,
  CpuTimeout,
  cpuBudget,
  type LendSource,
  type LentFile,
  lendFile,
  TaskTimeout,
  type TurnLimits,
  Turns,
} from '@chorus/sandbox';
import type {
  ImageAnswer,
  ImageFacts,
  ImageHeader,
  ImageInput,
  ImageOperation,
  ImageResults,
  ImageSettings,
  ImageTask,
} from './image-tasks.ts';
import { MediaError } from './media-error.ts';

/** A stored file that can be read repeatedly. */
export interface StoredImage {
  sizeBytes: number;
  open(range?: { start: number; end: number }): Promise<Readable>;
}

/** The bytes of an image, the path of its file, or a stored asset. */
export type ImageSource = Uint8Array | string | StoredImage;

export interface ImageCall {
  /** Owner of the image. Owners take turns. */
  owner: string;
  maxPixels?: number | undefined;
}

const PROGRAM = fileURLToPath(new URL('./image-main.ts', import.meta.url));

/** Cheaper images use the quick lane, without waiting for large ones. About a third of a second. */
const QUICK_COST = 3_000_000;

const INSPECT_COST = 100_000;

/** Longer inputs are passed as files. */
const MESSAGE_BYTES = 4_000_000;

/** Enough bytes for nearly all image headers. */
const HEADER_BYTES = 1_000_000;

/** Time limit per image on a very busy machine. CPU time has a separate limit. */
const TIMEOUT_MS = 180_000;

interface Lane {
  turns: Turns;
  pool: ChildPool<ImageTask, ImageAnswer>;
  cpuMs: number;
}

const RETIRED_AFTER = { tasks: 5_000, cpuMs: 600_000, memoryShare: 0.6 };

/** CPU limit of a child for its lifetime, enforced by the system even if this process has died. */
const LIFE_CPU_S = 900;

const LIMITS: Omit<TurnLimits, 'atOnce'> = {
  name: 'images',
  ofOwner: 1,
  waiting: 500,
  waitingCost: 1_000_000_000,
  waitMs: 60_000,
  timeMs: 60_000,
  timeShare: 0.5,
};

interface LaneOptions extends Partial<TurnLimits> {
  name: string;
  atOnce: number;
  memoryBytes: number;
  cpuMs: number;
  keep: number;
  nice: number;
}

function openLane({ name, memoryBytes, cpuMs, keep, nice, ...limits }: LaneOptions): Lane {
  const child = {
    program: PROGRAM,
    settings: { nice } satisfies ImageSettings,
    memoryBytes,
    cpuS: LIFE_CPU_S,
    retiredAfter: RETIRED_AFTER,
  };
  return {
    turns: new Turns({ ...LIMITS, ...limits }),
    pool: new ChildPool({ name, size: limits.atOnce, keep, child: async () => child }),
    cpuMs,
  };
}

/** Small images never wait for large ones. */
const quick = openLane({
  name: 'image decoder',
  atOnce: 3,
  ofOwner: 2,
  memoryBytes: 1_500_000_000,
  cpuMs: 10_000,
  keep: 1,
  nice: 5,
});
const slow = openLane({
  name: 'large image decoder',
  atOnce: Math.max(1, Math.min(2, availableParallelism() - 1)),
  memoryBytes: 2_500_000_000,
  cpuMs: 45_000,
  keep: 0,
  nice: 10,
  waiting: 100,
  waitMs: 120_000,
});

/**
 * Measures an image by its header. Cheap images are also decoded, to find damage and compute the hash.
 *
 * @throws {MediaError} damaged, too_many_pixels, too_slow
 * @throws {ChorusError} overloaded; errors of the source
 */
export async function inspectImage(source: ImageSource, call: ImageCall): Promise<ImageFacts> {
  const { owner, maxPixels } = call;
  const inspected = await take(quick, owner, INSPECT_COST, async () => {
    const { bytes, complete } = await headOf(source);
    return { operation: 'inspect', input: bytes, complete, maxCost: QUICK_COST, maxPixels };
  });
  if (inspected !== null) return inspected as ImageFacts;
  const { width, height } = await run('header', source, call, slow, INSPECT_COST);
  return { width, height, perceptual_hash: null };
}

/** Measures an image and decodes it at any cost. @throws as `inspectImage` */
export const probeImage = (source: ImageSource, call: ImageCall): Promise<ImageFacts> => decode('probe', source, call);

/** Makes a small upright WebP without metadata. @throws as `inspectImage` */
export const makeThumbnail = (source: ImageSource, call: ImageCall) => decode('thumbnail', source, call);

/** Makes an upright JPEG on white, without metadata, for vision models. @throws as `inspectImage` */
export const makeView = (source: ImageSource, call: ImageCall) => decode('view', source, call);

/**
 * Enlarges an image by Lanczos resampling, in its format and without metadata.
 * Uses the first frame of an animation.
 *
 * @throws as `inspectImage`; too_many_pixels even if only the enlarged picture has too many
 */
export async function enlargeImage(source: ImageSource, factor: number, call: ImageCall): Promise<Uint8Array> {
  const { cost } = await headerOf(source, call);
  const { owner, maxPixels } = call;
  const lane = cost * factor ** 2 <= QUICK_COST ? quick : slow;
  const enlarged = take(lane, owner, cost * factor ** 2, async (lend) => ({
    operation: 'enlarged',
    input: await inputOf(source, lend),
    factor,
    maxPixels,
  }));
  return enlarged as Promise<Uint8Array>;
}

/** @throws as `inspectImage` */
export const perceptualHash = (source: ImageSource, call: ImageCall) => decode('hash', source, call);

/**
 * Returns the similarity of two thumbnails, 0 to 1.
 *
 * @throws as `inspectImage`
 */
export async function imageSimilarity(one: Uint8Array, other: Uint8Array, call: ImageCall): Promise<number> {
  const { owner, maxPixels } = call;
  const task = { operation: 'similarity', input: one, other, maxPixels } as const;
  return (await take(quick, owner, INSPECT_COST, async () => task)) as number;
}

async function decode<O extends Exclude<ImageOperation, 'inspect' | 'enlarged'>>(
  operation: O,
  source: ImageSource,
  call: ImageCall,
): Promise<ImageResults[O]> {
  const { cost } = await headerOf(source, call);
  return run(operation, source, call, cost <= QUICK_COST ? quick : slow, cost);
}

/** Reads the first bytes of a large file, or all of it if the header is elsewhere. */
async function headerOf(source: ImageSource, call: ImageCall): Promise<ImageHeader> {
  const { owner, maxPixels } = call;
  let isComplete = true;
  try {
    const header = await take(quick, owner, INSPECT_COST, async () => {
      const { bytes, complete } = await headOf(source);
      isComplete = complete;
      return { operation: 'header', input: bytes, maxPixels };
    });
    return header as ImageHeader;
  } catch (error) {
    if (isComplete || !(error instanceof MediaError) || error.problem !== 'damaged') throw error;
    return run('header', source, call, slow, INSPECT_COST);
  }
}

function run<O extends Exclude<ImageOperation, 'inspect' | 'enlarged'>>(
  operation: O,
  source: ImageSource,
  { owner, maxPixels }: ImageCall,
  lane: Lane,
  cost: number,
): Promise<ImageResults[O]> {
  const result = take(lane, owner, cost, async (lend) => ({
    operation,
    input: await inputOf(source, lend),
    maxPixels,
  }));
  return result as Promise<ImageResults[O]>;
}

type Lend = (source: LendSource) => Promise<string>;

/** Waits for the owner's turn, reads the source, and runs the task in a child. */
function take(
  { turns, pool, cpuMs }: Lane,
  owner: string,
  cost: number,
  prepare: (lend: Lend) => Promise<ImageTask>,
): Promise<Extract<ImageAnswer, { result: unknown }>['result']> {
  return turns.run({ owner, cost }, async () => {
    let lent: LentFile | null = null;
    try {
      const task = await prepare(async (source) => {
        lent = await lendFile(source, 'image');
        return lent.path;
      });
      const { signal } = new AbortController();
      const call = { owner, signal, timeoutMs: TIMEOUT_MS, cpu: cpuBudget(cpuMs) };
      const answer = await pool.run(task, call).catch((error) => {
        if (error instanceof ChildGone) return pool.run(task, { ...call, fresh: true });
        throw error;
      });
      if ('problem' in answer) throw new MediaError(answer.problem, answer.message);
      return answer.result;
    } catch (error) {
      throw problemOf(error);
    } finally {
      await (lent as LentFile | null)?.remove();
    }
  });
}

/** Reads enough bytes for most headers; a small image completely. */
async function headOf(source: ImageSource): Promise<{ bytes: Uint8Array; complete: boolean }> {
  const size = await sizeOf(source);
  const complete = size <= MESSAGE_BYTES;
  const end = complete ? size : HEADER_BYTES;
  if (source instanceof Uint8Array) return { bytes: source.subarray(0, end), complete };
  if (typeof source !== 'string')
    return { bytes: await buffer(await source.open({ start: 0, end: end - 1 })), complete };
  return { bytes: await buffer(createReadStream(source, { end: end - 1 })), complete };
}

/** Returns the bytes of a small image, or the path of a temporary copy. */
async function inputOf(source: ImageSource, lend: Lend): Promise<ImageInput> {
  if ((await sizeOf(source)) <= MESSAGE_BYTES) return (await headOf(source)).bytes;
  if (typeof source === 'string' || source instanceof Uint8Array) return lend(source);
  return lend(await source.open());
}

async function sizeOf(source: ImageSource): Promise<number> {
  if (typeof source === 'string') return (await stat(source)).size;
  return source instanceof Uint8Array ? source.byteLength : source.sizeBytes;
}

function problemOf(error: unknown): unknown {
  if (error instanceof TaskTimeout)
    return new ChorusError('overloaded', 'The server is too busy to decode images. Try again later.', {
      retryAfterS: 30,
      cause: error,
    });
  if (error instanceof CpuTimeout)
    return new MediaError('too_slow', 'Decoding the image takes too long.', { cause: error });
  if (error instanceof ChildGone)
    return new MediaError('damaged', 'The image is damaged or needs too much memory to decode.', { cause: error });
  return error;
}

import { fileURLToPath } from 'node:url';
import { startBoundedChild, Turns } from '@chorus/sandbox';
import type { FromChild, ReadRequest, ToChild, VideoFacts, VideoTask } from './video-protocol.ts';

/** Where the bytes of a video or a sound come from. */
export interface MediaSource {
  sizeBytes: number;
  /** Bytes `start` up to, and not with, `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
}

const PROGRAM = fileURLToPath(new URL('./video-main.ts', import.meta.url));

const MEMORY_BYTES = 1_500_000_000;

/** Of one file, in seconds: an upload waits for its measures. */
const CPU_S: Record<VideoTask, number> = { probe: 5, poster: 20 };

const TIMEOUT_MS = 30_000;

/** A file whose tables are larger than one read, or all reads together, is not looked into. */
const MAX_READ_BYTES = 32_000_000;
const MAX_READS_BYTES = 256_000_000;

const LIMITS = { ofOwner: 1, waiting: 200, waitingCost: 200, waitMs: 60_000, timeMs: 60_000, timeShare: 0.5 };

/** Measures do not wait for pictures. */
const turns: Record<VideoTask, Turns> = {
  probe: new Turns({ ...LIMITS, name: 'videos and sounds to measure', atOnce: 2 }),
  poster: new Turns({ ...LIMITS, name: 'pictures of videos', atOnce: 2 }),
};

/**
 * Measures and duration of a video or a sound, as far as the file tells; null where nothing in it could be read.
 *
 * @param owner whose it is: owners take turns
 */
export async function probeVideo(source: MediaSource, owner: string): Promise<VideoFacts | null> {
  const answer = await lookInto('probe', source, owner);
  return answer?.type === 'probed' ? answer.facts : null;
}

/** The first frame of a video as a WebP of 384 pixels at most; null where it can't be decoded. */
export async function makePoster(source: MediaSource, owner: string): Promise<Uint8Array | null> {
  const answer = await lookInto('poster', source, owner);
  return answer?.type === 'poster' ? answer.poster : null;
}

function lookInto(task: VideoTask, source: MediaSource, owner: string): Promise<FromChild | null> {
  return turns[task].run({ owner }, () => ask(task, source));
}

/** @throws what reading the source throws */
function ask(task: VideoTask, source: MediaSource): Promise<FromChild | null> {
  return new Promise((resolve, reject) => {
    const child = startBoundedChild(PROGRAM, { memoryBytes: MEMORY_BYTES, cpuS: CPU_S[task] });
    const send = (message: ToChild) => child.connected && child.send(message, () => undefined);
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    let left = MAX_READS_BYTES;
    let answer: FromChild | null = null;
    let failure: unknown;
    const give = async ({ id, start, end }: ReadRequest) => {
      left -= end - start;
      if (!isSane({ start, end }, source.sizeBytes) || left < 0) return void child.kill('SIGKILL');
      try {
        send({ type: 'bytes', id, bytes: await source.read(start, end) });
      } catch (error) {
        failure = error;
        child.kill('SIGKILL');
      }
    };
    child.on('message', (message: FromChild) => {
      if (message.type === 'read') void give(message);
      else answer = message;
    });
    child.on('error', (error) => {
      failure = error;
    });
    child.on('close', () => {
      clearTimeout(timer);
      if (failure === undefined) resolve(answer);
      else reject(failure);
    });
    send({ type: 'begin', task, sizeBytes: source.sizeBytes });
  });
}

/** The child reads a stranger's file: what it asks for is checked. */
function isSane({ start, end }: { start: number; end: number }, sizeBytes: number): boolean {
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  return whole && start >= 0 && start < end && end <= sizeBytes && end - start <= MAX_READ_BYTES;
}

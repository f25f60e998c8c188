import { fileURLToPath } from 'node:url';
import { startBoundedChild } from '@chorus/sandbox';
import { Budget } from './budget.ts';
import type { FromChild, ReadRequest, ToChild, VideoFacts, VideoTask } from './video-protocol.ts';

/** Where the bytes of a video or a sound come from. */
export interface MediaSource {
  sizeBytes: number;
  /** Bytes `start` up to, and not with, `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
}

const PROGRAM = fileURLToPath(new URL('./video-main.ts', import.meta.url));

const LIMITS = { memoryBytes: 1_500_000_000, cpuS: 20 };

/** Looking into one file may take so long, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** A file whose tables are larger than one read, or all reads together, is not looked into. */
const MAX_READ_BYTES = 32_000_000;
const MAX_READS_BYTES = 256_000_000;

/** So many are looked into at once in a process. */
const children = new Budget(2);

/** Measures and duration of a video or a sound, as far as the file tells; null where nothing in it could be read. Takes a process of its own, with limits. */
export async function probeVideo(source: MediaSource): Promise<VideoFacts | null> {
  const answer = await lookInto('probe', source);
  return answer?.type === 'probed' ? answer.facts : null;
}

/** The first frame of a video as a WebP of 384 pixels at most; null where it can't be decoded. Takes a process of its own, with limits. */
export async function makePoster(source: MediaSource): Promise<Uint8Array | null> {
  const answer = await lookInto('poster', source);
  return answer?.type === 'poster' ? answer.poster : null;
}

function lookInto(task: VideoTask, source: MediaSource): Promise<FromChild | null> {
  return children.run(1, () => ask(task, source));
}

/** @throws what reading the source throws */
function ask(task: VideoTask, source: MediaSource): Promise<FromChild | null> {
  return new Promise((resolve, reject) => {
    const child = startBoundedChild(PROGRAM, LIMITS);
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

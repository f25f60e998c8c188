import { fileURLToPath } from 'node:url';
import { findProgram, startBoundedChild, Turns } from '@chorus/sandbox';
import type { FromChild, ReadRequest, ToChild, VideoFacts, VideoTask } from './video-protocol.ts';

/** Provides the bytes of a video or audio file. */
export interface MediaSource {
  sizeBytes: number;
  /** Returns bytes from `start` to `end`, exclusive. */
  read(start: number, end: number): Promise<Uint8Array>;
}

const PROGRAM = fileURLToPath(new URL('./video-main.ts', import.meta.url));

/** Decodes H.264, if it is installed. */
const FFMPEG = findProgram('ffmpeg');

const MEMORY_BYTES = 1_500_000_000;

/** CPU limit per file, since uploads wait for a probe. */
const CPU_S: Record<VideoTask, number> = { probe: 5, poster: 20 };

const TIMEOUT_MS = 30_000;

/** Limits of one read and of all reads. Files with larger tables are not probed. */
const MAX_READ_BYTES = 32_000_000;
const MAX_READS_BYTES = 256_000_000;

const LIMITS = { ofOwner: 1, waiting: 200, waitingCost: 200, waitMs: 60_000, timeMs: 60_000, timeShare: 0.5 };

/** Separate queues, so that probes do not wait for posters. */
const turns: Record<VideoTask, Turns> = {
  probe: new Turns({ ...LIMITS, name: 'video and audio files', atOnce: 2 }),
  poster: new Turns({ ...LIMITS, name: 'video posters', atOnce: 2 }),
};

/**
 * Returns size and duration of a video or audio file. Null if unreadable.
 *
 * @param owner Owners take turns.
 */
export async function probeVideo(source: MediaSource, owner: string): Promise<VideoFacts | null> {
  const answer = await runTask('probe', source, owner);
  return answer?.type === 'probed' ? answer.facts : null;
}

/** Creates a WebP of the first frame, up to 384 pixels. Null if it cannot be decoded. H.264 needs FFmpeg. */
export async function makePoster(source: MediaSource, owner: string): Promise<Uint8Array | null> {
  const answer = await runTask('poster', source, owner);
  return answer?.type === 'poster' ? answer.poster : null;
}

function runTask(task: VideoTask, source: MediaSource, owner: string): Promise<FromChild | null> {
  return turns[task].run({ owner }, () => ask(task, source));
}

/** @throws errors of the source */
function ask(task: VideoTask, source: MediaSource): Promise<FromChild | null> {
  return new Promise((resolve, reject) => {
    const child = startBoundedChild(PROGRAM, { memoryBytes: MEMORY_BYTES, cpuS: CPU_S[task] });
    const send = (message: ToChild) => child.messages.send(message);
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    let left = MAX_READS_BYTES;
    let answer: FromChild | null = null;
    let failure: unknown;
    const give = async ({ id, start, end }: ReadRequest) => {
      left -= end - start;
      if (!isValidRange({ start, end }, source.sizeBytes) || left < 0) return void child.kill('SIGKILL');
      try {
        send({ type: 'bytes', id, bytes: await source.read(start, end) });
      } catch (error) {
        failure = error;
        child.kill('SIGKILL');
      }
    };
    child.messages.on('message', (data) => {
      const message = data as FromChild;
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
    send({ type: 'begin', task, sizeBytes: source.sizeBytes, ffmpeg: FFMPEG });
  });
}

/** Validates requests of the child, which reads an untrusted file. */
function isValidRange({ start, end }: { start: number; end: number }, sizeBytes: number): boolean {
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  return whole && start >= 0 && start < end && end <= sizeBytes && end - start <= MAX_READ_BYTES;
}

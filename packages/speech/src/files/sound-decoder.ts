import { type FileHandle, open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ChorusError } from '@chorus/contract/errors';
import type { MediaSource } from '@chorus/media';
import { type BoundedChild, startBoundedChild, Turns } from '@chorus/sandbox';
import { bytesOf } from '../pcm.ts';
import {
  type FromSoundChild,
  MAX_UNSTORED,
  type ReadRequest,
  type SoundProblem,
  type ToSoundChild,
} from './sound-protocol.ts';

const PROGRAM = fileURLToPath(new URL('../sound-main.ts', import.meta.url));

const MEMORY_BYTES = 1_500_000_000;

/** Limits of one file. */
interface Effort {
  cpuS: number;
  timeoutMs: number;
}
const SHORT: Effort = { cpuS: 60, timeoutMs: 90_000 };
const LONG: Effort = { cpuS: 600, timeoutMs: 900_000 };

/** Longer audio is decoded in the turns of long files. */
const SHORT_MS = 600_000;

/** Limits for one read, and for all reads as a multiple of the file. */
const MAX_READ_BYTES = 16_000_000;
const MAX_READS = 4;

const TURNS = {
  name: 'audio files',
  atOnce: 2,
  ofOwner: 1,
  waiting: 200,
  waitingCost: 200,
  waitMs: 120_000,
  timeMs: 180_000,
  timeShare: 0.5,
};

/** Separate turns, so that spoken turns never wait for long recordings. */
const LONG_TURNS = { ...TURNS, name: 'long audio files', waitMs: 1_800_000, timeMs: 1_800_000 };

export interface DecodeOptions {
  /** Owner of the audio. Owners take turns. */
  owner: string;
  longestMs: number;
  signal: AbortSignal;
}

const MESSAGES: Readonly<Record<Exclude<SoundProblem, 'too long'>, string>> = {
  unreadable: 'The audio cannot be read. Use WAV, MP3, OGG, WebM, M4A, or FLAC.',
  'no sound': 'The file has no audio track.',
  vorbis: 'Audio in Vorbis cannot be decoded. Convert it to Opus, MP3, M4A, FLAC, or WAV.',
};

/** Decodes untrusted files, each in a separate process with limits. */
export class SoundDecoder {
  readonly #turns = new Turns(TURNS);
  readonly #longTurns = new Turns(LONG_TURNS);
  /** A spare process, so that files need not wait for one to start. */
  #spare: BoundedChild | null = null;
  #closed = false;

  /** Starts a process ahead of the first file. */
  prepare(): void {
    if (this.#spare !== null || this.#closed) return;
    const child = start(SHORT);
    this.#spare = child;
    child.on('error', () => this.#forget(child));
    child.on('exit', () => this.#forget(child));
    // Does not keep this process alive.
    child.unref();
    child.messages.unref();
  }

  /**
   * Decodes an audio file or the sound of a video.
   *
   * @throws {ChorusError} invalid_request if it is unreadable, silent, or longer than `longestMs`; overloaded;
   * errors of the source; the signal's reason
   */
  decode(source: MediaSource, { owner, longestMs, signal }: DecodeOptions): Promise<Uint8Array> {
    return this.#turns.run({ owner, signal }, async () => {
      const pieces: Uint8Array[] = [];
      await this.#decode(source, SHORT, longestMs, signal, async (pcm) => void pieces.push(pcm));
      return Buffer.concat(pieces);
    });
  }

  /**
   * Decodes into a file, for audio that is too long for memory.
   *
   * @param durationMs as declared by the file; null if unknown
   * @param onSize called with the size of the file after each piece
   * @throws {ChorusError} as `decode`
   */
  async decodeTo(
    path: string,
    source: MediaSource,
    durationMs: number | null,
    { owner, longestMs, signal }: DecodeOptions,
    onSize: (bytes: number) => void = () => {},
  ): Promise<void> {
    const isShort = durationMs !== null && durationMs < SHORT_MS / 2;
    const [turns, effort, mostMs] = isShort
      ? [this.#turns, SHORT, Math.min(longestMs, SHORT_MS)]
      : [this.#longTurns, LONG, longestMs];
    await turns.run({ owner, signal }, async () => {
      const file = await open(path, 'wx', 0o600);
      try {
        let size = 0;
        await this.#decode(source, effort, mostMs, signal, async (pcm) => {
          await writeAll(file, pcm);
          size += pcm.byteLength;
          onSize(size);
        });
      } finally {
        await file.close();
      }
    });
  }

  close(): void {
    this.#closed = true;
    this.#spare?.kill('SIGKILL');
  }

  #forget(child: BoundedChild): void {
    if (this.#spare === child) this.#spare = null;
  }

  #take(effort: Effort): BoundedChild {
    const child = (effort === SHORT ? this.#spare : null) ?? start(effort);
    this.#forget(child);
    child.removeAllListeners('error');
    child.removeAllListeners('exit');
    child.ref();
    child.messages.ref();
    this.prepare();
    return child;
  }

  #decode(
    source: MediaSource,
    effort: Effort,
    longestMs: number,
    signal: AbortSignal,
    store: (pcm: Uint8Array) => Promise<void>,
  ): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const child = this.#take(effort);
      const send = (message: ToSoundChild) => child.messages.send(message);
      const kill = () => child.kill('SIGKILL');
      const timer = setTimeout(kill, effort.timeoutMs);
      signal.addEventListener('abort', kill, { once: true });
      let storing = Promise.resolve();
      let unstored = 0;
      let roomBytes = bytesOf(longestMs);
      let leftToRead = source.sizeBytes * MAX_READS + MAX_READ_BYTES;
      let answer: 'end' | SoundProblem = 'unreadable';
      let failure: unknown;
      const give = async ({ id, start, end }: ReadRequest) => {
        leftToRead -= end - start;
        if (!isValidRange(start, end, source.sizeBytes) || leftToRead < 0) return void kill();
        try {
          send({ type: 'bytes', id, bytes: await source.read(start, end) });
        } catch (error) {
          fail(error);
        }
      };
      const fail = (error: unknown) => {
        failure ??= error;
        kill();
      };
      const take = (pcm: Uint8Array) => {
        roomBytes -= pcm.byteLength;
        if (roomBytes < 0) {
          answer = 'too long';
          return kill();
        }
        unstored += 1;
        // The child does not wait, although it should.
        if (unstored > 2 * MAX_UNSTORED) return kill();
        storing = storing
          .then(() => store(pcm))
          .then(() => {
            unstored -= 1;
            send({ type: 'stored' });
          });
        storing.catch(fail);
        return undefined;
      };
      child.messages.on('message', (received) => {
        const message = received as FromSoundChild;
        if (message.type === 'read') void give(message);
        else if (message.type === 'pcm') take(message.pcm);
        else answer = message.type === 'end' ? 'end' : message.problem;
      });
      child.on('error', (error) => {
        failure ??= error;
      });
      child.on('close', async () => {
        await storing.catch(() => undefined);
        clearTimeout(timer);
        signal.removeEventListener('abort', kill);
        if (signal.aborted) reject(signal.reason);
        else if (failure !== undefined) reject(failure);
        else if (answer === 'end') resolve();
        else reject(problemOf(answer, longestMs));
      });
      send({ type: 'begin', sizeBytes: source.sizeBytes, longestMs });
    });
  }
}

const start = ({ cpuS }: Effort) => startBoundedChild(PROGRAM, { memoryBytes: MEMORY_BYTES, cpuS });

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) at += (await file.write(bytes, at)).bytesWritten;
}

function problemOf(problem: SoundProblem, longestMs: number): ChorusError {
  const message =
    problem === 'too long' ? `The audio is longer than ${Math.round(longestMs / 1_000)} s.` : MESSAGES[problem];
  return new ChorusError('invalid_request', message);
}

/** Validates requests of the child, which reads an untrusted file. */
function isValidRange(start: number, end: number, sizeBytes: number): boolean {
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  return whole && start >= 0 && start < end && end <= sizeBytes && end - start <= MAX_READ_BYTES;
}

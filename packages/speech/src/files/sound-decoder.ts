import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ChorusError } from '@chorus/contract';
import type { MediaSource } from '@chorus/media';
import { startBoundedChild, Turns } from '@chorus/sandbox';
import { bytesOf } from '../pcm.ts';
import type { FromSoundChild, ReadRequest, SoundProblem, ToSoundChild } from './sound-protocol.ts';

const PROGRAM = fileURLToPath(new URL('../sound-main.ts', import.meta.url));

const LIMITS = { memoryBytes: 1_500_000_000, cpuS: 60 };

/** Decoding one file may take so long, in milliseconds. */
const TIMEOUT_MS = 90_000;

/** One read has so many bytes at most; all of them together, so many times the file. */
const MAX_READ_BYTES = 16_000_000;
const MAX_READS = 4;

const TURNS = {
  name: 'sounds to decode',
  atOnce: 2,
  ofOwner: 1,
  waiting: 200,
  waitingCost: 200,
  waitMs: 120_000,
  timeMs: 180_000,
  timeShare: 0.5,
};

export interface DecodeOptions {
  /** Whose sound it is: owners take turns. */
  owner: string;
  longestMs: number;
  signal: AbortSignal;
}

const MESSAGES: Readonly<Record<Exclude<SoundProblem, 'too long'>, string>> = {
  unreadable: 'The sound can not be read. WAV, MP3, OGG, WebM, M4A and FLAC can be.',
  'no sound': 'There is no sound in this file.',
};

/** Makes samples of files that strangers send, each in a process of its own with limits. */
export class SoundDecoder {
  readonly #turns = new Turns(TURNS);
  /** A process that waits for its file, so that no file waits for a process. */
  #spare: ChildProcess | null = null;
  #closed = false;

  /** Starts a process, so that the first file does not wait for one. */
  prepare(): void {
    if (this.#spare !== null || this.#closed) return;
    const child = startBoundedChild(PROGRAM, LIMITS);
    this.#spare = child;
    child.on('error', () => this.#forget(child));
    child.on('exit', () => this.#forget(child));
    // It keeps nobody from ending.
    child.unref();
    child.channel?.unref();
  }

  /**
   * The samples of a file of sound, or of a film's.
   *
   * @throws {ChorusError} invalid_request: it can't be read, has no sound, or is longer than `longestMs`; overloaded; what reading the source throws; the signal's reason
   */
  decode(source: MediaSource, { owner, longestMs, signal }: DecodeOptions): Promise<Uint8Array> {
    return this.#turns.run({ owner, signal }, () => this.#decode(source, longestMs, signal));
  }

  close(): void {
    this.#closed = true;
    this.#spare?.kill('SIGKILL');
  }

  #forget(child: ChildProcess): void {
    if (this.#spare === child) this.#spare = null;
  }

  #take(): ChildProcess {
    const child = this.#spare ?? startBoundedChild(PROGRAM, LIMITS);
    this.#forget(child);
    child.removeAllListeners('error');
    child.removeAllListeners('exit');
    child.ref();
    child.channel?.ref();
    this.prepare();
    return child;
  }

  #decode(source: MediaSource, longestMs: number, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const child = this.#take();
      const send = (message: ToSoundChild) => child.connected && child.send(message, () => undefined);
      const kill = () => child.kill('SIGKILL');
      const timer = setTimeout(kill, TIMEOUT_MS);
      signal.addEventListener('abort', kill, { once: true });
      const pieces: Uint8Array[] = [];
      let roomBytes = bytesOf(longestMs);
      let leftToRead = source.sizeBytes * MAX_READS + MAX_READ_BYTES;
      let answer: 'end' | SoundProblem = 'unreadable';
      let failure: unknown;
      const give = async ({ id, start, end }: ReadRequest) => {
        leftToRead -= end - start;
        if (!isSane(start, end, source.sizeBytes) || leftToRead < 0) return void kill();
        try {
          send({ type: 'bytes', id, bytes: await source.read(start, end) });
        } catch (error) {
          failure = error;
          kill();
        }
      };
      const take = (pcm: Uint8Array) => {
        roomBytes -= pcm.byteLength;
        if (roomBytes >= 0) return void pieces.push(pcm);
        answer = 'too long';
        kill();
      };
      child.on('message', (message: FromSoundChild) => {
        if (message.type === 'read') void give(message);
        else if (message.type === 'pcm') take(message.pcm);
        else answer = message.type === 'end' ? 'end' : message.problem;
      });
      child.on('error', (error) => {
        failure = error;
      });
      child.on('close', () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', kill);
        if (signal.aborted) reject(signal.reason);
        else if (failure !== undefined) reject(failure);
        else if (answer === 'end') resolve(Buffer.concat(pieces));
        else reject(problemOf(answer, longestMs));
      });
      send({ type: 'begin', sizeBytes: source.sizeBytes, longestMs });
    });
  }
}

function problemOf(problem: SoundProblem, longestMs: number): ChorusError {
  const message =
    problem === 'too long' ? `The sound is longer than ${Math.round(longestMs / 1_000)} s.` : MESSAGES[problem];
  return new ChorusError('invalid_request', message);
}

/** The child reads a stranger's file: what it asks for is checked. */
function isSane(start: number, end: number, sizeBytes: number): boolean {
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  return whole && start >= 0 && start < end && end <= sizeBytes && end - start <= MAX_READ_BYTES;
}

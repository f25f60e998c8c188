import type { Document } from 'bson';
import { StoreError } from './errors.ts';
import { type Holding, holdMemory, type MemoryBudget } from './memory.ts';
import { decode, decodeKeepingRaw } from './values/decode.ts';

/** The largest message taken or sent, as `hello` announces it. */
export const MAX_MESSAGE_BYTES = 48_000_000;

const HEADER_BYTES = 16;
/** Enough of a frame to answer it. */
const HEAD_BYTES = 20;
/** Header and flags, and the kind of the one section. */
const MESSAGE_PREFIX_BYTES = 21;
const REPLY_PREFIX_BYTES = 36;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;
const REQUIRED_FLAGS = 0xffff;

/** One command as it came over the wire. */
export interface Request {
  requestId: number;
  /** The command document; documents given as a sequence stand in it under the sequence's name, undecoded. */
  command: Document;
  /** False when the client wants no answer. */
  expectsAnswer: boolean;
  /** True for the old OP_QUERY form that drivers use for their first `hello`. */
  legacy: boolean;
}

/** A frame that breaks the protocol: the connection it came by is closed. */
export class FrameError extends Error {}

/** One request as it arrived. */
export interface Frame {
  bytes: Buffer;
  /** Holds the frame's memory, and then that of its command. */
  holding: Holding;
  /** Why the rest of the frame was thrown away: `bytes` is only its head. */
  refusal?: StoreError;
}

/** Frames up to this size are not worth accounting for. */
const SMALL_FRAME_BYTES = 64 * 1024;

/** Puts the frames of one connection together from the chunks in which they arrive. */
export class FrameReader {
  readonly #memory: MemoryBudget;
  #chunks: Buffer[] = [];
  #held = 0;
  #wanted = HEADER_BYTES;
  #holding: Holding | undefined;
  /** Bytes still to be thrown away of a frame that the memory did not suffice for. */
  #toSkip = 0;
  #refused: Frame | undefined;

  constructor(memory: MemoryBudget) {
    this.#memory = memory;
  }

  /** Takes a chunk and returns the frames completed by it. Throws `FrameError` for an impossible length. */
  push(chunk: Buffer): Frame[] {
    if (this.#refused) return this.#skip(chunk);
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.#held < this.#wanted) {
      if (this.#wanted > SMALL_FRAME_BYTES) this.#account(chunk.length);
      return [];
    }
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#held);
    const frames: Frame[] = [];
    this.#wanted = HEADER_BYTES;
    while (rest.length >= HEADER_BYTES) {
      const length = rest.readInt32LE(0);
      if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES) throw new FrameError(`frame of ${length} bytes`);
      if (rest.length < length) {
        this.#wanted = length;
        break;
      }
      frames.push({ bytes: rest.subarray(0, length), holding: this.#holding ?? this.#memory.open() });
      this.#holding = undefined;
      rest = rest.subarray(length);
    }
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#held = rest.length;
    if (this.#wanted > SMALL_FRAME_BYTES) this.#account(rest.length);
    return frames;
  }

  /** Gives back what a frame holds that will not be completed. */
  close(): void {
    this.#holding?.release();
    this.#refused?.holding.release();
  }

  /** Counts what has arrived of a large frame. Where the memory does not suffice, the frame is thrown away as it arrives. */
  #account(bytes: number): void {
    this.#holding ??= this.#memory.open();
    try {
      this.#holding.add(bytes, 'a request');
    } catch (refusal) {
      const head = Buffer.concat(this.#chunks, this.#held).subarray(0, HEAD_BYTES);
      this.#holding.release();
      this.#refused = { bytes: Buffer.from(head), holding: this.#holding, refusal: refusal as StoreError };
      this.#holding = undefined;
      this.#toSkip = this.#wanted - this.#held;
      this.#chunks = [];
      this.#held = 0;
    }
  }

  #skip(chunk: Buffer): Frame[] {
    const refused = this.#refused as Frame;
    const missing = HEAD_BYTES - refused.bytes.length;
    if (missing > 0) refused.bytes = Buffer.concat([refused.bytes, chunk.subarray(0, missing)]);
    if (chunk.length < this.#toSkip) {
      this.#toSkip -= chunk.length;
      return [];
    }
    const rest = chunk.subarray(this.#toSkip);
    this.#refused = undefined;
    this.#wanted = HEADER_BYTES;
    return rest.length > 0 ? [refused, ...this.push(rest)] : [refused];
  }
}

/**
 * Reads one whole frame. Throws `FrameError` when it is neither OP_MSG nor OP_QUERY, or malformed; Overflow for a command that
 * is nested too deep.
 */
export function parseFrame(frame: Buffer): Request {
  const requestId = frame.readInt32LE(4);
  const opCode = frame.readInt32LE(12);
  try {
    if (opCode === OP_MSG) return parseMessage(frame, requestId);
    if (opCode === OP_QUERY) return parseQuery(frame, requestId);
  } catch (cause) {
    if (cause instanceof FrameError || cause instanceof StoreError) throw cause;
    throw new FrameError('malformed frame', { cause });
  }
  throw new FrameError(`operation code ${opCode}`);
}

function parseMessage(frame: Buffer, requestId: number): Request {
  const flags = frame.readUInt32LE(HEADER_BYTES);
  if ((flags & REQUIRED_FLAGS & ~(CHECKSUM_PRESENT | MORE_TO_COME)) !== 0) throw new FrameError('unknown flags');
  const end = flags & CHECKSUM_PRESENT ? frame.length - 4 : frame.length;
  let command: Document | undefined;
  const sequences: [string, Uint8Array[]][] = [];
  let position = HEADER_BYTES + 4;
  while (position < end) {
    const kind = frame[position];
    const size = frame.readInt32LE(position + 1);
    if (size < 5 || position + 1 + size > end) throw new FrameError('section outside its frame');
    const section = frame.subarray(position + 1, position + 1 + size);
    if (kind === 0 && !command) command = parseCommand(section);
    else if (kind === 1) sequences.push(parseSequence(section));
    else throw new FrameError(`section of kind ${kind}`);
    position += 1 + size;
  }
  if (!command) throw new FrameError('no command');
  for (const [name, documents] of sequences) {
    if (Object.hasOwn(command, name)) throw new FrameError(`"${name}" given twice`);
    Object.defineProperty(command, name, {
      value: STATEMENTS.includes(name) ? documents : documents.map(decode),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return { requestId, command, expectsAnswer: (flags & MORE_TO_COME) === 0, legacy: false };
}

/** Lists of statements stay undecoded: each is decoded when its turn comes. */
const STATEMENTS = ['documents', 'updates', 'deletes'];
const COMMANDS_OF_STATEMENTS = new Map([
  ['insert', 'documents'],
  ['update', 'updates'],
  ['delete', 'deletes'],
]);
/** What a decoded command takes, compared with its bytes. */
const DECODED = 4;

function parseCommand(section: Buffer): Document {
  const name = section.toString('latin1', 5, section.indexOf(0, 5));
  const statements = COMMANDS_OF_STATEMENTS.get(name);
  if (statements) return decodeKeepingRaw(section, statements);
  if (section.length > SMALL_FRAME_BYTES) holdMemory(DECODED * section.length, 'a command');
  return decode(section);
}

function parseSequence(section: Buffer): [string, Uint8Array[]] {
  const nameEnd = section.indexOf(0, 4);
  if (nameEnd < 0) throw new FrameError('sequence without a name');
  const documents: Uint8Array[] = [];
  let position = nameEnd + 1;
  while (position < section.length) {
    const size = section.readInt32LE(position);
    if (size < 5 || position + size > section.length) throw new FrameError('document outside its sequence');
    documents.push(section.subarray(position, position + size));
    position += size;
  }
  return [section.toString('utf8', 4, nameEnd), documents];
}

function parseQuery(frame: Buffer, requestId: number): Request {
  const nameEnd = frame.indexOf(0, HEADER_BYTES + 4);
  if (nameEnd < 0) throw new FrameError('query without a collection');
  const collection = frame.toString('utf8', HEADER_BYTES + 4, nameEnd);
  if (!collection.endsWith('.$cmd')) throw new FrameError('queries by OP_QUERY ended with MongoDB 5.1');
  const start = nameEnd + 9;
  const command = decode(frame.subarray(start, start + frame.readInt32LE(start)));
  command.$db = collection.slice(0, -'.$cmd'.length);
  return { requestId, command, expectsAnswer: true, legacy: true };
}

/** A request of which no more was read than its head. */
export function unreadRequest(frame: Buffer): Request {
  const isMessage = frame.readInt32LE(12) === OP_MSG;
  const expectsAnswer = !isMessage || (frame.readUInt32LE(HEADER_BYTES) & MORE_TO_COME) === 0;
  return { requestId: frame.readInt32LE(4), command: {}, expectsAnswer, legacy: !isMessage };
}

let lastRequestId = 0;

/** The frame that answers `request` with an encoded document. */
export function answerFrame(request: Request, body: Uint8Array): Buffer {
  if (!request.legacy) return messageFrame(body, request.requestId);
  const frame = frameOf(OP_REPLY, REPLY_PREFIX_BYTES, body, request.requestId);
  frame.writeInt32LE(8, HEADER_BYTES); // AwaitCapable, as every server since 1.6 sets it
  frame.writeInt32LE(1, 32);
  return frame;
}

/** An OP_MSG frame of one document. */
export function messageFrame(body: Uint8Array, responseTo = 0): Buffer {
  return frameOf(OP_MSG, MESSAGE_PREFIX_BYTES, body, responseTo);
}

/** The document of a frame that `messageFrame` made. */
export function messageBody(frame: Buffer): Buffer {
  return frame.subarray(MESSAGE_PREFIX_BYTES);
}

/** A frame whose fields between header and document are zero. */
function frameOf(opCode: number, prefixBytes: number, body: Uint8Array, responseTo: number): Buffer {
  const frame = Buffer.allocUnsafe(prefixBytes + body.length);
  lastRequestId = (lastRequestId + 1) & 0x7fffffff;
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(lastRequestId, 4);
  frame.writeInt32LE(responseTo, 8);
  frame.writeInt32LE(opCode, 12);
  frame.fill(0, HEADER_BYTES, prefixBytes);
  frame.set(body, prefixBytes);
  return frame;
}

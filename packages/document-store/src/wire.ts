import type { Document } from 'bson';
import { StoreError } from './errors.ts';
import { DECODED_FACTOR, type MemoryAccount, type MemoryBudget, reserveMemory } from './memory.ts';
import { decode, decodeWithRawArray } from './values/decode.ts';

export const MAX_MESSAGE_BYTES = 48_000_000;

const HEADER_BYTES = 16;
const HEAD_BYTES = 20;
const MESSAGE_PREFIX_BYTES = 21;
const REPLY_PREFIX_BYTES = 36;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;
const REQUIRED_FLAGS = 0xffff;

export interface Request {
  requestId: number;
  /** The command. Documents sent as a sequence are under the sequence's name. */
  command: Document;
  expectsReply: boolean;
  /** True for OP_QUERY, which drivers use for their first `hello`. */
  legacy: boolean;
}

class FrameError extends Error {}

export interface Frame {
  bytes: Buffer;
  account: MemoryAccount;
  /** Why the rest of the frame was discarded. `bytes` then has only the header. */
  refusal?: StoreError;
}

const SMALL_FRAME_BYTES = 64 * 1024;

export class FrameReader {
  readonly #memory: MemoryBudget;
  #chunks: Buffer[] = [];
  #bufferedBytes = 0;
  #neededBytes = HEADER_BYTES;
  #account: MemoryAccount | undefined;
  /** Bytes of a refused frame that are still to be discarded. */
  #bytesToSkip = 0;
  #refused: Frame | undefined;

  constructor(memory: MemoryBudget) {
    this.#memory = memory;
  }

  push(chunk: Buffer): Frame[] {
    if (this.#refused) return this.#skip(chunk);
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.length;
    if (this.#bufferedBytes < this.#neededBytes) {
      if (this.#neededBytes > SMALL_FRAME_BYTES) this.#reserve(chunk.length);
      return [];
    }
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#bufferedBytes);
    const frames: Frame[] = [];
    this.#neededBytes = HEADER_BYTES;
    while (rest.length >= HEADER_BYTES) {
      const length = rest.readInt32LE(0);
      if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES) throw new FrameError(`frame of ${length} bytes`);
      if (rest.length < length) {
        this.#neededBytes = length;
        break;
      }
      frames.push({ bytes: rest.subarray(0, length), account: this.#account ?? this.#memory.openAccount() });
      this.#account = undefined;
      rest = rest.subarray(length);
    }
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#bufferedBytes = rest.length;
    if (this.#neededBytes > SMALL_FRAME_BYTES) this.#reserve(rest.length);
    return frames;
  }

  close(): void {
    this.#account?.close();
    this.#refused?.account.close();
  }

  /** Accounts for a large frame as it arrives. Discards the frame if memory runs out. */
  #reserve(bytes: number): void {
    this.#account ??= this.#memory.openAccount();
    try {
      this.#account.reserve(bytes, 'a request');
    } catch (refusal) {
      const head = Buffer.concat(this.#chunks, this.#bufferedBytes).subarray(0, HEAD_BYTES);
      this.#account.close();
      this.#refused = { bytes: Buffer.from(head), account: this.#account, refusal: refusal as StoreError };
      this.#account = undefined;
      this.#bytesToSkip = this.#neededBytes - this.#bufferedBytes;
      this.#chunks = [];
      this.#bufferedBytes = 0;
    }
  }

  #skip(chunk: Buffer): Frame[] {
    const refused = this.#refused as Frame;
    const missing = HEAD_BYTES - refused.bytes.length;
    if (missing > 0) refused.bytes = Buffer.concat([refused.bytes, chunk.subarray(0, missing)]);
    if (chunk.length < this.#bytesToSkip) {
      this.#bytesToSkip -= chunk.length;
      return [];
    }
    const rest = chunk.subarray(this.#bytesToSkip);
    this.#refused = undefined;
    this.#neededBytes = HEADER_BYTES;
    return rest.length > 0 ? [refused, ...this.push(rest)] : [refused];
  }
}

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
    if (size < 5 || position + 1 + size > end) throw new FrameError('section exceeds its frame');
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
      value: RAW_SEQUENCES.includes(name) ? documents : documents.map(decode),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return { requestId, command, expectsReply: (flags & MORE_TO_COME) === 0, legacy: false };
}

/** Statements stay encoded until they run. */
const RAW_SEQUENCES = ['documents', 'updates', 'deletes'];
const STATEMENTS_BY_COMMAND = new Map([
  ['insert', 'documents'],
  ['update', 'updates'],
  ['delete', 'deletes'],
]);

function parseCommand(section: Buffer): Document {
  const name = section.toString('latin1', 5, section.indexOf(0, 5));
  const statements = STATEMENTS_BY_COMMAND.get(name);
  if (statements) return decodeWithRawArray(section, statements);
  if (section.length > SMALL_FRAME_BYTES) reserveMemory(DECODED_FACTOR * section.length, 'a command');
  return decode(section);
}

function parseSequence(section: Buffer): [string, Uint8Array[]] {
  const nameEnd = section.indexOf(0, 4);
  if (nameEnd < 0) throw new FrameError('sequence without a name');
  const documents: Uint8Array[] = [];
  let position = nameEnd + 1;
  while (position < section.length) {
    const size = section.readInt32LE(position);
    if (size < 5 || position + size > section.length) throw new FrameError('document exceeds its sequence');
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
  return { requestId, command, expectsReply: true, legacy: true };
}

export function requestFromHeader(frame: Buffer): Request {
  const isMessage = frame.readInt32LE(12) === OP_MSG;
  const expectsAnswer = !isMessage || (frame.readUInt32LE(HEADER_BYTES) & MORE_TO_COME) === 0;
  return { requestId: frame.readInt32LE(4), command: {}, expectsReply: expectsAnswer, legacy: !isMessage };
}

let lastRequestId = 0;

export function replyFrame(request: Request, body: Uint8Array): Buffer {
  if (!request.legacy) return messageFrame(body, request.requestId);
  const frame = buildFrame(OP_REPLY, REPLY_PREFIX_BYTES, body, request.requestId);
  frame.writeInt32LE(8, HEADER_BYTES); // AwaitCapable, as every server since 1.6 sets it
  frame.writeInt32LE(1, 32);
  return frame;
}

export function messageFrame(body: Uint8Array, responseTo = 0): Buffer {
  return buildFrame(OP_MSG, MESSAGE_PREFIX_BYTES, body, responseTo);
}

export function messageBody(frame: Buffer): Buffer {
  return frame.subarray(MESSAGE_PREFIX_BYTES);
}

/** Builds a frame. Fields between the header and the document are zero. */
function buildFrame(opCode: number, prefixBytes: number, body: Uint8Array, responseTo: number): Buffer {
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

import type { Document } from 'bson';
import { StoreError } from './errors.ts';
import { decode, decodeKeepingRaw } from './values/decode.ts';

/** The largest message taken or sent, as `hello` announces it. */
export const MAX_MESSAGE_BYTES = 48_000_000;

const HEADER_BYTES = 16;
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

/** Puts the frames of one connection together from the chunks in which they arrive. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #held = 0;
  #wanted = HEADER_BYTES;

  /** Takes a chunk and returns the frames completed by it. Throws `FrameError` for an impossible length. */
  push(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.#held < this.#wanted) return [];
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#held);
    const frames: Buffer[] = [];
    this.#wanted = HEADER_BYTES;
    while (rest.length >= HEADER_BYTES) {
      const length = rest.readInt32LE(0);
      if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES) throw new FrameError(`frame of ${length} bytes`);
      if (rest.length < length) {
        this.#wanted = length;
        break;
      }
      frames.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#held = rest.length;
    return frames;
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
    // Inserted documents are stored as the bytes that came; all others are read as part of their command.
    Object.defineProperty(command, name, {
      value: name === 'documents' ? documents : documents.map(decode),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return { requestId, command, expectsAnswer: (flags & MORE_TO_COME) === 0, legacy: false };
}

const INSERT = Buffer.from('insert\0');

function parseCommand(section: Buffer): Document {
  const isInsert = section.length > 12 && section.compare(INSERT, 0, INSERT.length, 5, 5 + INSERT.length) === 0;
  return isInsert ? decodeKeepingRaw(section, 'documents') : decode(section);
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

/** A request that could not be read further than that it wants an answer. */
export function unreadRequest(frame: Buffer): Request {
  return { requestId: frame.readInt32LE(4), command: {}, expectsAnswer: true, legacy: false };
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

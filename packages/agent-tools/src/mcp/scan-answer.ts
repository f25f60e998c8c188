import { Transform, type TransformCallback } from 'node:stream';
import { ChorusError, type JsonLimits, JsonScan } from '@chorus/contract';

/** Limits of one message of a server. Schemas have stricter ones, which disable only their own tools. */
const MESSAGE_LIMITS: JsonLimits = { depth: 5_000, fields: 20_000, elements: 20_000, nodes: 50_000 };

/** Lines of events in one answer, such as those of progress. */
const MAX_LINES = 50_000;

const NAME = { what: 'The answer of the MCP server', path: 'answer' };
const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/**
 * Checks the structure of an answer while it arrives, before anything parses it. In events, every line is checked,
 * since JSON has no line breaks in its strings, and comments could hide a quote.
 */
export class AnswerScan extends Transform {
  readonly #isEvents: boolean;
  #scan = new JsonScan(NAME, MESSAGE_LIMITS);
  #lines = 0;
  /** Whether the current line has bytes. */
  #hasBytes = false;

  constructor(contentType: string) {
    super();
    this.#isEvents = /^text\/event-stream\s*(;|$)/i.test(contentType.trim());
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      if (this.#isEvents) this.#takeEvents(chunk);
      else this.#scan.push(chunk);
      done(null, chunk);
    } catch (error) {
      done(error as Error);
    }
  }

  #takeEvents(chunk: Buffer): void {
    let from = 0;
    while (from < chunk.length) {
      const end = endOfLine(chunk, from);
      if (end > from) {
        this.#scan.push(chunk.subarray(from, end));
        this.#hasBytes = true;
      }
      if (end < chunk.length) this.#endLine(chunk[end] as number);
      from = end + 1;
    }
  }

  #endLine(code: number): void {
    this.#lines += 1;
    if (this.#lines > MAX_LINES)
      throw new ChorusError('invalid_request', `${NAME.what} has more than ${MAX_LINES} lines.`);
    // A carriage return may be half of a line break, so only a line feed ends an event.
    if (code === LINE_FEED && !this.#hasBytes) this.#scan = new JsonScan(NAME, MESSAGE_LIMITS);
    else this.#scan.endLine();
    if (code === LINE_FEED) this.#hasBytes = false;
  }
}

function endOfLine(chunk: Buffer, from: number): number {
  for (let at = from; at < chunk.length; at += 1)
    if (chunk[at] === LINE_FEED || chunk[at] === CARRIAGE_RETURN) return at;
  return chunk.length;
}

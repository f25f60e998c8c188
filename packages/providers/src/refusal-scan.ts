import type { ByteReader } from './call-watch.ts';

const LINE_BREAK = 10;
const QUOTE = 34;
const DOT = 46;
const MARK = Buffer.from('refusal');
const EMPTY = Buffer.alloc(0);
/** No provider sends longer lines. */
const MAX_LINE_BYTES = 1024 * 1024;

/**
 * Finds refusals in the stream of an answer before the package reads it, because packages show them as text. Costs
 * one search per chunk; asking packages for raw chunks would double the parts of every answer.
 */
export class RefusalScan implements ByteReader {
  /** Deltas of refusals that the package has not shown yet. */
  readonly #deltas: string[] = [];
  /** A line that has not ended. */
  #rest: Buffer = EMPTY;

  /** Whether a text is the next delta of a refusal. */
  takes(text: string): boolean {
    if (this.#deltas[0] !== text) return false;
    this.#deltas.shift();
    return true;
  }

  read(chunk: Buffer): void {
    let from = 0;
    if (this.#rest.length > 0) {
      const first = chunk.indexOf(LINE_BREAK);
      const whole = Buffer.concat([this.#rest, first < 0 ? chunk : chunk.subarray(0, first + 1)]);
      if (first < 0) {
        this.#keep(whole);
        return;
      }
      this.#readLines(whole, 0, whole.length);
      from = first + 1;
    }
    const end = chunk.lastIndexOf(LINE_BREAK) + 1;
    this.#readLines(chunk, from, end);
    this.#keep(chunk.subarray(end));
  }

  #keep(rest: Buffer): void {
    this.#rest = rest.length > MAX_LINE_BYTES ? EMPTY : rest;
  }

  #readLines(bytes: Buffer, from: number, end: number): void {
    let at = bytes.indexOf(MARK, from);
    while (at >= 0 && at < end) {
      if (!isField(bytes, at)) {
        at = bytes.indexOf(MARK, at + MARK.length);
        continue;
      }
      const start = bytes.lastIndexOf(LINE_BREAK, at) + 1;
      const stop = bytes.indexOf(LINE_BREAK, at);
      this.#readLine(bytes.toString('utf8', start, stop));
      at = bytes.indexOf(MARK, stop);
    }
  }

  #readLine(line: string): void {
    if (!line.startsWith('data:')) return;
    try {
      const delta = deltaOf(JSON.parse(line.slice(5)));
      if (typeof delta === 'string' && delta !== '') this.#deltas.push(delta);
    } catch {}
  }
}

/** Whether the word is a field with a text (`"refusal":"…"`) or an event (`response.refusal.delta`). */
function isField(bytes: Buffer, at: number): boolean {
  let next = at + MARK.length;
  if (bytes[next] === DOT) return true;
  if (bytes[next] !== QUOTE) return false;
  do next += 1;
  while (bytes[next] === 0x20 || bytes[next] === 0x3a);
  return bytes[next] === QUOTE;
}

function deltaOf(data: { type?: string; delta?: unknown; choices?: { delta?: { refusal?: unknown } }[] }): unknown {
  return data.type === 'response.refusal.delta' ? data.delta : data.choices?.[0]?.delta?.refusal;
}

import { ChorusError } from './errors/index.ts';

/** Limits of the structure of JSON from outside. */
export interface JsonLimits {
  readonly depth: number;
  /** Per object. */
  readonly fields: number;
  /** Per array. */
  readonly elements: number;
  /** Values and field names in total. */
  readonly nodes: number;
}

/** Limits of a request body: far above what any schema accepts, far below what blocks a process. */
export const JSON_LIMITS: JsonLimits = { depth: 64, fields: 2_000, elements: 20_000, nodes: 50_000 };

/** Limits for small values: a form field, an event of the voice socket. */
export const SMALL_JSON_LIMITS: JsonLimits = { depth: 32, fields: 500, elements: 2_000, nodes: 5_000 };

const [QUOTE, BACKSLASH, COMMA, COLON, SMALL_U] = [0x22, 0x5c, 0x2c, 0x3a, 0x75];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** How errors name the text, in their message and in the path of their details. */
export interface JsonName {
  what: string;
  path: string;
}

type State = 'outside' | 'string' | 'escape' | 'hex';

/**
 * Checks the structure of JSON text before parsing, in one pass over its bytes, which may come in chunks.
 *
 * It only counts; `JSON.parse` checks the syntax. Text that exceeds a limit is refused without parsing it.
 */
export class JsonScan {
  readonly #name: JsonName;
  readonly #limits: JsonLimits;
  readonly #isList: Uint8Array;
  readonly #commas: Uint32Array;
  #depth = 0;
  #nodes = 1;
  #state: State = 'outside';
  /** Remaining digits of a `\u` escape, and their value so far. */
  #digits = 0;
  #unit = 0;
  /** Whether the last escape was a high surrogate. */
  #halfOpen = false;

  constructor(name: JsonName = { what: 'The body', path: 'body' }, limits: JsonLimits = JSON_LIMITS) {
    this.#name = name;
    this.#limits = limits;
    this.#isList = new Uint8Array(limits.depth + 1);
    this.#commas = new Uint32Array(limits.depth + 1);
  }

  /** @throws {ChorusError} invalid_request for a structure that is too large, invalid_json for a lone surrogate */
  push(bytes: Uint8Array): void {
    const { length } = bytes;
    for (let at = 0; at < length; ) {
      if (this.#state === 'string') at = this.#skipText(bytes, at);
      else if (this.#state === 'outside') at = this.#skipStructure(bytes, at);
      else this.#takeEscape(bytes[at++] as number);
    }
  }

  /** Ends a string at a line break, where the parser refuses it. */
  endLine(): void {
    this.#state = 'outside';
    this.#halfOpen = false;
  }

  /** Returns the position after the string's next quote or backslash, or the end of the bytes. */
  #skipText(bytes: Uint8Array, from: number): number {
    let at = from;
    const { length } = bytes;
    if (this.#halfOpen && bytes[at] !== BACKSLASH) throw this.#loneSurrogate();
    while (at < length) {
      const code = bytes[at++];
      if (code === QUOTE) {
        this.#state = 'outside';
        break;
      }
      if (code === BACKSLASH) {
        this.#state = 'escape';
        break;
      }
    }
    return at;
  }

  /** Counts brackets, commas and colons up to the next string. */
  #skipStructure(bytes: Uint8Array, from: number): number {
    let at = from;
    const { length } = bytes;
    const { fields, elements, nodes } = this.#limits;
    while (at < length) {
      const code = bytes[at++];
      if (code === QUOTE) {
        this.#state = 'string';
        break;
      }
      if (code === COMMA) {
        const commas = (this.#commas[this.#depth] ?? 0) + 1;
        this.#commas[this.#depth] = commas;
        if (this.#isList[this.#depth] === 1) {
          if (commas >= elements) throw this.#tooMuch(`an array of more than ${elements} elements`);
        } else if (commas >= fields) throw this.#tooMuch(`an object of more than ${fields} fields`);
        this.#nodes += 1;
      } else if (code === COLON) this.#nodes += 1;
      else if (code === OPEN || code === OPEN_LIST) this.#open(code);
      else if ((code === CLOSE || code === CLOSE_LIST) && this.#depth > 0) this.#depth -= 1;
      else continue;
      if (this.#nodes > nodes) throw this.#tooMuch(`more than ${nodes} values`);
    }
    return at;
  }

  #open(code: number): void {
    this.#nodes += 1;
    this.#depth += 1;
    if (this.#depth > this.#limits.depth) throw this.#tooMuch(`more than ${this.#limits.depth} levels`);
    this.#isList[this.#depth] = code === OPEN_LIST ? 1 : 0;
    this.#commas[this.#depth] = 0;
  }

  #takeEscape(code: number): void {
    if (this.#state === 'escape') {
      this.#state = code === SMALL_U ? 'hex' : 'string';
      this.#digits = 4;
      this.#unit = 0;
      if (this.#halfOpen && code !== SMALL_U) throw this.#loneSurrogate();
      return;
    }
    // Other characters are syntax errors, which the parser reports.
    this.#unit = (this.#unit << 4) | hexDigit(code);
    this.#digits -= 1;
    if (this.#digits > 0) return;
    this.#state = 'string';
    const isSecond = this.#unit >= 0xdc00 && this.#unit <= 0xdfff;
    if (isSecond !== this.#halfOpen) throw this.#loneSurrogate();
    this.#halfOpen = this.#unit >= 0xd800 && this.#unit <= 0xdbff;
  }

  #tooMuch(found: string): ChorusError {
    const { what, path } = this.#name;
    const { depth, fields, elements, nodes } = this.#limits;
    const message = `has ${found}; at most ${depth} levels, ${fields} fields of an object, ${elements} elements of an array and ${nodes} values in all`;
    return new ChorusError('invalid_request', `${what} ${message}.`, { details: [{ path, message }] });
  }

  /** Refuses lone surrogates: UTF-8 can only carry them as escapes, and stores would change them. */
  #loneSurrogate(): ChorusError {
    return new ChorusError(
      'invalid_json',
      `${this.#name.what} contains half a surrogate pair, which is not a valid character.`,
    );
  }
}

function hexDigit(code: number): number {
  return code <= 0x39 ? code & 0xf : ((code & 0xf) + 9) & 0xf;
}

const encoder = new TextEncoder();

/** Checks the structure of a whole text. Throws like `JsonScan.push`. */
export function scanJson(text: string | Uint8Array, name?: JsonName, limits?: JsonLimits): void {
  new JsonScan(name, limits).push(typeof text === 'string' ? encoder.encode(text) : text);
}

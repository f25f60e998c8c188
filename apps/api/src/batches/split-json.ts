import { ChorusError } from '@chorus/contract';

/** The parts of a batch, by their positions in its JSON. */
export interface SplitJson {
  /** All members of the outermost object except `items`, as JSON. */
  head: string;
  /** Start and end of each element of `items`. Null: there is no such member. */
  items: Span[] | null;
}

const CODE = (character: string) => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA, COLON] = [CODE('"'), CODE('\\'), CODE(','), CODE(':')];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [CODE('{'), CODE('}'), CODE('['), CODE(']')];

/** Limit of elements to find. It exceeds the limit of a batch, which is checked elsewhere. */
const MAX_ELEMENTS = 20_000;
/** Limit of members of the outermost object, far more than a batch has. */
const MAX_MEMBERS = 100;

/**
 * Finds the parts of a large JSON object without parsing it, so that its items can be parsed one at a time.
 * Checks the outer structure only; parsing a part validates the rest.
 * @returns a generator that yields regularly, to keep the event loop responsive
 * @throws {ChorusError} invalid_json
 */
export function* splitJson(json: Buffer): Generator<void, SplitJson> {
  const scanner = new Scanner(json);
  const members: string[] = [];
  let items: SplitJson['items'] = null;
  scanner.expect(OPEN);
  for (let first = true; !scanner.take(CLOSE); first = false) {
    if (!first) scanner.expect(COMMA);
    if (members.length >= MAX_MEMBERS) throw tooMany();
    const name = yield* scanner.value();
    scanner.expect(COLON);
    if (parsed(json.toString('utf8', ...name)) !== 'items') {
      const value = yield* scanner.value();
      members.push(`${json.toString('utf8', ...name)}:${json.toString('utf8', ...value)}`);
      continue;
    }
    if (items !== null) throw malformed('`items` stands twice');
    items = [];
    scanner.expect(OPEN_LIST);
    for (let begun = false; !scanner.take(CLOSE_LIST); begun = true) {
      if (begun) scanner.expect(COMMA);
      const item = yield* scanner.value();
      if (items.length < MAX_ELEMENTS) items.push(item);
    }
  }
  scanner.expectEnd();
  return { head: `{${members.join()}}`, items };
}

/**
 * Finds the elements of a large JSON list, or the whole of any other value, like `splitJson`.
 * @throws {ChorusError} invalid_json
 */
export function* splitList(json: Buffer): Generator<void, Span[]> {
  const scanner = new Scanner(json);
  const spans: Span[] = [];
  if (!scanner.take(OPEN_LIST)) spans.push(yield* scanner.value());
  else
    for (let begun = false; !scanner.take(CLOSE_LIST); begun = true) {
      if (begun) scanner.expect(COMMA);
      const element = yield* scanner.value();
      if (spans.length < MAX_ELEMENTS) spans.push(element);
    }
  scanner.expectEnd();
  return spans;
}

type Span = [begin: number, end: number];

/** Bytes between two yields. */
const STEP = 65_536;

class Scanner {
  readonly #json: Buffer;
  #at = 0;
  #pauseAt = STEP;

  constructor(json: Buffer) {
    this.#json = json;
  }

  /** Consumes a character if it is next. */
  take(code: number): boolean {
    this.#skipSpace();
    if (this.#json[this.#at] !== code) return false;
    this.#at += 1;
    return true;
  }

  expect(code: number): void {
    if (!this.take(code)) throw malformed(`${JSON.stringify(String.fromCharCode(code))} expected at byte ${this.#at}`);
  }

  expectEnd(): void {
    this.#skipSpace();
    if (this.#at < this.#json.length) throw malformed(`unexpected data at byte ${this.#at}`);
  }

  /** Returns the span of the next value. */
  *value(): Generator<void, Span> {
    this.#skipSpace();
    const begin = this.#at;
    for (let depth = 0; ; ) {
      const code = this.#json[this.#at];
      if (code === undefined) throw malformed('it ends too early');
      if (code === QUOTE) yield* this.#string();
      else if (depth === 0 && code !== OPEN && code !== OPEN_LIST) this.#word();
      else {
        if (code === OPEN || code === OPEN_LIST) depth += 1;
        else if (code === CLOSE || code === CLOSE_LIST) depth -= 1;
        this.#at += 1;
      }
      yield* this.#pause();
      if (depth > 0) continue;
      if (this.#at === begin) throw malformed(`a value expected at byte ${begin}`);
      return [begin, this.#at];
    }
  }

  *#string(): Generator<void, void> {
    const json = this.#json;
    let at = this.#at + 1;
    for (;;) {
      const stop = Math.min(json.length, this.#pauseAt);
      while (at < stop) {
        const code = json[at++];
        if (code === QUOTE) {
          this.#at = at;
          return;
        }
        if (code === BACKSLASH) at += 1;
      }
      if (at >= json.length) throw malformed('a string does not end');
      this.#at = at;
      yield* this.#pause();
    }
  }

  *#pause(): Generator<void, void> {
    if (this.#at < this.#pauseAt) return;
    this.#pauseAt = this.#at + STEP;
    yield;
  }

  /** Skips a number, true, false or null. */
  #word(): void {
    while (isOfWord(this.#json[this.#at])) this.#at += 1;
  }

  #skipSpace(): void {
    for (let code = this.#json[this.#at]; code === 32 || code === 10 || code === 13 || code === 9; ) {
      this.#at += 1;
      code = this.#json[this.#at];
    }
  }
}

/** Returns whether a character may be part of a number or literal. */
function isOfWord(code = 0): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 97 && code <= 122) ||
    code === 69 ||
    (code >= 43 && code <= 46 && code !== COMMA)
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw malformed('a name expected');
  }
}

function tooMany(): ChorusError {
  const message = `must have at most ${MAX_MEMBERS} fields`;
  return new ChorusError('invalid_request', `body: ${message}`, { details: [{ path: 'body', message }] });
}

function malformed(reason: string): ChorusError {
  return new ChorusError('invalid_json', `The body is not valid JSON: ${reason}.`);
}

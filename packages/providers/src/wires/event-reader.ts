import { StringDecoder } from 'node:string_decoder';
import { JSONParseError } from '@ai-sdk/provider';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { AnswerBody } from '../answer-body.ts';
import type { Wire, WirePart } from './wire.ts';

/** The longest event, in characters. Images in an answer are long. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024;

/** Reads an answer of server-sent events with JSON, one batch of parts for each piece of the body. */
export class EventReader {
  #body: AnswerBody;
  readonly #wire: Wire;
  readonly #reopen: (token: string) => Promise<AnswerBody>;
  readonly #decoder = new StringDecoder('utf8');
  readonly #parser: EventSourceParser;
  #parts: WirePart[] = [];
  #isFirst = true;
  #ended = false;

  /** @param reopen requests the rest of an answer that continues elsewhere */
  constructor(body: AnswerBody, wire: Wire, reopen: (token: string) => Promise<AnswerBody>) {
    this.#body = body;
    this.#wire = wire;
    this.#reopen = reopen;
    this.#parser = createParser({
      onEvent: ({ event, data }) => this.#event(event, data),
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') throw new RangeError('An event is too long');
      },
      maxBufferSize: MAX_EVENT_LENGTH,
    });
  }

  /** Returns the next parts, or null at the end. */
  async read(): Promise<readonly WirePart[] | null> {
    while (!this.#ended) {
      const chunk = this.#body.next() ?? (await this.#body.wait());
      this.#parts = [];
      try {
        if (chunk === null) await this.#end();
        else this.#feed(this.#decoder.write(chunk));
      } catch (error) {
        this.#parts.push({ type: 'error', error });
      }
      if (this.#parts.length > 0) return this.#parts;
    }
    return null;
  }

  #feed(text: string): void {
    if (text === '') return;
    this.#parser.feed(this.#isFirst && text.startsWith('\ufeff') ? text.slice(1) : text);
    this.#isFirst = false;
  }

  async #end(): Promise<void> {
    this.#ended = true;
    // Also ends a last event without an empty line behind it.
    this.#feed(`${this.#decoder.end()}\n\n`);
    const token = this.#wire.continues?.() ?? null;
    if (token === null) return this.#wire.end(this.#parts);
    this.#body = await this.#reopen(token);
    this.#parser.reset();
    this.#isFirst = true;
    this.#ended = false;
  }

  #event(name: string | undefined, data: string): void {
    if (data === '[DONE]' || (name !== undefined && this.#wire.ignores?.(name))) return;
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch (cause) {
      if (this.#ended) return; // cut off
      throw new JSONParseError({ text: data, cause });
    }
    this.#wire.read(event, this.#parts);
  }
}

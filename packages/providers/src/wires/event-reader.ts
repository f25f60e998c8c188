import { StringDecoder } from 'node:string_decoder';
import { JSONParseError } from '@ai-sdk/provider';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { AnswerBody } from '../answer-body.ts';
import type { Wire, WirePart } from './wire.ts';

/** The longest event, in characters. Images in an answer are long. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024;

/** Reads an answer of server-sent events with JSON, one batch of parts for each piece of the body. */
export class EventReader {
  readonly #body: AnswerBody;
  readonly #wire: Wire;
  readonly #decoder = new StringDecoder('utf8');
  readonly #parser: EventSourceParser;
  #parts: WirePart[] = [];
  #isFirst = true;
  #ended = false;

  constructor(body: AnswerBody, wire: Wire) {
    this.#body = body;
    this.#wire = wire;
    this.#parser = createParser({
      onEvent: ({ data }) => this.#event(data),
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
        if (chunk === null) this.#end();
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

  #end(): void {
    this.#ended = true;
    // Also ends a last event without an empty line behind it.
    this.#feed(`${this.#decoder.end()}\n\n`);
    this.#wire.end(this.#parts);
  }

  #event(data: string): void {
    if (data === '[DONE]') return;
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

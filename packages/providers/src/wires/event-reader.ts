import { StringDecoder } from 'node:string_decoder';
import { JSONParseError } from '@ai-sdk/provider';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { AnswerBody } from '../answer-body.ts';
import type { Wire, WirePart } from './wire.ts';

/** The longest event, in characters. Images in an answer are long. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024;

/** Events that are shorter may be `[DONE]`, or empty to keep the connection open. */
const MAX_MARK_LENGTH = 10;

/**
 * Reads an answer of server-sent events with JSON, one batch of parts for each piece of the body. Also reads an answer
 * that is JSON, as some servers send errors, or everything.
 */
export class EventReader {
  #body: AnswerBody;
  readonly #wire: Wire;
  readonly #reopen: (token: string) => Promise<AnswerBody>;
  readonly #decoder = new StringDecoder('utf8');
  readonly #parser: EventSourceParser;
  #parts: WirePart[] = [];
  /** The text of an answer that is JSON instead of events. Null: events; undefined: nothing has come. */
  #json: string | null | undefined;
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

  #feed(given: string): void {
    const text = this.#json === undefined ? given.replace(/^\ufeff/, '').trimStart() : given;
    if (text === '') return;
    if (this.#json === undefined) {
      if (text.startsWith('<')) throw { message: 'it sent a web page instead of an answer. Check its base URL.' };
      this.#json = /^[{[]/.test(text) ? '' : null;
    }
    if (this.#json === null) this.#parser.feed(text);
    else if (this.#json.length + text.length > MAX_EVENT_LENGTH) throw new RangeError('An answer is too long');
    else this.#json += text;
  }

  async #end(): Promise<void> {
    this.#ended = true;
    // Also ends a last event without an empty line behind it.
    this.#feed(`${this.#decoder.end()}\n\n`);
    if (this.#json) for (const one of [parsed(this.#json)].flat()) this.#wire.read(one, this.#parts);
    const token = this.#wire.continues?.() ?? null;
    if (token === null) return this.#wire.end(this.#parts);
    this.#body = await this.#reopen(token);
    this.#parser.reset();
    this.#json = undefined;
    this.#ended = false;
  }

  #event(name: string | undefined, data: string): void {
    if (data.length < MAX_MARK_LENGTH) {
      const mark = data.trim();
      if (mark === '[DONE]') this.#body.endSoon();
      if (mark === '[DONE]' || mark === '') return;
    }
    if (name !== undefined && this.#wire.ignores?.(name)) return;
    let event: unknown;
    try {
      event = parsed(data);
    } catch (error) {
      if (this.#ended) return; // cut off
      throw error;
    }
    this.#wire.read(event, this.#parts);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new JSONParseError({ text, cause });
  }
}

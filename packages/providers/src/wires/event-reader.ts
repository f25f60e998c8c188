import { StringDecoder } from 'node:string_decoder';
import { JSONParseError } from '@ai-sdk/provider';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { AnswerBody } from '../answer-body.ts';
import { RepeatedEvent } from './repeated-event.ts';
import type { Wire, WirePart } from './wire.ts';

/** Maximum length of an event, in characters. Answers may contain images. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024;

/** Events that are shorter may be `[DONE]`, or empty to keep the connection open. */
const MAX_MARK_LENGTH = 10;

/** Ends an event. Servers that end lines in another way are read correctly, but slower. */
const EVENT_END = '\n\n';

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
  readonly #repeated = new RepeatedEvent();
  /** Whether the parser has seen all of the last event. */
  #isBetweenEvents = true;
  /** How many events the wire has read. */
  #events = 0;
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
    if (this.#json === null) this.#feedEvents(text);
    else if (this.#json.length + text.length > MAX_EVENT_LENGTH) throw new RangeError('An answer is too long');
    else this.#json += text;
  }

  #feedEvents(text: string): void {
    let at = 0;
    while (at < text.length) {
      at = this.#skipRepeated(text, at);
      const end = text.indexOf(EVENT_END, at);
      const piece = end === -1 ? text.slice(at) : text.slice(at, end + EVENT_END.length);
      const wasBetween = this.#isBetweenEvents;
      const before = this.#events;
      this.#isBetweenEvents = end !== -1 || piece === '';
      this.#parser.feed(piece);
      const added = wasBetween && this.#events === before + 1 ? this.#wire.onlyText : null;
      if (added != null) this.#repeated.learn(piece, added);
      at += piece.length;
    }
  }

  /** Reads repeated events from a position. Returns the position after them. */
  #skipRepeated(text: string, from: number): number {
    if (!this.#isBetweenEvents) return from;
    let at = from;
    let joined = '';
    for (let found = this.#repeated.match(text, at); found !== null; found = this.#repeated.match(text, at)) {
      joined += found.text;
      at = found.end;
    }
    if (joined !== '') this.#wire.readText?.(joined, this.#parts);
    return at;
  }

  async #end(): Promise<void> {
    this.#ended = true;
    // Also ends a last event without an empty line behind it.
    this.#feed(`${this.#decoder.end()}${EVENT_END}`);
    if (this.#json) for (const one of [parsed(this.#json)].flat()) this.#wire.read(one, this.#parts);
    const token = this.#wire.continues?.() ?? null;
    if (token === null) return this.#wire.end(this.#parts);
    this.#body = await this.#reopen(token);
    this.#parser.reset();
    this.#isBetweenEvents = true;
    this.#json = undefined;
    this.#ended = false;
  }

  #event(name: string | undefined, data: string): void {
    if (data.length < MAX_MARK_LENGTH) {
      const mark = data.trim();
      if (mark === '[DONE]') {
        this.#body.endSoon();
        this.#wire.done?.();
      }
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
    this.#events += 1;
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

import { randomUUID } from 'node:crypto';
import {
  REALTIME_CLOSE_CODES,
  REALTIME_LIMITS,
  type RealtimeClientEvent,
  type RealtimeMistake,
  type RealtimeNews,
  type RealtimeServerEvent,
  readRealtimeEvent,
} from '@chorus/contract';
import type { Logger } from '@chorus/log';
import type { Conversation, EndReason } from '../conversation/open-conversation.ts';
import type { Link } from '../link.ts';
import { Allowance } from './allowance.ts';

/** What a transport does for a connection. */
export interface Wire {
  send(event: RealtimeServerEvent): void;
  /** What was handed over and not taken by the client yet, in bytes. */
  readonly behindBytes: number;
  /** Says goodbye, and cuts the line when that is not answered within seconds. */
  close(code: number, reason: string): void;
}

/** Events that may come at once, and how many more in each second. */
export interface EventRate {
  eventBurst: number;
  eventsPerSecond: number;
}

/** What of `REALTIME_LIMITS` may be set otherwise. */
export interface ConnectionLimits extends EventRate {
  idleMs: number;
}

/** Bytes of sound in a millisecond: 16 bits, 24,000 times a second. */
const BYTES_PER_MS = 48;

/**
 * One client, whatever its transport: reads what it says, holds it to the limits, and hands the rest to its conversation. Whoever breaks a
 * limit loses this socket and nothing else.
 */
export class VoiceConnection implements Link {
  readonly #wire: Wire;
  readonly #log: Logger;
  readonly #limits: ConnectionLimits;
  readonly #events: Allowance;
  readonly #bytes = new Allowance(REALTIME_LIMITS.byteBurst, REALTIME_LIMITS.bytesPerSecond);
  readonly #mistakes = new Allowance(REALTIME_LIMITS.mistakes, 1);
  /** In milliseconds of sound; a second of it may come in each second. */
  readonly #sound = new Allowance(REALTIME_LIMITS.aheadMs, 1_000);
  #conversation: Conversation | null = null;
  #ended: Promise<void> | null = null;
  #closed = false;
  #flooded = false;
  readonly #idle: NodeJS.Timeout;

  /** @param open opens the conversation over this link */
  constructor(wire: Wire, log: Logger, open: (link: Link) => Conversation, limits: ConnectionLimits) {
    this.#wire = wire;
    this.#log = log;
    this.#limits = limits;
    this.#events = new Allowance(limits.eventBurst, limits.eventsPerSecond);
    this.#idle = setTimeout(() => this.#rest(), limits.idleMs);
    try {
      this.#conversation = open(this);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Whether it was closed because the client sent too much, or too much that makes no sense. */
  get flooded(): boolean {
    return this.#flooded;
  }

  get behindBytes(): number {
    return this.#wire.behindBytes;
  }

  send(news: RealtimeNews): void {
    if (this.#closed) return;
    if (this.#wire.behindBytes > REALTIME_LIMITS.behindBytes) {
      this.leave('kicked', REALTIME_CLOSE_CODES.slow, 'You do not read what you are told. Connect again to go on.');
      return;
    }
    this.#idle.refresh();
    this.#wire.send({ event_id: `event_${randomUUID()}`, ...news } as RealtimeServerEvent);
  }

  close(code: number, reason: string): void {
    this.leave('kicked', code, reason);
  }

  /**
   * Takes what the client said, once it was counted.
   *
   * @param value an event, as it came
   * @returns why it is refused; null: it was taken
   */
  receive(value: unknown): RealtimeMistake | null {
    if (this.#closed) return null;
    const read = readRealtimeEvent(value);
    if ('mistake' in read) return this.mistake(read.mistake);
    const { event } = read;
    if (event.type !== 'input_audio_buffer.append') this.#idle.refresh();
    if (!this.#sound.take(soundOf(event) / BYTES_PER_MS)) {
      this.forbid(
        'too_much_audio',
        `Sound comes more than ${REALTIME_LIMITS.aheadMs / 1_000} s ahead of the time that it lasts.`,
      );
      return null;
    }
    try {
      this.#conversation?.take(event);
    } catch (error) {
      this.#fail(error);
    }
    return null;
  }

  /**
   * Counts what came, before it is looked at.
   *
   * @returns false: it was too much, and the socket is closed for it
   */
  arrived(bytes: number): boolean {
    if (this.#closed) return false;
    const { bytesPerSecond, byteBurst } = REALTIME_LIMITS;
    const { eventsPerSecond, eventBurst } = this.#limits;
    if (!this.#events.take(1))
      this.forbid('too_many_events', `More than ${eventBurst} events at once, and ${eventsPerSecond} a second.`);
    else if (!this.#bytes.take(bytes))
      this.forbid('too_many_bytes', `More than ${byteBurst} bytes at once, and ${bytesPerSecond} a second.`);
    return !this.#closed;
  }

  /** Tells of something that could not be read; too often, and the socket is closed. */
  mistake(mistake: RealtimeMistake): RealtimeMistake {
    this.send({ type: 'error', error: { type: 'invalid_request_error', ...mistake } });
    if (!this.#closed && !this.#mistakes.take(1)) {
      this.#flooded = true;
      this.leave('kicked', REALTIME_CLOSE_CODES.invalid, 'Too much of what came could not be read.');
    }
    return mistake;
  }

  /** The transport has lost the client. */
  gone(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    return this.#end('client_gone');
  }

  /** Ends the conversation and closes the socket. */
  leave(reason: EndReason, code: number, words: string): Promise<void> {
    if (this.#closed) return this.#end(reason);
    this.#closed = true;
    clearTimeout(this.#idle);
    this.#log.info({ code, reason: words }, 'voice socket left');
    this.#wire.close(code, words);
    return this.#end(reason);
  }

  /** The last word before the socket is closed for it. */
  lastWord(code: string, message: string, type: 'invalid_request_error' | 'server_error' = 'server_error'): void {
    this.send({ type: 'error', error: { type, code, message, param: null, event_id: null } });
  }

  /** Closes the socket for something that no client may do, and says what it was. */
  forbid(code: string, message: string): void {
    this.#flooded = true;
    this.lastWord(code, message, 'invalid_request_error');
    this.leave('kicked', REALTIME_CLOSE_CODES.tooMuch, message);
  }

  #rest(): void {
    const words = 'Nothing was said for long. Connect again with the same session_id to go on.';
    this.lastWord('idle_timeout', words, 'invalid_request_error');
    this.leave('kicked', REALTIME_CLOSE_CODES.idle, words);
  }

  #fail(error: unknown): void {
    this.#log.error({ err: error }, 'voice conversation failed');
    this.lastWord('internal_error', 'Something went wrong on our side.');
    this.leave(
      'kicked',
      REALTIME_CLOSE_CODES.internalError,
      'Something went wrong on our side. Connect again to go on.',
    );
  }

  #end(reason: EndReason): Promise<void> {
    this.#ended ??= Promise.resolve(this.#conversation?.end(reason)).catch((error: unknown) =>
      this.#log.error({ err: error }, 'voice conversation did not end well'),
    );
    return this.#ended;
  }
}

/** Bytes of sound that an event brings. */
function soundOf(event: RealtimeClientEvent): number {
  if (event.type === 'input_audio_buffer.append') return event.audio.byteLength;
  if (event.type !== 'conversation.item.create' || event.item.role !== 'user') return 0;
  return event.item.content.reduce((sum, part) => sum + (part.type === 'input_audio' ? part.audio.byteLength : 0), 0);
}

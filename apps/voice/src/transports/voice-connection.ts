import { randomUUID } from 'node:crypto';
import {
  REALTIME_CLOSE_CODES,
  REALTIME_LIMITS,
  type RealtimeClientEvent,
  type RealtimeEventData,
  type RealtimeEventError,
  type RealtimeServerEvent,
  readRealtimeEvent,
} from '@chorus/contract';
import type { Logger } from '@chorus/runtime/log';
import type { Conversation, EndReason } from '../conversation/open-conversation.ts';
import type { Link } from '../link.ts';
import { TokenBucket } from './token-bucket.ts';

/** A transport's side of a connection. */
export interface Wire {
  send(event: RealtimeServerEvent): void;
  /** Bytes sent but not yet read by the client. */
  readonly behindBytes: number;
  /** Closes the socket, by force if the client does not respond within seconds. */
  close(code: number, reason: string): void;
}

export interface EventRate {
  eventBurst: number;
  eventsPerSecond: number;
}

/** Limits that can override `REALTIME_LIMITS`. */
export interface ConnectionLimits extends EventRate {
  idleMs: number;
}

/** 16-bit samples at 24 kHz. */
const BYTES_PER_MS = 48;

/**
 * One client on any transport: validates and limits its events and passes them to its conversation.
 * A client that exceeds a limit loses only this socket.
 */
export class VoiceConnection implements Link {
  readonly #wire: Wire;
  readonly #log: Logger;
  readonly #limits: ConnectionLimits;
  readonly #events: TokenBucket;
  readonly #bytes = new TokenBucket(REALTIME_LIMITS.byteBurst, REALTIME_LIMITS.bytesPerSecond);
  readonly #mistakes = new TokenBucket(REALTIME_LIMITS.mistakes, 1);
  /** Milliseconds of audio, refilled in real time. */
  readonly #sound = new TokenBucket(REALTIME_LIMITS.aheadMs, 1_000);
  #conversation: Conversation | null = null;
  #ended: Promise<void> | null = null;
  #closed = false;
  #flooded = false;
  readonly #idle: NodeJS.Timeout;

  constructor(wire: Wire, log: Logger, open: (link: Link) => Conversation, limits: ConnectionLimits) {
    this.#wire = wire;
    this.#log = log;
    this.#limits = limits;
    this.#events = new TokenBucket(limits.eventBurst, limits.eventsPerSecond);
    this.#idle = setTimeout(() => this.#restartIdleTimer(), limits.idleMs);
    try {
      this.#conversation = open(this);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Whether it was closed for sending too much, or too many invalid events. */
  get flooded(): boolean {
    return this.#flooded;
  }

  get behindBytes(): number {
    return this.#wire.behindBytes;
  }

  send(news: RealtimeEventData): void {
    if (this.#closed) return;
    if (this.#wire.behindBytes > REALTIME_LIMITS.behindBytes) {
      this.leave('kicked', REALTIME_CLOSE_CODES.slow, 'The client does not read its events. Reconnect to continue.');
      return;
    }
    this.#idle.refresh();
    this.#wire.send({ event_id: `event_${randomUUID()}`, ...news } as RealtimeServerEvent);
  }

  close(code: number, reason: string): void {
    this.leave('kicked', code, reason);
  }

  /**
   * Handles an event after `arrived`.
   *
   * @param value the event as received
   * @returns the reason if it is refused
   */
  receive(value: unknown): RealtimeEventError | null {
    if (this.#closed) return null;
    const read = readRealtimeEvent(value);
    if ('mistake' in read) return this.reportMistake(read.mistake);
    const { event } = read;
    if (event.type !== 'input_audio_buffer.append') this.#idle.refresh();
    if (!this.#sound.take(soundOf(event) / BYTES_PER_MS)) {
      this.closeForViolation(
        'too_much_audio',
        `Audio arrived more than ${REALTIME_LIMITS.aheadMs / 1_000} s ahead of real time.`,
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
   * Counts received bytes before they are parsed.
   *
   * @returns false if a limit was exceeded and the socket is closed
   */
  countBytes(bytes: number): boolean {
    if (this.#closed) return false;
    const { bytesPerSecond, byteBurst } = REALTIME_LIMITS;
    const { eventsPerSecond, eventBurst } = this.#limits;
    if (!this.#events.take(1))
      this.closeForViolation(
        'too_many_events',
        `The limit of ${eventBurst} events at once and ${eventsPerSecond} per second was exceeded.`,
      );
    else if (!this.#bytes.take(bytes))
      this.closeForViolation(
        'too_many_bytes',
        `The limit of ${byteBurst} bytes at once and ${bytesPerSecond} per second was exceeded.`,
      );
    return !this.#closed;
  }

  /** Reports an invalid event; closes the socket after too many. */
  reportMistake(mistake: RealtimeEventError): RealtimeEventError {
    this.send({ type: 'error', error: { type: 'invalid_request_error', ...mistake } });
    if (!this.#closed && !this.#mistakes.take(1)) {
      this.#flooded = true;
      this.leave('kicked', REALTIME_CLOSE_CODES.invalid, 'Too many events were invalid.');
    }
    return mistake;
  }

  onDisconnect(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    return this.#end('client_gone');
  }

  leave(reason: EndReason, code: number, words: string): Promise<void> {
    if (this.#closed) return this.#end(reason);
    this.#closed = true;
    clearTimeout(this.#idle);
    this.#log.info({ code, reason: words }, 'voice socket left');
    this.#wire.close(code, words);
    return this.#end(reason);
  }

  /** Sends a final error before the socket is closed. */
  sendFinalError(code: string, message: string, type: 'invalid_request_error' | 'server_error' = 'server_error'): void {
    this.send({ type: 'error', error: { type, code, message, param: null, event_id: null } });
  }

  closeForViolation(code: string, message: string): void {
    this.#flooded = true;
    this.sendFinalError(code, message, 'invalid_request_error');
    this.leave('kicked', REALTIME_CLOSE_CODES.tooMuch, message);
  }

  #restartIdleTimer(): void {
    const words = 'The conversation was idle for too long. Reconnect with the same session_id to continue.';
    this.sendFinalError('idle_timeout', words, 'invalid_request_error');
    this.leave('kicked', REALTIME_CLOSE_CODES.idle, words);
  }

  #fail(error: unknown): void {
    this.#log.error({ err: error }, 'voice conversation failed');
    this.sendFinalError('internal_error', 'Something went wrong on our side.');
    this.leave(
      'kicked',
      REALTIME_CLOSE_CODES.internalError,
      'Something went wrong on our side. Reconnect to continue.',
    );
  }

  #end(reason: EndReason): Promise<void> {
    this.#ended ??= Promise.resolve(this.#conversation?.end(reason)).catch((error: unknown) =>
      this.#log.error({ err: error }, 'voice conversation not closed cleanly'),
    );
    return this.#ended;
  }
}

function soundOf(event: RealtimeClientEvent): number {
  if (event.type === 'input_audio_buffer.append') return event.audio.byteLength;
  if (event.type !== 'conversation.item.create' || event.item.role !== 'user') return 0;
  return event.item.content.reduce((sum, part) => sum + (part.type === 'input_audio' ? part.audio.byteLength : 0), 0);
}

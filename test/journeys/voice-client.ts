import type { RealtimeServerEvent } from '@chorus/contract';
import { poll } from './poll.ts';

const NEXT_WITHIN_MS = 40_000;

type EventOf<Type> = Extract<RealtimeServerEvent, { type: Type }>;

/** A voice client that sends its credentials and scope by subprotocol and query, like a browser. */
export class VoiceClient {
  readonly events: RealtimeServerEvent[] = [];
  readonly #socket: WebSocket;
  #looked = 0;

  constructor(url: string, token: string, query: Record<string, string>) {
    const asked = new URLSearchParams({ scope_type: 'personal', ...query });
    this.#socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/voice/ws?${asked}`, [
      'realtime',
      `openai-insecure-api-key.${token}`,
    ]);
    this.#socket.onmessage = ({ data }) => this.events.push(JSON.parse(String(data)));
  }

  send(event: object): void {
    this.#socket.send(JSON.stringify(event));
  }

  speak(...sounds: Uint8Array[]): void {
    this.send({ type: 'input_audio_buffer.append', audio: Buffer.concat(sounds).toString('base64') });
  }

  /** Returns the next unread event of this type, and skips those before it. */
  next<Type extends RealtimeServerEvent['type']>(type: Type): Promise<EventOf<Type>> {
    return poll(
      type,
      () => {
        for (; this.#looked < this.events.length; this.#looked += 1) {
          const event = this.events[this.#looked];
          if (event?.type !== type) continue;
          this.#looked += 1;
          return event as EventOf<Type>;
        }
        return null;
      },
      NEXT_WITHIN_MS,
    );
  }

  get text(): string {
    return this.events
      .map((event) => (event.type === 'response.output_audio_transcript.delta' ? event.delta : ''))
      .join('');
  }

  close(): void {
    this.#socket.close();
  }
}

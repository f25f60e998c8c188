import { chorusError } from './chorus-error.ts';
import { type CallOptions, callOptions } from './client-options.ts';
import type { Transport } from './transport.ts';
import type { VoiceClientEvent, VoiceServerEvent } from './voice-events.ts';

/** The part of WebSocket that is used. */
interface Socket {
  readonly bufferedAmount: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
}

/** `headers`, `timeoutMs`, `attempts`, and `onResponse` apply to the request for a ticket. */
export interface VoiceConnectOptions extends CallOptions {
  /** The session to continue. Default: the first turn creates one. */
  sessionId?: string | undefined;
  /** `provider/model` that answers. Default: the model of the agent or platform. */
  model?: string | undefined;
  /** Voice that speaks. `voice.meta()` lists all voices. */
  voice?: string | undefined;
  /** Called with every event, from the first one on. */
  onEvent: (event: VoiceServerEvent) => void;
  /** Closes the socket. */
  signal?: AbortSignal | undefined;
  /** Replaces the global WebSocket, which Node.js 20 lacks. */
  WebSocket?: (new (url: string) => Socket) | undefined;
}

/** An open voice socket. */
export interface VoiceConnection {
  /** Sends an event. */
  send(event: VoiceClientEvent): void;
  /** Bytes that are not yet transmitted. */
  readonly bufferedAmount: number;
  /**
   * Resolves when the socket closes. After any code except 1000, connect again with the same session.
   */
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Closes the socket. */
  close(): void;
}

/**
 * Opens the voice socket with a ticket, as browsers must.
 *
 * @throws {ChorusError} the refusal of the ticket; `connection_lost` if the socket does not open
 */
export async function connectVoice(transport: Transport, options: VoiceConnectOptions): Promise<VoiceConnection> {
  const { sessionId, model, voice, onEvent, signal } = options;
  const { ticket } = await transport.request('POST /voice/tickets', {}, callOptions(options));
  const query = new URLSearchParams({ ticket });
  for (const [name, value] of Object.entries({ session_id: sessionId, model, voice }))
    if (value !== undefined) query.set(name, value);
  const Socket = options.WebSocket ?? (globalThis as unknown as { WebSocket?: new (url: string) => Socket }).WebSocket;
  if (Socket === undefined) throw new TypeError('This runtime has no WebSocket. Pass one in the options.');
  signal?.throwIfAborted();

  const socket = new Socket(`${socketBase(transport)}/api/v1/voice/ws?${query}`);
  const close = () => socket.close(1000, '');
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => {
      signal?.removeEventListener('abort', close);
      resolve({ code, reason });
    });
  });
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') onEvent(JSON.parse(data) as VoiceServerEvent);
  });
  signal?.addEventListener('abort', close, { once: true });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', resolve);
    closed.then(({ reason }) => {
      const message = `The voice socket did not open${reason && `: ${reason}`}.`;
      reject(signal?.aborted ? signal.reason : chorusError('connection_lost', message, { status: 0 }));
    });
  });
  return {
    send: (event) => socket.send(JSON.stringify(event)),
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    closed,
    close,
  };
}

/** Returns the base URL of sockets. Without `baseUrl`, this is the origin of the page. */
function socketBase({ baseUrl }: Transport): string {
  const { location } = globalThis as unknown as { location?: { origin: string } };
  return (baseUrl === '' ? (location?.origin ?? '') : baseUrl).replace(/^http/, 'ws');
}

import { ChorusError } from './chorus-error.ts';
import type { Transport } from './transport.ts';
import type { VoiceClientEvent, VoiceServerEvent } from './voice-events.ts';

/** What is used of a WebSocket. */
interface Socket {
  readonly bufferedAmount: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
}

export interface VoiceConnectOptions {
  /** A session to go on with. */
  sessionId?: string | undefined;
  /** `provider/model` that answers. */
  model?: string | undefined;
  voice?: string | undefined;
  /** Told of everything, from the first event on, as it comes. */
  onEvent: (event: VoiceServerEvent) => void;
  /** Closes the socket. */
  signal?: AbortSignal | undefined;
  /** In place of the global one, which Node 20 does not have. */
  WebSocket?: (new (url: string) => Socket) | undefined;
}

/** An open voice socket. */
export interface VoiceConnection {
  send(event: VoiceClientEvent): void;
  /** What was sent and has not gone yet, in bytes. */
  readonly bufferedAmount: number;
  /** How it was closed: 1000 as was wished; else connect again with the same session. */
  readonly closed: Promise<{ code: number; reason: string }>;
  close(): void;
}

/**
 * Opens the voice socket, by a ticket, as browsers must.
 *
 * @throws {ChorusError} what refuses the ticket; connection_lost when the socket does not open
 */
export async function connectVoice(transport: Transport, options: VoiceConnectOptions): Promise<VoiceConnection> {
  const { sessionId, model, voice, onEvent, signal } = options;
  const { ticket } = await transport.request('POST /voice/tickets', {}, { signal });
  const query = new URLSearchParams({ ticket });
  for (const [name, value] of Object.entries({ session_id: sessionId, model, voice }))
    if (value !== undefined) query.set(name, value);
  const Socket = options.WebSocket ?? (globalThis as unknown as { WebSocket?: new (url: string) => Socket }).WebSocket;
  if (Socket === undefined) throw new TypeError('This runtime has no WebSocket: give one.');
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
      reject(signal?.aborted ? signal.reason : new ChorusError('connection_lost', message, { status: 0 }));
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

/** Where sockets are opened: at the client's base URL; in a page without one, where that came from. */
function socketBase({ baseUrl }: Transport): string {
  const { location } = globalThis as unknown as { location?: { origin: string } };
  return (baseUrl === '' ? (location?.origin ?? '') : baseUrl).replace(/^http/, 'ws');
}

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ChorusError, REALTIME_CLOSE_CODES, REALTIME_LIMITS, SMALL_JSON_LIMITS, scanJson } from '@chorus/contract';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { TOKEN_PROTOCOL } from '../admit.ts';
import type { VoiceConnection, Wire } from './voice-connection.ts';

/** Subprotocol that OpenAI's clients request besides the credential. */
const PROTOCOL = 'realtime';

/** Browsers drop a socket if none of the requested protocols is selected, so a lone credential is selected. */
function chooseProtocol(asked: Set<string>): string | false {
  if (asked.has(PROTOCOL)) return PROTOCOL;
  const [only, ...others] = asked;
  return only?.startsWith(TOKEN_PROTOCOL) && others.length === 0 ? only : false;
}

const CLOSE_TIMEOUT_MS = 5_000;
/** Limit of RFC 6455 for the reason of a close frame. */
const MAX_REASON_BYTES = 123;
const MAX_FRAGMENTS = 4_096;

/** Reasons for close codes that the library sends without one. */
const REASONS: Readonly<Record<number, string>> = {
  1002: 'WebSocket protocol error.',
  [REALTIME_CLOSE_CODES.invalid]: 'Text frames must be UTF-8.',
  [REALTIME_CLOSE_CODES.tooMuch]: `A frame can have at most ${MAX_FRAGMENTS} fragments.`,
  [REALTIME_CLOSE_CODES.tooLarge]: `A frame can have at most ${REALTIME_LIMITS.frameBytes} bytes.`,
};

/** Sends a reason when it closes, and limits the closing handshake. */
class WebSocketWithReason extends WebSocket {
  override close(code?: number, reason: string | Buffer | undefined = REASONS[code ?? 0]): void {
    const cut = setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS);
    this.once('close', () => clearTimeout(cut));
    super.close(code, reason);
  }
}

/**
 * Sockets of the OpenAI Realtime protocol. Text frames are JSON events; binary frames are audio, as with
 * `input_audio_buffer.append`.
 */
export class RawSockets {
  readonly #server = new WebSocketServer({
    noServer: true,
    WebSocket: WebSocketWithReason,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: REALTIME_LIMITS.frameBytes,
    maxFragments: MAX_FRAGMENTS,
    handleProtocols: chooseProtocol,
  });
  readonly #waiting = new Map<WebSocket, boolean>();
  readonly #pingTimer: NodeJS.Timeout;

  /** @param pingMs interval of pings; a client that misses one is disconnected */
  constructor(pingMs: number) {
    this.#pingTimer = setInterval(() => this.#ping(), pingMs);
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer, open: (wire: Wire) => VoiceConnection): void {
    this.#server.handleUpgrade(request, socket, head, (client) => {
      const connection = open(wireOf(client));
      this.#waiting.set(client, false);
      // Answers pings here instead of in the library, to detect floods.
      client.on('ping', (data) => {
        if (connection.countBytes(data.byteLength)) client.pong(data);
      });
      client.on('pong', ({ byteLength }) => {
        this.#waiting.set(client, false);
        connection.countBytes(byteLength);
      });
      client.on('message', (data, binary) => receive(connection, data, binary));
      // The library closes the socket on protocol errors; `close` follows a broken connection.
      client.on('error', () => undefined);
      client.on('close', () => {
        this.#waiting.delete(client);
        void connection.onDisconnect();
      });
    });
  }

  stop(): void {
    clearInterval(this.#pingTimer);
    this.#server.close();
  }

  #ping(): void {
    for (const [client, waiting] of this.#waiting) {
      if (waiting) client.terminate();
      else {
        this.#waiting.set(client, true);
        client.ping();
      }
    }
  }
}

function wireOf(client: WebSocket): Wire {
  return {
    send: (event) => client.send(JSON.stringify(event)),
    get behindBytes() {
      return client.bufferedAmount;
    },
    close: (code, reason) => client.close(code, truncateReason(reason)),
  };
}

/** Truncates a reason to the size of a close frame. The library throws on longer ones. */
function truncateReason(reason: string): string {
  const bytes = Buffer.from(reason);
  return bytes.length <= MAX_REASON_BYTES
    ? reason
    : bytes.toString('utf8', 0, MAX_REASON_BYTES - 3).replace(/\ufffd$/, '');
}

function receive(connection: VoiceConnection, data: RawData, binary: boolean): void {
  // `binaryType` is the default: one buffer for each message.
  if (!Buffer.isBuffer(data) || !connection.countBytes(data.byteLength)) return;
  if (binary) {
    connection.receive({ type: 'input_audio_buffer.append', audio: data });
    return;
  }
  let value: unknown;
  try {
    scanJson(data, { what: 'A frame', path: 'event' }, SMALL_JSON_LIMITS);
    value = JSON.parse(String(data));
  } catch (error) {
    const refused = error instanceof ChorusError ? error : new ChorusError('invalid_json', 'A frame must be JSON.');
    // No client sends such a frame by accident, and parsing it is expensive.
    if (refused.code === 'invalid_request') connection.closeForViolation(refused.code, refused.message);
    else connection.reportMistake({ code: refused.code, message: refused.message, param: null, event_id: null });
    return;
  }
  connection.receive(value);
}

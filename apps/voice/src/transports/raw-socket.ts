import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ChorusError, REALTIME_CLOSE_CODES, REALTIME_LIMITS, SMALL_JSON_LIMITS, scanJson } from '@chorus/contract';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { TOKEN_PROTOCOL } from '../admit.ts';
import type { VoiceConnection, Wire } from './voice-connection.ts';

/** The subprotocol that OpenAI's clients ask for beside the one that is their credential. */
const PROTOCOL = 'realtime';

/** Browsers drop a socket where none of the protocols was chosen that they asked for, so a credential that stands alone is. */
function chooseProtocol(asked: Set<string>): string | false {
  if (asked.has(PROTOCOL)) return PROTOCOL;
  const [only, ...others] = asked;
  return only?.startsWith(TOKEN_PROTOCOL) && others.length === 0 ? only : false;
}

/** How long a goodbye may take, in milliseconds. */
const CLOSE_MS = 5_000;
/** What RFC 6455 leaves for a reason beside the code. */
const MAX_REASON_BYTES = 123;
/** A frame may come in so many pieces. */
const MAX_FRAGMENTS = 4_096;

/** The library closes sockets by a code alone, for what it finds itself. */
const REASONS: Readonly<Record<number, string>> = {
  1002: 'That is no WebSocket protocol.',
  [REALTIME_CLOSE_CODES.invalid]: 'A frame of text must be UTF-8.',
  [REALTIME_CLOSE_CODES.tooMuch]: `A frame may come in at most ${MAX_FRAGMENTS} pieces.`,
  [REALTIME_CLOSE_CODES.tooLarge]: `A frame may have at most ${REALTIME_LIMITS.frameBytes} bytes.`,
};

/** A socket that says why it is closed, and does not wait long for the answer. */
class SpeakingWebSocket extends WebSocket {
  override close(code?: number, reason: string | Buffer | undefined = REASONS[code ?? 0]): void {
    const cut = setTimeout(() => this.terminate(), CLOSE_MS);
    this.once('close', () => clearTimeout(cut));
    super.close(code, reason);
  }
}

/** Sockets of the OpenAI Realtime protocol: a frame of text is an event in JSON; a binary frame is sound, as if by `input_audio_buffer.append`. */
export class RawSockets {
  readonly #server = new WebSocketServer({
    noServer: true,
    WebSocket: SpeakingWebSocket,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: REALTIME_LIMITS.frameBytes,
    maxFragments: MAX_FRAGMENTS,
    handleProtocols: chooseProtocol,
  });
  readonly #waiting = new Map<WebSocket, boolean>();
  readonly #asking: NodeJS.Timeout;

  /** @param pingMs how often a client is asked whether it is still there, in milliseconds; one that has not answered by the next time is cut off */
  constructor(pingMs: number) {
    this.#asking = setInterval(() => this.#ask(), pingMs);
  }

  /** @param open makes the connection over a wire, once the protocol has changed */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, open: (wire: Wire) => VoiceConnection): void {
    this.#server.handleUpgrade(request, socket, head, (client) => {
      const connection = open(wireOf(client));
      this.#waiting.set(client, false);
      // Answered here and not by the library, so that a flood of them is met with a reason.
      client.on('ping', (data) => {
        if (connection.arrived(data.byteLength)) client.pong(data);
      });
      client.on('pong', ({ byteLength }) => {
        this.#waiting.set(client, false);
        connection.arrived(byteLength);
      });
      client.on('message', (data, binary) => receive(connection, data, binary));
      // What breaks the protocol is answered by a closing frame of the library's; what breaks the line by `close`.
      client.on('error', () => undefined);
      client.on('close', () => {
        this.#waiting.delete(client);
        void connection.gone();
      });
    });
  }

  stop(): void {
    clearInterval(this.#asking);
    this.#server.close();
  }

  #ask(): void {
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
    close: (code, reason) => client.close(code, shortened(reason)),
  };
}

/** Cuts a reason to what fits in a closing frame. The library throws for longer ones. */
function shortened(reason: string): string {
  const bytes = Buffer.from(reason);
  return bytes.length <= MAX_REASON_BYTES
    ? reason
    : bytes.toString('utf8', 0, MAX_REASON_BYTES - 3).replace(/\ufffd$/, '');
}

function receive(connection: VoiceConnection, data: RawData, binary: boolean): void {
  // As one buffer each, since nothing else was asked for.
  if (!Buffer.isBuffer(data) || !connection.arrived(data.byteLength)) return;
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
    // No client sends such a frame by mistake, and each costs as much as its bytes.
    if (refused.code === 'invalid_request') connection.forbid(refused.code, refused.message);
    else connection.mistake({ code: refused.code, message: refused.message, param: null, event_id: null });
    return;
  }
  connection.receive(value);
}

import { ChorusError, SMALL_JSON_LIMITS, scanJson } from '@chorus/contract';
import { Decoder, Encoder } from 'socket.io-parser';

/** Where the JSON of a packet begins at the latest: behind its type, namespace and id. */
const MAX_PREFIX = 200;

/** Decodes packets of socket.io like the library, but checks the structure of their JSON first. */
class BoundedDecoder extends Decoder {
  /** @throws {ChorusError} invalid_request, invalid_json */
  override add(packet: unknown): void {
    if (typeof packet === 'string') {
      if (packet.length > MAX_PREFIX && !/["{[]/.test(packet.slice(0, MAX_PREFIX)))
        throw new ChorusError('invalid_request', 'A packet must bring its JSON.');
      scanJson(packet, { what: 'A packet', path: 'event' }, SMALL_JSON_LIMITS);
    }
    super.add(packet);
  }
}

/** The parser of a socket.io server. */
export const boundedParser = { Encoder, Decoder: BoundedDecoder };

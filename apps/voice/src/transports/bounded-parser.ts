import { ChorusError, SMALL_JSON_LIMITS, scanJson } from '@chorus/contract';
import { Decoder, Encoder } from 'socket.io-parser';

/** Latest position of a packet's JSON, after its type, namespace, and id. */
const MAX_PREFIX = 200;

/** Decodes socket.io packets, but checks the structure of their JSON first. */
class BoundedDecoder extends Decoder {
  /** @throws {ChorusError} invalid_request, invalid_json */
  override add(packet: unknown): void {
    if (typeof packet === 'string') {
      if (packet.length > MAX_PREFIX && !/["{[]/.test(packet.slice(0, MAX_PREFIX)))
        throw new ChorusError('invalid_request', 'A packet must contain JSON.');
      scanJson(packet, { what: 'A packet', path: 'event' }, SMALL_JSON_LIMITS);
    }
    super.add(packet);
  }
}

export const boundedParser = { Encoder, Decoder: BoundedDecoder };

import { CustomAudioDecoder, type EncodedPacket } from 'mediabunny';

/** Damaged packets to skip before giving up. */
const MAX_DAMAGED = 20;

/** Skips damaged packets. Never rejects while it decodes, since `mediabunny` handles only reported errors. */
export abstract class TolerantDecoder extends CustomAudioDecoder {
  #damaged = 0;

  /** @throws if the sound cannot be decoded */
  protected abstract open(): Promise<void> | void;

  /** @throws if the packet is damaged */
  protected abstract decodePacket(packet: EncodedPacket): Promise<void> | void;

  async init(): Promise<void> {
    try {
      await this.open();
    } catch (error) {
      this.onError(error);
    }
  }

  async decode(packet: EncodedPacket): Promise<void> {
    try {
      await this.decodePacket(packet);
    } catch (error) {
      this.#damaged += 1;
      if (this.#damaged > MAX_DAMAGED) this.onError(error);
    }
  }
}

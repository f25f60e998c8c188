/** Initial size: one second of pcm16 at 24 kHz. */
const FIRST_BYTES = 48_000;

/** Recent audio, addressed by its byte position in the whole stream. Copies rarely, even for small chunks. */
export class RecentSound {
  #memory = new Uint8Array(FIRST_BYTES);
  /** Start and end of the data within the buffer. */
  #begin = 0;
  #end = 0;
  #from = 0;

  get from(): number {
    return this.#from;
  }

  append(pcm: Uint8Array): void {
    if (this.#end + pcm.byteLength > this.#memory.byteLength) this.#makeRoom(pcm.byteLength);
    this.#memory.set(pcm, this.#end);
    this.#end += pcm.byteLength;
  }

  /** Copies the bytes between two positions, as far as they are still kept. */
  read(start: number, end: number): Uint8Array {
    const offset = this.#begin - this.#from;
    return this.#memory.slice(Math.max(start, this.#from) + offset, Math.min(end + offset, this.#end));
  }

  forget(before: number): void {
    const bytes = Math.min(before - this.#from, this.#end - this.#begin);
    if (bytes <= 0) return;
    this.#begin += bytes;
    this.#from += bytes;
  }

  /** Discards everything; the next byte has this position. */
  restart(place: number): void {
    this.#begin = 0;
    this.#end = 0;
    this.#from = place;
  }

  /** Keeps half of the buffer free, so that each byte is moved at most once on average. */
  #makeRoom(bytes: number): void {
    const kept = this.#memory.subarray(this.#begin, this.#end);
    const needed = kept.byteLength + bytes;
    if (needed * 2 > this.#memory.byteLength) this.#memory = new Uint8Array(needed * 2);
    this.#memory.set(kept, 0);
    this.#begin = 0;
    this.#end = kept.byteLength;
  }
}

/** Bytes that it begins with: a second of pcm16, 24,000 samples a second. */
const FIRST_BYTES = 48_000;

/** The last of a sound, found by its place in all that was heard, in bytes. It lies in memory of its own, which is moved seldom, however small the pieces that come. */
export class RecentSound {
  #memory = new Uint8Array(FIRST_BYTES);
  /** Where in the memory it begins and ends. */
  #begin = 0;
  #end = 0;
  #from = 0;

  /** Place of the first byte that is still there. */
  get from(): number {
    return this.#from;
  }

  append(pcm: Uint8Array): void {
    if (this.#end + pcm.byteLength > this.#memory.byteLength) this.#makeRoom(pcm.byteLength);
    this.#memory.set(pcm, this.#end);
    this.#end += pcm.byteLength;
  }

  /** A copy of what lies between two places, as far as it is still there. */
  read(start: number, end: number): Uint8Array {
    const offset = this.#begin - this.#from;
    return this.#memory.slice(Math.max(start, this.#from) + offset, Math.min(end + offset, this.#end));
  }

  /** What lies before a place is not asked for any more. */
  forget(before: number): void {
    const bytes = Math.min(before - this.#from, this.#end - this.#begin);
    if (bytes <= 0) return;
    this.#begin += bytes;
    this.#from += bytes;
  }

  /** All of it is forgotten; what comes next lies at this place. */
  restart(place: number): void {
    this.#begin = 0;
    this.#end = 0;
    this.#from = place;
  }

  /** Half of the memory stays free behind what is kept: it is moved after as many bytes as it holds. */
  #makeRoom(bytes: number): void {
    const kept = this.#memory.subarray(this.#begin, this.#end);
    const needed = kept.byteLength + bytes;
    if (needed * 2 > this.#memory.byteLength) this.#memory = new Uint8Array(needed * 2);
    this.#memory.set(kept, 0);
    this.#begin = 0;
    this.#end = kept.byteLength;
  }
}

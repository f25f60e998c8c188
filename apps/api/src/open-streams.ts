/**
 * Tracks the open event streams of this process. Ends them when the process stops, so that clients can resume
 * elsewhere with `Last-Event-ID`.
 */
export class OpenStreams {
  readonly #endings = new Set<() => void>();
  #stopping = false;

  get size(): number {
    return this.#endings.size;
  }

  /**
   * Registers a stream.
   * @param end ends the stream; called once when the process stops, at once if it is already stopping
   * @returns unregisters the stream, once it has ended
   */
  open(end: () => void): () => void {
    this.#endings.add(end);
    if (this.#stopping) end();
    return () => this.#endings.delete(end);
  }

  /** Ends all streams, including later ones. */
  stop(): void {
    this.#stopping = true;
    for (const end of [...this.#endings]) end();
  }

  get stopping(): boolean {
    return this.#stopping;
  }
}

/**
 * The event streams that this process has open: counted for the metrics, and ended when the process stops, so that
 * clients go on elsewhere with `Last-Event-ID` instead of meeting a broken connection.
 */
export class OpenStreams {
  readonly #endings = new Set<() => void>();
  #stopping = false;

  get size(): number {
    return this.#endings.size;
  }

  /**
   * Counts a stream in.
   *
   * @param end called once when the process stops, and at once if it is stopping already; must end the stream soon
   * @returns counts the stream out; to be called when it has ended, however it ended
   */
  open(end: () => void): () => void {
    this.#endings.add(end);
    if (this.#stopping) end();
    return () => this.#endings.delete(end);
  }

  /** Ends all streams, and those that would be opened later. */
  stop(): void {
    this.#stopping = true;
    for (const end of [...this.#endings]) end();
  }

  get stopping(): boolean {
    return this.#stopping;
  }
}

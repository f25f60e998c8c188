import { LaneWait } from '@chorus/lanes';
import type { CallOptions } from './provider-port.ts';

/**
 * Makes the calls of one job. The job would lose all results if one of them sent it back to its queue, so as soon as
 * another call has been sent, a call that finds no place in its lane waits here instead.
 */
export class JointCalls {
  /** Calls that were sent, except for those that failed. */
  #paid = 0;

  async run<T>(options: CallOptions, call: (options: CallOptions) => Promise<T>): Promise<T> {
    try {
      return await this.#count(options, call);
    } catch (error) {
      if (!(error instanceof LaneWait) || this.#paid === 0) throw error;
      return this.#count({ ...options, keepsResults: true }, call);
    }
  }

  async #count<T>(options: CallOptions, call: (options: CallOptions) => Promise<T>): Promise<T> {
    let isSent = false;
    const onRequest = () => {
      if (!isSent) this.#paid += 1;
      isSent = true;
      return options.onRequest?.();
    };
    try {
      return await call({ ...options, onRequest });
    } catch (error) {
      if (isSent) this.#paid -= 1;
      throw error;
    }
  }
}

import { Readable } from 'node:stream';

/**
 * The same bytes, but for a stream that says nothing for `idleMs` while somebody waits for it: that fails. A reader that takes its time is
 * nobody's failure.
 *
 * @param toError makes what the reader sees of what failed
 */
export function guardIdle(body: Readable, idleMs: number, toError: (cause: unknown) => Error): Readable {
  let timer: NodeJS.Timeout | undefined;
  const rest = () => clearTimeout(timer);
  const expect = () => {
    rest();
    timer = setTimeout(() => guarded.destroy(toError(new Error(`nothing came for ${idleMs} ms`))), idleMs);
  };
  const guarded = new Readable({
    read() {
      expect();
      body.resume();
    },
    destroy(error, callback) {
      rest();
      body.destroy();
      callback(error);
    },
  });
  body.pause();
  body.on('data', (chunk: Buffer) => {
    if (guarded.push(chunk)) return expect();
    rest();
    body.pause();
  });
  body.once('end', () => {
    rest();
    guarded.push(null);
  });
  body.on('error', (error) => guarded.destroy(toError(error)));
  body.once('close', () => {
    if (!body.readableEnded && !guarded.destroyed) guarded.destroy(toError(new Error('the stream was cut off')));
  });
  return guarded;
}

import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { ChorusError } from '@chorus/contract';

/**
 * Returns the same content, whose last chunk follows once its hash is known to be right. If the content is damaged, the
 * stream fails before its end.
 */
export function verifiedContent(content: Readable, sha256: string, onVerified: () => void): Readable {
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  const verified = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      hash.update(chunk);
      const before = held;
      held = chunk;
      done(null, before);
    },
    flush(done: TransformCallback) {
      if (hash.digest('hex') !== sha256) return done(damaged());
      onVerified();
      done(null, held);
    },
  });
  pipeline(content, verified, () => undefined); // a failure reaches the reader
  return verified;
}

function damaged(): ChorusError {
  return new ChorusError('internal_error', 'The stored file is damaged. Ask an operator to restore it from a backup.');
}

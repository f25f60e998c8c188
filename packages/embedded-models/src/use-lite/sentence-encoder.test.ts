import { createLogger } from '@chorus/runtime/log';
import { afterAll, describe, expect, test } from 'vitest';
import { SentenceEncoder } from './sentence-encoder.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const { signal } = new AbortController();
const encoder = new SentenceEncoder(log);
afterAll(() => encoder.close());

describe('the process', () => {
  const document = Array.from({ length: 24 }, (_, index) => `Passage ${index} of a document.`);

  test('starts on first use, and encodes a question before a long document is finished', async () => {
    expect(encoder.pid).toBeNull();
    let documentEnded = false;
    const whole = encoder.encode(document, 'document', { signal }).then((encoded) => {
      documentEnded = true;
      return encoded;
    });
    await encoder.encode(['How old are you?'], 'query', { signal });
    expect(documentEnded).toBe(false);
    expect((await whole).vectors).toHaveLength(24);
  });

  test('restarts after a kill and repeats the work', async () => {
    await encoder.encode(['a'], 'query', { signal });
    const asked = encoder.encode(document.slice(0, 8), 'document', { signal });
    const { pid } = encoder;
    process.kill(pid!, 'SIGKILL');
    expect((await asked).vectors).toHaveLength(8);
    expect(encoder.pid).not.toBe(pid);
  });

  test('fails work that crashes the process twice, and serves the next', async () => {
    const asked = encoder.encode(document.slice(0, 8), 'document', { signal });
    asked.catch(() => {});
    const first = encoder.pid!;
    process.kill(first, 'SIGKILL');
    await expect.poll(() => encoder.pid, { interval: 1 }).not.toBe(first);
    process.kill(encoder.pid!, 'SIGKILL');
    await expect(asked).rejects.toMatchObject({ code: 'provider_error' });
    expect((await encoder.encode(['a'], 'query', { signal })).vectors).toHaveLength(1);
  });

  test('aborts immediately, and never starts waiting work', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const asked = encoder.encode(document, 'document', { signal: controller.signal });
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
    expect((await encoder.encode(['a'], 'document', { signal })).vectors).toHaveLength(1);
  });

  test('fails waiting requests when it is closed', async () => {
    const own = new SentenceEncoder(log);
    const asked = own.encode(document, 'document', { signal });
    own.close();
    await expect(asked).rejects.toMatchObject({ code: 'provider_error' });
    await expect(own.encode(['a'], 'query', { signal })).rejects.toMatchObject({ code: 'provider_error' });
  });
});

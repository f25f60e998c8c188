import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { BlobStat, Blobs } from './blobs.ts';
import { testBrokenOff } from './test-broken-off.ts';
import { codeOf, inChunks, ownPrefix, PART, sha256, type TriedStore } from './test-tried-store.ts';

const SIZES = [0, 1, PART - 1, PART, PART + 1];

async function all(blobs: Blobs, prefix: string, limit: number): Promise<BlobStat[]> {
  const found: BlobStat[] = [];
  for (let after: string | undefined; ; ) {
    const page = await blobs.list({ prefix, limit, ...(after && { after }) });
    expect(page.blobs.length).toBeLessThanOrEqual(limit);
    found.push(...page.blobs);
    if (page.next === null) return found;
    after = page.next;
  }
}

export function describePort(name: string, get: () => TriedStore): void {
  describe(name, () => {
    test.each(SIZES)('%i bytes are stored unchanged, with their size and hash', async (size) => {
      const { blobs } = get();
      const key = `${ownPrefix()}content`;
      const bytes = randomBytes(size);
      const before = Date.now();
      expect(await blobs.put(key, Readable.from(inChunks(bytes)))).toEqual({ sizeBytes: size, sha256: sha256(bytes) });
      expect(sha256(await buffer(await blobs.open(key)))).toBe(sha256(bytes));
      const stat = await blobs.stat(key);
      expect(stat).toEqual({ key, sizeBytes: size, modifiedAt: expect.any(Date) });
      // Some stores have a resolution of a second.
      expect(stat?.modifiedAt.getTime()).toBeGreaterThanOrEqual(before - 1_000);
      expect(stat?.modifiedAt.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
    });

    test('bytes in memory and async iterables are sources, too', async () => {
      const { blobs } = get();
      const prefix = ownPrefix();
      const bytes = new Uint8Array(randomBytes(1_000));
      const expected = { sizeBytes: 1_000, sha256: sha256(bytes) };
      expect(await blobs.put(`${prefix}bytes`, bytes)).toEqual(expected);
      const iterate = async function* () {
        yield* inChunks(bytes, 99);
      };
      expect(await blobs.put(`${prefix}iterable`, iterate())).toEqual(expected);
      for (const name of ['bytes', 'iterable'])
        expect(new Uint8Array(await buffer(await blobs.open(prefix + name)))).toEqual(bytes);
    });

    test('a second put replaces the first', async () => {
      const { blobs } = get();
      const key = `${ownPrefix()}content`;
      await blobs.put(key, Buffer.from('the first, longer'));
      await blobs.put(key, Buffer.from('the second'));
      expect(String(await buffer(await blobs.open(key)))).toBe('the second');
      expect((await blobs.stat(key))?.sizeBytes).toBe(10);
    });

    test('a range returns its bytes only', async () => {
      const { blobs } = get();
      const key = `${ownPrefix()}content`;
      const bytes = randomBytes(1_000_000);
      await blobs.put(key, bytes);
      for (const [range, from, to] of [
        [{ start: 0, end: 0 }, 0, 1],
        [{ start: 3, end: 7 }, 3, 8],
        [{ start: 10 }, 10, 1_000_000],
        [{ start: 999_999 }, 999_999, 1_000_000],
        [{ start: 999_990, end: 5_000_000 }, 999_990, 1_000_000],
      ] as const) {
        const found = await buffer(await blobs.open(key, { range }));
        expect(found.equals(bytes.subarray(from, to)), JSON.stringify(range)).toBe(true);
      }
    });

    test('a range without bytes is refused', async () => {
      const { blobs } = get();
      const key = `${ownPrefix()}content`;
      await blobs.put(key, Buffer.from('0123456789'));
      const none = [{ start: 10 }, { start: 10, end: 20 }];
      const mistakes = [{ start: -1 }, { start: 5, end: 4 }, { start: 0.5 }, { start: Number.NaN }];
      for (const range of [...none, ...mistakes])
        await expect(blobs.open(key, { range }), JSON.stringify(range)).rejects.toThrow(RangeError);
    });

    test('an empty blob has no range', async () => {
      const { blobs } = get();
      const key = `${ownPrefix()}content`;
      await blobs.put(key, new Uint8Array());
      await expect(blobs.open(key, { range: { start: 0 } })).rejects.toThrow(RangeError);
    });

    test('a missing blob: not_found, null, or no effect', async () => {
      const { blobs } = get();
      const key = `${ownPrefix()}nothing`;
      expect(await blobs.open(key).catch(codeOf)).toBe('not_found');
      expect(await blobs.open(key, { range: { start: 0 } }).catch(codeOf)).toBe('not_found');
      expect(await blobs.stat(key)).toBeNull();
      await blobs.remove(key);
    });

    test('a removed blob is gone, and can be removed again', async () => {
      const { blobs } = get();
      const prefix = ownPrefix();
      const keys = Array.from({ length: 20 }, (_, n) => `${prefix}${n}`);
      await Promise.all(keys.map((key) => blobs.put(key, Buffer.from(key))));
      await blobs.remove(keys[0] as string);
      expect(await blobs.stat(keys[0] as string)).toBeNull();
      await blobs.removeMany(keys.slice(0, 19));
      await blobs.removeMany([]);
      expect((await all(blobs, prefix, 1_000)).map(({ key }) => key)).toEqual([keys[19]]);
    });

    test('keys are listed by prefix, each once, in pages', async () => {
      const { blobs } = get();
      const prefix = ownPrefix();
      const keys = Array.from({ length: 12 }, (_, n) => `${prefix}a/${n}`);
      await Promise.all([...keys, `${prefix}b/1`].map((key) => blobs.put(key, Buffer.from(key))));
      for (const limit of [5, 12, 1_000]) {
        const found = await all(blobs, `${prefix}a/`, limit);
        expect(found.map(({ key }) => key).sort()).toEqual([...keys].sort());
        expect(found.every(({ key, sizeBytes }) => sizeBytes === key.length)).toBe(true);
      }
      expect(await all(blobs, `${prefix}a/1`, 2)).toHaveLength(3);
      expect(await all(blobs, `${prefix}c`, 5)).toEqual([]);
      const stat = await blobs.stat(keys[0] as string);
      const [listed] = await all(blobs, `${keys[0]}`, 5);
      expect(listed?.modifiedAt.getTime()).toBeGreaterThanOrEqual((stat?.modifiedAt.getTime() ?? 0) - 1_000);
    });

    test.each([
      '',
      '/',
      'a/',
      '/a',
      'a//b',
      '.',
      '..',
      '../a',
      'a/../b',
      'a/./b',
      '.hidden',
      'a/.hidden',
      'A',
      'ä',
      '文',
      'a b',
      'a\0b',
      'a\nb',
      'a\\b',
      'a%2fb',
      'a~b',
      'a:b',
      'a?b',
      'a#b',
      'c:/a',
      'a'.repeat(201),
    ])('%j is no key', async (key) => {
      const { blobs } = get();
      const source = new PassThrough();
      await expect(blobs.put(key, source)).rejects.toThrow(TypeError);
      expect(source.destroyed).toBe(true);
      await expect(blobs.open(key)).rejects.toThrow(TypeError);
      await expect(blobs.stat(key)).rejects.toThrow(TypeError);
      await expect(blobs.remove(key)).rejects.toThrow(TypeError);
      await expect(blobs.removeMany([key])).rejects.toThrow(TypeError);
      await expect(blobs.presign(key, { expiresInS: 60 })).rejects.toThrow(TypeError);
      if (!/^$|^a\/$/.test(key)) await expect(blobs.list({ prefix: key })).rejects.toThrow(TypeError);
    });

    test.each(['0', 'a..b-_.', `${'a'.repeat(99)}/${'b'.repeat(100)}`])('%j is a key', async (name) => {
      const { blobs } = get();
      await blobs.put(name, Buffer.from(name));
      expect(String(await buffer(await blobs.open(name)))).toBe(name);
      expect((await all(blobs, name, 1_000)).map(({ key }) => key)).toContain(name);
      await blobs.remove(name);
      expect(await blobs.stat(name)).toBeNull();
    });
    testBrokenOff(get);

    test('readers get the old content during a put, and keep it afterwards', async () => {
      const { blobs } = get();
      const key = `${ownPrefix()}content`;
      const old = randomBytes(3_000_000);
      await blobs.put(key, old);
      const source = new PassThrough();
      const putting = blobs.put(key, source);
      source.write('new ');
      expect(sha256(await buffer(await blobs.open(key)))).toBe(sha256(old));
      const reader = await blobs.open(key);
      await once(reader, 'readable');
      source.end('content');
      await putting;
      expect(String(await buffer(await blobs.open(key)))).toBe('new content');
      expect(sha256(await buffer(reader))).toBe(sha256(old));
    });

    test('a reader can stop at any time, or with its signal', async () => {
      const { blobs } = get();
      const key = `${ownPrefix()}content`;
      await blobs.put(key, randomBytes(2_000_000));
      const stopped = await blobs.open(key);
      await once(stopped, 'readable');
      stopped.destroy();
      await once(stopped, 'close');
      const abort = new AbortController();
      const aborted = await blobs.open(key, { signal: abort.signal });
      const failed = once(aborted, 'error');
      abort.abort();
      expect(await failed).toMatchObject([{ name: 'AbortError' }]);
    });

    test('one of several simultaneous puts of a key wins completely', async () => {
      const { blobs, unfinished } = get();
      const key = `${ownPrefix()}content`;
      const contents = Array.from({ length: 4 }, () => randomBytes(200_000));
      const put = await Promise.all(contents.map((bytes) => blobs.put(key, Readable.from(inChunks(bytes)))));
      expect(put.map((each) => each.sha256)).toContain(sha256(await buffer(await blobs.open(key))));
      expect(await unfinished()).toBe(0);
    });

    test('a working store passes its check', async () => {
      await get().blobs.check();
    });
  });
}

import { createBlobs } from '@chorus/blobs';
import { loadConfig } from '@chorus/runtime/config';
import { createLogger } from '@chorus/runtime/log';
import { S3_START_MS, s3IsGiven, sharedS3, type TestBucket } from '@chorus/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openSearch } from '../open-search.ts';
import { chunk, SPACE } from '../test-search.ts';
import { startConditionalS3 } from './test-s3-server.ts';

const log = createLogger({ name: 'test', level: 'silent' });

/** Opens an index in a bucket, configured as a process is. */
function openInBucket(env: Record<string, string>) {
  const stores = { REDIS_URL: 'redis://unused', MONGODB_URI: 'mongodb://unused' };
  const { index } = loadConfig({ ...stores, ...env, KNOWLEDGE_INDEX_URL: `s3://${env.S3_BUCKET}/index` });
  const search = openSearch({ ...index, log });
  onTestFinished(() => search.close());
  return search;
}

const own = (endpoint: string) => ({
  S3_ENDPOINT: endpoint,
  S3_BUCKET: 'chorus',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'tops3cret',
});

test('stores an index in a bucket that several processes write to', async () => {
  const s3 = await startConditionalS3({ honours: true });
  const tables = await Promise.all([1, 2].map(() => openInBucket(own(s3.endpoint)).chunks(SPACE)));
  await Promise.all(
    tables.flatMap((table, at) =>
      [0, 1, 2].map((entry) =>
        table.replace('a', `e${at}${entry}`, [chunk('a', `e${at}${entry}`, 0, { text: 'fox' })]),
      ),
    ),
  );
  for (const table of tables) {
    const found = await table.find({ scopeKey: 'a', text: 'fox', limit: 10, weight: 0 });
    expect(found.map(({ entry_id }) => entry_id).sort()).toEqual(['e00', 'e01', 'e02', 'e10', 'e11', 'e12']);
  }
  expect(s3.keys().filter((key) => key.includes('probe'))).toEqual([]);
});

test('refuses a server that ignores write conditions, and names the variable', async () => {
  const s3 = await startConditionalS3({ honours: false });
  const refusal = openInBucket(own(s3.endpoint)).chunks(SPACE);
  await expect(refusal).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('KNOWLEDGE_INDEX_URL'),
  });
  expect(s3.keys()).toEqual([]);
});

test.skipIf(s3IsGiven)(
  'refuses a real server without write conditions',
  async () => {
    const bucket: TestBucket = (await sharedS3()).newBucket();
    const blobs = createBlobs(bucket.config, log);
    onTestFinished(() => blobs.close());
    await blobs.put('makes/the-bucket', Buffer.from('x'));
    await expect(openInBucket(bucket.env).chunks(SPACE)).rejects.toThrow('conditional writes');
  },
  S3_START_MS,
);

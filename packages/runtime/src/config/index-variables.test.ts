import { expect, test } from 'vitest';
import { ConfigError } from './config-error.ts';
import { loadConfig } from './load-config.ts';

const stores = { REDIS_URL: 'unix:///run/redis.sock', MONGODB_URI: 'mongodb://db/chorus', DATA_DIR: '/srv/chorus' };
const s3 = { S3_BUCKET: 'chorus', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'tops3cret' };

const indexOf = (env: Record<string, string>) => loadConfig({ ...stores, ...env }).index;

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    indexOf(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('the index is a folder in DATA_DIR, or the given one', () => {
  expect(indexOf({})).toEqual({ location: '/srv/chorus/index' });
  expect(indexOf({ KNOWLEDGE_INDEX_URL: '/fast/index' })).toEqual({ location: '/fast/index' });
});

test('an index in a bucket uses the S3 settings of the files', () => {
  const own = { ...s3, S3_ENDPOINT: 'http://minio:9000', KNOWLEDGE_INDEX_URL: 's3://chorus/index/' };
  expect(indexOf(own)).toEqual({
    location: 's3://chorus/index',
    storageOptions: {
      aws_access_key_id: 'id',
      aws_secret_access_key: 'tops3cret',
      aws_region: 'us-east-1',
      aws_virtual_hosted_style_request: 'false',
      aws_endpoint: 'http://minio:9000',
      allow_http: 'true',
    },
  });
  expect(indexOf({ ...s3, KNOWLEDGE_INDEX_URL: 's3://chorus/index' }).storageOptions).not.toHaveProperty(
    'aws_endpoint',
  );
});

test.each(['s3://chorus', 's3://chorus/', 'gs://chorus/index', 'http://minio:9000/index', 's3://chorus/a?b'])(
  '%s is refused',
  (KNOWLEDGE_INDEX_URL) => {
    expect(problemsOf({ ...s3, KNOWLEDGE_INDEX_URL })).toEqual([
      'KNOWLEDGE_INDEX_URL must be a folder, or s3://<bucket>/<path>',
    ]);
  },
);

test('refuses a bucket without S3 settings', () => {
  expect(problemsOf({ KNOWLEDGE_INDEX_URL: 's3://chorus/index' })).toEqual([
    expect.stringMatching(/^KNOWLEDGE_INDEX_URL needs S3_BUCKET/),
  ]);
});

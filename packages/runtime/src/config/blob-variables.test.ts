import { expect, test } from 'vitest';
import { ConfigError } from './config-error.ts';
import { loadConfig } from './load-config.ts';

const stores = { REDIS_URL: 'unix:///run/redis.sock', MONGODB_URI: 'mongodb://db/chorus' };
const needed = { S3_BUCKET: 'chorus', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'tops3cret' };

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig({ ...stores, ...env });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('without S3 variables, blobs are files in DATA_DIR', () => {
  const env = { ...stores, DATA_DIR: '/srv/chorus', S3_BUCKET: '', S3_REGION: '' };
  expect(loadConfig(env).blobs).toEqual({ kind: 'files', folder: '/srv/chorus/blobs' });
});

test("a bucket and its login are enough for Amazon's own S3", () => {
  expect(loadConfig({ ...stores, ...needed }).blobs).toEqual({
    kind: 's3',
    endpoint: null,
    publicEndpoint: null,
    bucket: 'chorus',
    region: 'us-east-1',
    forcePathStyle: false,
    accessKeyId: 'id',
    secretAccessKey: 'tops3cret',
  });
});

test('puts the bucket into the path for other servers, unless configured otherwise', () => {
  const S3_ENDPOINT = 'http://minio:9000/';
  const own = loadConfig({ ...stores, ...needed, S3_ENDPOINT, S3_PUBLIC_ENDPOINT: 'https://files.example' }).blobs;
  expect(own).toMatchObject({
    endpoint: 'http://minio:9000',
    publicEndpoint: 'https://files.example',
    forcePathStyle: true,
  });
  const other = loadConfig({
    ...stores,
    ...needed,
    S3_ENDPOINT,
    S3_FORCE_PATH_STYLE: 'false',
    S3_REGION: 'eu-1',
  }).blobs;
  expect(other).toMatchObject({ forcePathStyle: false, region: 'eu-1' });
});

test.each(Object.keys(needed))('with some of the variables set, requires %s', (name) => {
  const { [name]: _, ...others } = needed as Record<string, string>;
  expect(problemsOf(others)).toEqual([`${name} is required where another S3_ variable is set`]);
});

test('names all missing variables', () => {
  expect(problemsOf({ S3_ENDPOINT: 'http://minio:9000' }).map((problem) => problem.split(' ', 1)[0])).toEqual(
    Object.keys(needed),
  );
});

test.each([
  ['S3_ENDPOINT', 'minio:9000'],
  ['S3_ENDPOINT', 'http://user:tops3cret@minio:9000'],
  ['S3_ENDPOINT', 'http://minio:9000/path'],
  ['S3_PUBLIC_ENDPOINT', 'https://files.example/?tops3cret'],
  ['S3_BUCKET', 'Tops3cret'],
  ['S3_BUCKET', 'a/tops3cret'],
  ['S3_BUCKET', 'ab'],
  ['S3_FORCE_PATH_STYLE', 'tops3cret'],
])('%s may not be %s, and the value is not shown', (name, value) => {
  const problems = problemsOf({ ...needed, [name]: value });
  expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} must `))]);
  expect(problems.join()).not.toMatch(/tops3cret/i);
});

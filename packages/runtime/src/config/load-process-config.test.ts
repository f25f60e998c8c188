import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError } from './config-error.ts';
import { loadProcessConfig } from './load-process-config.ts';

const STORES = { REDIS_URL: 'redis://db', MONGODB_URI: 'mongodb://db/chorus' };

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadProcessConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

test('reports invalid variables, missing files, and a read-only folder together', () => {
  const problems = problemsOf({ ...STORES, PORT: 'x', TESSDATA_PREFIX: '/nowhere/at-all', DATA_DIR: '/proc/none' });
  expect(problems).toEqual([
    expect.stringMatching(/^PORT must/),
    'TESSDATA_PREFIX names no file that can be read',
    expect.stringMatching(/^DATA_DIR can't be written \(ENOENT at \/proc\/none\)/),
  ]);
});

test('creates a missing folder, but only if the process stores something in it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-config-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  expect(problemsOf({ ...STORES, DATA_DIR: join(folder, 'made', 'here') })).toEqual([]);
  const elsewhere = {
    S3_BUCKET: 'bucket',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'secret',
    KNOWLEDGE_INDEX_URL: 's3://bucket/index',
    SECRET_KEY: 'x'.repeat(32),
  };
  expect(problemsOf({ ...STORES, ...elsewhere, DATA_DIR: '/proc/none' })).toEqual([]);
  expect(problemsOf({ ...STORES, ...elsewhere, SECRET_KEY: 'too short' })).toEqual([
    expect.stringMatching(/^SECRET_KEY must have at least 32 characters/),
  ]);
});

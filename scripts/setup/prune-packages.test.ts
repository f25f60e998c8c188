import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { prunePackages } from './prune-packages.mjs';

test('deletes other platforms and source maps, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chorus-prune-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const runtime = 'onnxruntime-node/bin/napi-v6';
  const kept = [
    'typescript/package.json',
    `${runtime}/${process.platform}/${process.arch}/a.node`,
    'zod/index.js',
    'world.map',
  ];
  const dropped = [`${runtime}/amiga/m68k/a.node`, `${runtime}/${process.platform}/m68k/a.node`, 'zod/v4/index.js.map'];
  for (const file of [...kept, ...dropped]) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  prunePackages(folder, { needsTools: true });
  const left = () => [...kept, ...dropped].filter((file) => existsSync(join(folder, file)));
  expect(left()).toEqual(kept);
  prunePackages(folder, { needsTools: false });
  expect(left()).toEqual(kept.slice(1));
});

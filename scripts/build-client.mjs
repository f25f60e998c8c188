// Builds packages/client into a folder that can be published as it is: `npm publish packages/client/dist`.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../packages/client/', import.meta.url));
const target = resolve(process.argv[2] ?? join(folder, 'dist'));

rmSync(target, { recursive: true, force: true });
const tsc = fileURLToPath(new URL('../node_modules/typescript-native/bin/tsc', import.meta.url));
execFileSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.build.json'), '--outDir', target], {
  stdio: 'inherit',
});

const { name, version, license, type, dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const manifest = {
  name,
  version,
  description: 'The client of Chorus: chat, voice, images, videos, OCR and your own documents, typed.',
  license,
  type,
  sideEffects: false,
  exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
  types: './index.d.ts',
  files: ['**/*.js', '**/*.d.ts'],
  engines: { node: '>=20' },
  dependencies,
};
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
for (const file of ['README.md', 'LICENSE']) copyFileSync(join(folder, file), join(target, file));

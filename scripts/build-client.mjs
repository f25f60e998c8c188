// Builds a folder for `npm publish packages/client/dist`.
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

// `exports` points to the sources there; `private` and `devDependencies` are for the workspace.
const {
  private: _,
  exports: __,
  devDependencies: ___,
  ...published
} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const NAME = '@chorus-platform/client';
const manifest = {
  ...published,
  name: NAME,
  exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
  types: './index.d.ts',
  files: ['**/*.js', '**/*.d.ts'],
  publishConfig: { access: 'public', provenance: true },
};
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
const readme = readFileSync(join(folder, 'README.md'), 'utf8');
writeFileSync(join(target, 'README.md'), readme.replaceAll('@chorus/client', NAME));
copyFileSync(fileURLToPath(new URL('../LICENSE', import.meta.url)), join(target, 'LICENSE'));

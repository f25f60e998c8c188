import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { root } from './setup/project.mjs';

const folder = join(root, 'deploy/systemd');
const units = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

test('units start programs that exist, and are documented', () => {
  const workers = readdirSync(join(root, 'workers'));
  const page = readFileSync(join(root, 'docs/deploy.md'), 'utf8');
  for (const { name, text } of units) {
    const program = /^ExecStart=\/usr\/bin\/node (\S+)$/m.exec(text)?.[1] ?? '';
    const programs = program.includes('%i') ? workers.map((pool) => program.replace('%i', pool)) : [program];
    for (const one of programs) expect([name, one, existsSync(join(root, one))]).toEqual([name, one, true]);
    expect(page).toContain(name);
  }
});

const ANALYZE = '/usr/bin/systemd-analyze';

test.skipIf(!existsSync(ANALYZE))('systemd accepts the units', async () => {
  const made = mkdtempSync(join(tmpdir(), 'chorus-units-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  const paths = units.map(({ name, text }) => {
    const path = join(made, name.replace('@', '@text'));
    // With a user, a program, and folders of this machine.
    const here = text
      .replace('/usr/bin/node', process.execPath)
      .replaceAll('/opt/chorus', root)
      .replace(/^User=.*/m, `User=${userInfo().username}`)
      .replace(/^EnvironmentFile=.*/m, '');
    writeFileSync(path, here);
    return path;
  });
  const { stderr } = await promisify(execFile)(ANALYZE, ['verify', '--man=no', ...paths]);
  expect(stderr).toBe('');
});

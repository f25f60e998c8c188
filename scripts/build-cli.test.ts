import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '../apps/api/src/test-server.ts';
import { root } from './setup/project.mjs';

const folder = mkdtempSync(join(tmpdir(), 'chorus-build-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the packed command runs where nothing else is installed', { timeout: 300_000 }, async () => {
  const server = await startTestServer();
  try {
    const built = join(folder, 'built');
    execFileSync(process.execPath, [join(root, 'scripts/build-cli.mjs'), built]);
    const npm = (...args: string[]) => execFileSync('npm', args, { cwd: folder, encoding: 'utf8' });
    const [{ filename, size }] = JSON.parse(npm('pack', '--json', built)) as [{ filename: string; size: number }];
    expect(size).toBeLessThan(1_000_000);
    npm('install', '--offline', '--no-audit', '--no-fund', `./${filename}`);
    const program = join(folder, 'node_modules/.bin/chorus');
    expect(statSync(program).mode & 0o111).not.toBe(0);
    const env = { PATH: process.env.PATH, HOME: folder, CHORUS_URL: server.url };
    const chorus = async (input: string, ...args: string[]) => {
      const running = promisify(execFile)(process.execPath, [program, ...args], { env });
      running.child.stdin?.end(input);
      return (await running).stdout;
    };
    const { email, password } = server.login;
    expect(await chorus(`${email}\n${password}\n`, 'login')).toContain(`Logged in to ${server.url}`);
    expect(await chorus('', 'chat', 'count 3')).toBe('1 2 3\n');
  } finally {
    await server.stop();
  }
});

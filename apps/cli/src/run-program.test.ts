import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { CHORUS } from './commands/index.ts';
import { commandLine } from './test-command-line.ts';

const { run } = commandLine('/', {});
const admin = commandLine('/', {}, 'admin').run;

test('prints the version, the commands, and the help of a command', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, out: `${manifest.version}\n`, errors: '' });
  const [list, ...others] = await Promise.all([run(['help']), run(['--help']), run(['-h'])]);
  for (const other of others) expect(other).toEqual(list);
  for (const name of Object.keys(CHORUS.commands)) expect(list.out).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  const [one, same] = await Promise.all([run(['help', 'image']), run(['image', '--help'])]);
  expect(one).toEqual(same);
  expect(one).toMatchObject({ code: 0, out: expect.stringMatching(/^Usage: chorus image <prompt>.*--seed/s) });
  expect(await run([])).toMatchObject({ code: 2, out: '', errors: list.out });
});

test.each([
  [['imge'], 'Unknown command "imge". Did you mean chorus image?'],
  [['frobnicate'], 'Unknown command "frobnicate". Run chorus help for a list.'],
  [['constructor'], 'Unknown command "constructor".'],
  [['image', 'x', '--sed', '3'], "Unknown option '--sed'. Did you mean --seed?"],
  [['documents', 'lst'], 'Unknown action "lst". Did you mean list?'],
  [['documents'], 'Specify an action: list, get, retry, delete.'],
  [['documents', 'get'], 'Use documents get <id>.'],
  [['webhooks', 'rotate', 'now'], 'webhooks rotate takes no arguments.'],
  [['user', 'add'], '"user" is for operators, on the platform\'s machine: npm run admin -- user'],
  [['models', '--profile', '../x'], '"../x" is not a profile name'],
])('%j: %s', async (args, message) => {
  const ran = await run(args);
  expect([ran.code, ran.out]).toEqual([2, '']);
  expect(ran.errors).toContain(message);
});

test('every command of operators is redirected, and has help', async () => {
  const { out } = await admin(['help']);
  const names = Array.from(out.matchAll(/^ {2}(\S+)/gm), ([, name]) => name as string);
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) {
    expect(CHORUS.redirect?.(name)).toContain(`npm run admin -- ${name}`);
    expect((await admin(['help', name])).out).toContain(`Usage: npm run admin -- ${name}`);
  }
});

test('completes commands, actions, and options in bash', async () => {
  const script = (await run(['completion', 'bash'])).out;
  const complete = async (...words: string[]) => {
    const asked = `COMP_WORDS=(chorus ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _chorus; echo "\${COMPREPLY[@]}"`;
    return (await promisify(execFile)('bash', ['-c', `${script}\n${asked}`])).stdout.trim().split(' ');
  };
  expect(await complete('vo')).toEqual(['voice']);
  expect(await complete('jobs', 'a')).toEqual(['actions', 'approve']);
  expect(await complete('image', 'a cat', '--se')).toEqual(['--seed']);
  expect(await complete('help', 'docu')).toEqual(['documents']);
  expect((await run(['completion', 'fish'])).out).toContain("-n '__fish_seen_subcommand_from jobs' -a 'list get");
  expect((await run(['completion', 'zsh'])).out).toContain('compdef _chorus chorus');
});

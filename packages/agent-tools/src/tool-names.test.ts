import { expect, test } from 'vitest';
import type { AgentTool } from './agent-tool.ts';
import { nameTools, slugOf } from './tool-names.ts';

const tool = (name: string): AgentTool => ({
  name,
  origin: { type: 'mcp' },
  description: '',
  parameters: { type: 'object' },
  effect: 'read',
  binding: name,
  run: async () => ({ text: name }),
});

const namesOf = (...tools: [slug: string | null, name: string][]) =>
  nameTools(tools.map(([slug, name]) => ({ slug, tool: tool(name) }))).map(({ name }) => name);

test.each<[[string | null, string][], string[]]>([
  [
    [
      ['a', 'x'],
      ['b', 'y'],
    ],
    ['x', 'y'],
  ],
  [
    [
      ['a', 'x'],
      ['b', 'x'],
    ],
    ['a_x', 'b_x'],
  ],
  [
    [
      ['a', 'web_fetch'],
      [null, 'web_fetch'],
    ],
    ['a_web_fetch', 'web_fetch'],
  ],
  [
    [
      ['a', 'x'],
      ['a', 'x'],
    ],
    ['a_x', 'a_x_2'],
  ],
  [
    [
      ['a', 'x'],
      ['a', 'x'],
      ['b', 'a_x'],
    ],
    ['a_x', 'a_x_2', 'a_x_3'],
  ],
  [
    [
      ['a', '☃'],
      ['b', 'ü.y z'],
    ],
    ['tool', '_y_z'],
  ],
])('names of %j', (tools, expected) => {
  expect(namesOf(...tools)).toEqual(expected);
});

test('long names stay distinct and valid', () => {
  const names = namesOf(['a', `${'x'.repeat(90)}1`], ['a', `${'x'.repeat(90)}2`]);
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{64}$/);
});

test('a renamed tool still runs', async () => {
  const [first] = nameTools([
    { slug: 'a', tool: tool('x') },
    { slug: 'b', tool: tool('x') },
  ]);
  const { signal } = new AbortController();
  const owner = { scope: 'personal', user_id: 'usr_1', workspace_id: null } as const;
  expect(await first?.run({}, { owner, executionId: 'job_1', callId: '1', signal })).toEqual({ text: 'x' });
});

test.each([
  ['My Shop!', 'my_shop'],
  ['Köln', 'koln'],
  ['☃', 'server'],
])('the slug of %s is %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

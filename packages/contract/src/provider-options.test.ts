import { expect, test } from 'vitest';
import { chatSettings } from './chat.ts';

const issues = (provider_options: object) =>
  chatSettings.safeParse({ provider_options }).error?.issues.map(({ path, message }) => [path.join('.'), message]) ??
  [];

test('accepts the options of providers, and any extra field of a compatible server', () => {
  const own = { openai: { prompt_cache_key: 'a', reasoningSummary: 'auto' }, anthropic: { thinking: {} } };
  expect(issues({ ...own, compatible: { top_k: 5, guided_json: {} } })).toEqual([]);
});

test.each([
  ['openai', { store: true }],
  ['openai', { previousResponseId: 'resp_1' }],
  ['anthropic', { mcpServers: [] }],
  ['google', { cachedContent: 'x' }],
])('refuses options of %s such as %j, and names those allowed', (provider, options) => {
  const [name = ''] = Object.keys(options);
  expect(issues({ [provider]: options })).toEqual([
    [`provider_options.${provider}.${name}`, expect.stringMatching(/^must not be set here; allowed: \w+/)],
  ]);
});

test('extra fields of a compatible server cannot replace other fields', () => {
  for (const name of ['model', 'messages', 'stream', 'tools', 'temperature', 'maxTokens'])
    expect(issues({ compatible: { [name]: 1 } })).toEqual([
      [`provider_options.compatible.${name}`, 'must not be set here'],
    ]);
});

test('refuses unknown providers', () => {
  expect(issues({ unknown: {} })).toEqual([
    ['provider_options.unknown', expect.stringContaining('must be one of: compatible, openai')],
  ]);
});

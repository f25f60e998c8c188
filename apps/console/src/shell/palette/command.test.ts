import { expect, test } from 'vitest';
import { matches } from './command.ts';

test('finds commands by the beginnings of words, in any order', () => {
  const command = { label: 'API keys', hint: 'Settings' };
  const queries = ['', 'key', 'sett api', 'API KEYS', 'pi', 'keys jobs'];
  expect(queries.map((query) => matches(query, command))).toEqual([true, true, true, true, false, false]);
});

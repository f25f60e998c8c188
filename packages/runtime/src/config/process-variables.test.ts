import { readdirSync } from 'node:fs';
import { PROVIDERS } from '@chorus/contract';
import { expect, test } from 'vitest';
import { PROCESS_NAMES, variablesOf } from './process-variables.ts';

const SECRET = /(KEY|SECRET|PASSWORD|TOKEN)(_ID|_FILE)?$/;
/** Every process stores and reads files. */
const BUCKET = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];

test('every process has exactly one row', () => {
  const workers = readdirSync(new URL('../../../../workers', import.meta.url)).map((pool) => `worker-${pool}`);
  expect([...PROCESS_NAMES].sort()).toEqual(['api', 'background', 'maintenance', 'voice', ...workers].sort());
});

test('passes secrets only to processes that use them', () => {
  const users = new Map<string, string[]>();
  for (const name of PROCESS_NAMES)
    for (const variable of variablesOf(name).filter((one) => SECRET.test(one) && !BUCKET.includes(one)))
      users.set(variable, [...(users.get(variable) ?? []), name]);
  const everywhere = [...users].flatMap(([variable, names]) => (names.length < PROCESS_NAMES.length ? [] : variable));
  expect(everywhere.sort()).toEqual(['SECRET_KEY', 'SECRET_KEY_FILE']);
  expect(users.get('ADMIN_PASSWORD')).toEqual(['api']);
  expect(users.get('FAL_API_KEY')).toEqual(['worker-media', 'background']);
  expect(users.get('ELEVENLABS_API_KEY')).toEqual(['api', 'voice', 'worker-knowledge', 'worker-voice', 'background']);
  for (const provider of PROVIDERS.filter((one) => one !== 'embedded'))
    expect([provider, users.has(`${provider.toUpperCase()}_API_KEY`)]).toEqual([provider, true]);
});

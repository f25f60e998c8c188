import { newId } from '@chorus/contract';
import { expect, test } from 'vitest';
import { AssetUrls } from './asset-urls.ts';

const NOW = 1_790_000_000_000;
const id = newId('asset');
const urls = new AssetUrls({ secret: 'a secret', baseUrl: 'https://chorus.example', ttlS: 3_600 });

const given = (address: string) =>
  Object.fromEntries(new URL(address).searchParams) as { expires: string; signature: string };

test('a URL is valid for its asset, variant, and lifetime only', () => {
  const address = urls.sign(id, 'content', NOW);
  expect(address).toMatch(
    new RegExp(`^https://chorus\\.example/api/v1/assets/${id}/content\\?expires=\\d+&signature=[\\w-]{43}$`),
  );
  const { expires, signature } = given(address);
  const left = urls.check(id, 'content', { expires, signature }, NOW) ?? 0;
  expect(left).toBeGreaterThan(2_699);
  expect(left).toBeLessThanOrEqual(3_600);

  const other = new AssetUrls({ secret: 'another', baseUrl: '', ttlS: 3_600 });
  expect(other.check(id, 'content', { expires, signature }, NOW)).toBeNull();
  expect(urls.check(newId('asset'), 'content', { expires, signature }, NOW)).toBeNull();
  expect(urls.check(id, 'thumbnail', { expires, signature }, NOW)).toBeNull();
  expect(urls.check(id, 'content', { expires: String(Number(expires) + 1), signature }, NOW)).toBeNull();
  expect(urls.check(id, 'content', { expires, signature }, NOW + 3_600_000)).toBeNull();
});

test.each([
  [undefined, undefined],
  ['', ''],
  ['1e9', 'x'],
  ['-1', 'x'],
  ['99999999999999999999', 'x'],
  [['1'], ['x']],
  ['1799999999', 'é'.repeat(43)],
])('rejects a malformed signature: %j %j', (expires, signature) => {
  expect(urls.check(id, 'content', { expires, signature }, NOW)).toBeNull();
});

test('a URL stays the same for a while, so that browsers can cache it', () => {
  const minutes = Array.from({ length: 15 }, (_, minute) => urls.sign(id, 'content', NOW + minute * 60_000));
  expect(new Set(minutes).size).toBeLessThanOrEqual(2);
  expect(urls.sign(id, 'content', NOW + 3_600_000)).not.toBe(minutes[0]);
});

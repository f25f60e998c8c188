import { expect, test } from 'vitest';
import { parseClusterUrl, parseSentinelUrl } from './redis-url.ts';

const noLogin = { username: null, password: null };

test('reads all parts of the address of a primary behind sentinels', () => {
  expect(parseSentinelUrl('redis+sentinel://one:5000/main')).toEqual({
    ...noLogin,
    tls: false,
    sentinels: [{ host: 'one', port: 5000 }],
    name: 'main',
    db: 0,
    sentinelUsername: null,
    sentinelPassword: null,
  });
  const all =
    'rediss+sentinel://me:p%40s%3As@one,two:5001,[::1]:5002/main/3?sentinel_username=us&sentinel_password=p%26s';
  expect(parseSentinelUrl(all)).toEqual({
    username: 'me',
    password: 'p@s:s',
    tls: true,
    sentinels: [
      { host: 'one', port: 26_379 },
      { host: 'two', port: 5001 },
      { host: '::1', port: 5002 },
    ],
    name: 'main',
    db: 3,
    sentinelUsername: 'us',
    sentinelPassword: 'p&s',
  });
  expect(parseSentinelUrl('redis+sentinel://:secret@one/main')).toMatchObject({ username: null, password: 'secret' });
});

test("the nodes of a cluster share the first one's login", () => {
  expect(parseClusterUrl('redis://one')).toEqual({ ...noLogin, tls: false, nodes: [{ host: 'one', port: 6_379 }] });
  expect(parseClusterUrl('rediss://me:p%40s@one:7000, rediss://[::1]:7001')).toEqual({
    username: 'me',
    password: 'p@s',
    tls: true,
    nodes: [
      { host: 'one', port: 7000 },
      { host: '::1', port: 7001 },
    ],
  });
});

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { socketPaths } from './socket-paths.ts';

const folder = join(tmpdir(), 'chorus-1000-0123456789ab');
const uriOf = (socket: string, user = '') => `mongodb://${user}${encodeURIComponent(socket)}/chorus?authSource=x`;

test.each([
  ['redis://127.0.0.1:6379/1', 'mongodb://user:a%2Fb@127.0.0.1:27017/chorus', []],
  [`unix://${folder}/redis.sock`, uriOf(`${folder}/store.sock`), [folder, folder]],
  ['unix:///run/redis/redis.sock?db=1', uriOf('/run/store/store.sock', 'user:pw@'), ['/run/redis', '/run/store']],
  // The folder of temporary files has those that children read.
  [`unix://${tmpdir()}/redis.sock`, uriOf('/store.sock'), [join(tmpdir(), 'redis.sock'), '/store.sock']],
])('%s and %s', (redis, mongodb, hidden) => {
  expect(socketPaths(redis, mongodb)).toEqual(hidden);
});

import { expect, test } from 'vitest';
import { publicAddress } from './public-address.ts';

test.each([
  ['redis://:pa/ss@w,ord@db.example:6379/1', 'db.example:6379'],
  ['rediss://one:1,rediss://two:2', 'one:1,two:2'],
  ['redis+sentinel://u:p@a:1,b:2/primary/0?sentinel_password=geheim@x', 'a:1,b:2'],
  ['unix:///run/redis.sock', '/run/redis.sock'],
  ['mongodb://u:p@one:27017,two/chorus?authSource=x', 'one:27017,two'],
  ['mongodb://%2Frun%2Fstore.sock/chorus', '/run/store.sock'],
  ['mongodb+srv://u:p@cluster.example/x', 'cluster.example'],
])('omits login and options of %s', (url, address) => {
  expect(publicAddress(url)).toBe(address);
});

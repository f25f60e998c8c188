import { expect, test } from 'vitest';
import { withDatabase } from './given-store.ts';

test.each([
  ['mongodb://db', 'mongodb://db/fresh'],
  ['mongodb://db:27017/', 'mongodb://db:27017/fresh'],
  ['mongodb://one,two:27018/chorus?replicaSet=rs', 'mongodb://one,two:27018/fresh?replicaSet=rs'],
  ['mongodb://%2Frun%2Fstore.sock/chorus', 'mongodb://%2Frun%2Fstore.sock/fresh'],
  ['mongodb://me:p%40s@db/chorus', 'mongodb://me:p%40s@db/fresh?authSource=chorus'],
  ['mongodb+srv://me:pass@db.example/?tls=true', 'mongodb+srv://me:pass@db.example/fresh?tls=true&authSource=admin'],
  ['mongodb://me:pass@db/chorus?authSource=admin', 'mongodb://me:pass@db/fresh?authSource=admin'],
])('%s with another database is %s', (uri, expected) => {
  expect(withDatabase(uri, 'fresh')).toBe(expected);
});

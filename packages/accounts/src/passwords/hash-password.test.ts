import { hash } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './hash-password.ts';

const [composed, decomposed] = ['Gr\u00fc\u00dfe an J\u00fcrgen', 'Gru\u0308\u00dfe an Ju\u0308rgen'];

test('a password is the same in both forms of Unicode', async () => {
  for (const stored of [await hashPassword(composed), await hashPassword(decomposed)])
    for (const typed of [composed, decomposed]) expect(await verifyPassword(stored, typed)).toBe(true);
  expect(await verifyPassword(await hashPassword(composed), 'Grusse an Jurgen')).toBe(false);
});

test('older hashes still match the password as it was typed', async () => {
  expect(await verifyPassword(await hash(decomposed), decomposed)).toBe(true);
  expect(await verifyPassword(null, decomposed)).toBe(false);
});

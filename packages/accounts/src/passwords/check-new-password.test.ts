import { expect, it } from 'vitest';
import { weaknessOf } from './check-new-password.ts';

const EMAIL = 'grace.hopper@example.org';

it('refuses the most common passwords in any spelling', async () => {
  for (const password of ['password', 'Password1', 'QWERTYUIOP', 'iloveyou', 'trustno1', 'password123', ' 12345678 '])
    expect([password, await weaknessOf(password, EMAIL)]).toEqual([password, expect.stringContaining('most common')]);
});

it("refuses blanks, the account's email address and one repeated character", async () => {
  for (const [password, why] of [
    ['          ', 'blank'],
    ['\u00a0\t\n\u2003    ', 'blank'],
    [EMAIL, 'email'],
    ['Grace.Hopper@Example.org', 'email'],
    ['GRACE.HOPPER', 'email'],
    ['88888888', 'repeated'],
    ['🙂🙂🙂🙂🙂🙂🙂🙂', 'repeated'],
  ] as const)
    expect([password, await weaknessOf(password, EMAIL)]).toEqual([password, expect.stringContaining(why)]);
});

it('accepts others', async () => {
  for (const password of ['correct horse battery', '7d3kq-0xz4m-9hw2n', 'a password of Ada', 'password of mine'])
    expect([password, await weaknessOf(password, EMAIL)]).toEqual([password, null]);
});

import { randomUUID } from 'node:crypto';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeOf, freshAddress, PASSWORD, startAccounts, type TestAccounts } from '../test-accounts.ts';

let test: TestAccounts;
beforeAll(async () => {
  test = await startAccounts();
});
afterAll(() => test?.stop());

it('refuses a setup that has expired or was restarted', async () => {
  const { accounts } = test;
  const user = await test.freshUser();
  const actor = { user_id: user.id, key_id: null, address: freshAddress(), request_id: null };
  const first = await accounts.totp.begin(actor, user, PASSWORD);
  const second = await accounts.totp.begin(actor, user, PASSWORD);
  expect(await codeOf(accounts.totp.confirm(actor, user, generateSync({ secret: first.secret })))).toBe(
    'invalid_totp_code',
  );
  await test.database.totp.begin(user.id, { secret: second.secret, created_at: new Date(Date.now() - 16 * 60_000) });
  expect(await codeOf(accounts.totp.confirm(actor, user, generateSync({ secret: second.secret })))).toBe('not_found');
  expect(await accounts.totp.isEnabled(user.id)).toBe(false);
  expect(await accounts.totp.isEnabled(randomUUID())).toBe(false);
});

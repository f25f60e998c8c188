import { randomUUID } from 'node:crypto';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeOf, freshAddress, PASSWORD, startAccounts, type TestAccounts } from '../test-accounts.ts';
import type { SecretBox } from './secret-box.ts';

let test: TestAccounts;
beforeAll(async () => {
  test = await startAccounts();
});
afterAll(() => test?.stop());

it('stores the secret sealed for its user, and opens it for them only', async () => {
  const contexts = new Set<string>();
  const secretBox: SecretBox = {
    seal: (context, text) => {
      contexts.add(context);
      return Buffer.from(`${context} ${text}`).toString('base64');
    },
    open: (context, sealed) => {
      const [found, text = ''] = Buffer.from(sealed, 'base64').toString().split(' ');
      if (found !== context) throw new Error('it belongs to another record');
      return text;
    },
  };
  const accounts = await test.start({}, { secretBox });
  const [user, other] = [await test.freshUser(), await test.freshUser()];
  const actor = { user_id: user.id, key_id: null, address: freshAddress(), request_id: null };
  const { secret } = await accounts.totp.begin(actor, user, PASSWORD);
  await accounts.totp.confirm(actor, user, generateSync({ secret }));
  expect([...contexts]).toEqual([`totp_factors/${user.id}/secret`]);
  const stored = await test.database.totp.get(user.id);
  expect(JSON.stringify(stored)).not.toContain(secret);

  // The factor of another user, moved.
  await test.database.totp.begin(other.id, { secret: String(stored?.secret), created_at: new Date() });
  await expect(accounts.totp.confirm(actor, other, generateSync({ secret }))).rejects.toThrow('another record');
});

it('refuses a setup that has taken too long, or was begun again', async () => {
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

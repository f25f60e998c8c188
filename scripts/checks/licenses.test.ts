import { expect, test } from 'vitest';
import { checkLicenses } from './licenses.ts';

const packageOf = (license?: string) => ({
  'node_modules/a/node_modules/@b/c': { version: '1.0.0', ...(license && { license }) },
});

test.each(['MIT', '(MIT OR GPL-3.0-or-later)', 'MIT AND ISC'])('%s may be used', async (license) => {
  expect(await checkLicenses(packageOf(license))).toEqual({ ok: true, output: '' });
});

test.each(['GPL-3.0-only', 'AGPL-3.0', 'MPL-2.0', 'MIT AND GPL-2.0', undefined])(
  '%s may not be used',
  async (license) => {
    const { ok, output } = await checkLicenses(packageOf(license));
    expect([ok, output]).toEqual([false, expect.stringContaining(`@b/c 1.0.0: ${license ?? 'no license'}`)]);
  },
);

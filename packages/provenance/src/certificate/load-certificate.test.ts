import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@chorus/runtime/config';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IssuedCertificates, issueCertificates } from './issue-certificates.ts';
import { loadCertificate } from './load-certificate.ts';

let folder: string;
let issued: IssuedCertificates;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-certificate-'));
  issued = issueCertificates();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function load(certificate: string, privateKey: string) {
  const [certificateFile, privateKeyFile] = [join(folder, 'chain.pem'), join(folder, 'key.pem')];
  await Promise.all([writeFile(certificateFile, certificate), writeFile(privateKeyFile, privateKey)]);
  return loadCertificate({ certificateFile, privateKeyFile });
}

async function problemOf(certificate: string, privateKey: string): Promise<string> {
  const error = await load(certificate, privateKey).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error('the key was accepted', { cause: error });
  return error.problems.join();
}

test.each([
  ['es256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ['es384', () => generateKeyPairSync('ec', { namedCurve: 'P-384' })],
  ['ps256', () => generateKeyPairSync('rsa', { modulusLength: 2_048 })],
  ['ed25519', () => generateKeyPairSync('ed25519')],
])('signs with a user certificate and %s', async (algorithm, leafKeys) => {
  const { chain, privateKey, authority } = issueCertificates({ leafKeys: leafKeys() });
  // A self-signed authority in the file is left out of the chain.
  const identity = await load(`${chain}${authority}`, privateKey);
  expect(identity).toEqual({ chain, privateKey, algorithm });
});

test('rejects unusable certificates with the name of the variable', async () => {
  const { chain, privateKey, authority } = issued;
  const other = issueCertificates();
  const old = issueCertificates({ now: new Date('1990-01-01') });
  const web = issueCertificates({ purpose: '1.3.6.1.5.5.7.3.1' });
  expect(await problemOf('', privateKey)).toBe('C2PA_CERTIFICATE_FILE has no certificate in PEM form');
  expect(await problemOf(chain.replace(/M/g, 'N'), privateKey)).toMatch(
    /^C2PA_CERTIFICATE_FILE has a damaged certificate/,
  );
  expect(await problemOf(chain, 'none')).toMatch(/^C2PA_PRIVATE_KEY_FILE has no unencrypted private key/);
  expect(await problemOf(chain, other.privateKey)).toMatch(/^C2PA_PRIVATE_KEY_FILE is not the key/);
  expect(await problemOf(old.chain, old.privateKey)).toBe('C2PA_CERTIFICATE_FILE is expired or not valid yet');
  expect(await problemOf(web.chain, web.privateKey)).toMatch(/^C2PA_CERTIFICATE_FILE must be for email protection/);
  expect(await problemOf(authority + chain, privateKey)).toMatch(/^C2PA_PRIVATE_KEY_FILE is not the key/);
  const files = { certificateFile: join(folder, 'absent'), privateKeyFile: join(folder, 'absent') };
  await expect(loadCertificate(files)).rejects.toThrow(ConfigError);
});

test('finds certificates that the library rejects by a trial signature', async () => {
  // An RSA key too short for C2PA.
  const short = issueCertificates({ leafKeys: generateKeyPairSync('rsa', { modulusLength: 1_024 }) });
  expect(await problemOf(short.chain, short.privateKey)).toMatch(/^C2PA_CERTIFICATE_FILE can't sign: /);
});

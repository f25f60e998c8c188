import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@chorus/config';
import { C2paFailure, C2paProcess, MEMORY_BYTES } from '../c2pa-process.ts';
import type { SigningAlgorithm, SigningIdentity } from '../c2pa-protocol.ts';
import { manifestOf } from '../manifest.ts';

const CERTIFICATE = 'C2PA_CERTIFICATE_FILE';
const PRIVATE_KEY = 'C2PA_PRIVATE_KEY_FILE';

const MAX_FILE_BYTES = 1_000_000;

const TRIAL_MS = 30_000;

/** One grey pixel. */
const SMALLEST_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVQImWPo6OgAAAM0AZmUse0HAAAAAElFTkSuQmCC',
  'base64',
);

/** What C2PA lets a certificate be for: e-mail protection, document signing, claim signing. */
const PURPOSES = ['1.3.6.1.5.5.7.3.4', '1.3.6.1.5.5.7.3.36', '1.3.6.1.4.1.62558.2.1'];

const ALGORITHMS: Record<string, SigningAlgorithm> = { rsa: 'ps256', 'rsa-pss': 'ps256', ed25519: 'ed25519' };
const CURVES: Record<string, SigningAlgorithm> = { prime256v1: 'es256', secp384r1: 'es384', secp521r1: 'es512' };

/**
 * The certificate that the user brings: PEM files, the chain with the certificate of the key first.
 *
 * @throws {ConfigError} where it can't sign; names the variable, never what is in the files
 */
export async function loadCertificate(files: {
  certificateFile: string;
  privateKeyFile: string;
}): Promise<SigningIdentity> {
  const chain = certificatesIn(await readText(CERTIFICATE, files.certificateFile));
  const [leaf] = chain;
  if (leaf === undefined) throw wrong(CERTIFICATE, 'has no certificate in PEM form');
  const privateKey = keyIn(await readText(PRIVATE_KEY, files.privateKeyFile));
  if (!leaf.checkPrivateKey(privateKey)) throw wrong(PRIVATE_KEY, 'is not the key of the first certificate');
  const now = new Date();
  if (leaf.validFromDate > now || leaf.validToDate < now) throw wrong(CERTIFICATE, 'is not valid at this time');
  // A certificate that signed itself is refused by whoever reads it; the library refuses it too.
  if (leaf.ca || leaf.checkIssued(leaf))
    throw wrong(CERTIFICATE, 'begins with an authority, not with a certificate that may sign');
  if (!leaf.keyUsage?.some((purpose) => PURPOSES.includes(purpose)))
    throw wrong(CERTIFICATE, 'must be for e-mail protection, document signing or C2PA claim signing');
  const above = chain.slice(1).filter((certificate) => !certificate.checkIssued(certificate));
  const identity: SigningIdentity = {
    chain: [leaf, ...above].map(String).join(''),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    algorithm: algorithmOf(privateKey),
  };
  await tryIt(identity);
  return identity;
}

/** Signs a small picture: what else the library may have against a certificate shows here, not with the first picture of a user. */
async function tryIt(identity: SigningIdentity): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-sign-'));
  const signing = new C2paProcess({ memoryBytes: MEMORY_BYTES });
  try {
    const [path, output] = [join(folder, 'given'), join(folder, 'signed')];
    await writeFile(path, SMALLEST_PNG);
    const facts = {
      execution_id: 'none',
      model: 'none',
      created_at: new Date(),
      procedural: true,
      perceptual_hash: null,
    };
    const manifest = manifestOf({ ...facts, mime: 'image/png' }, '0');
    await signing.ask({ type: 'sign', path, output, mime: 'image/png', identity, manifest }, TRIAL_MS);
  } catch (error) {
    if (!(error instanceof C2paFailure)) throw error;
    throw wrong(CERTIFICATE, `can't sign: ${error.message}`);
  } finally {
    signing.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function certificatesIn(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    throw wrong(CERTIFICATE, 'has a certificate that is damaged');
  }
}

function keyIn(text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    throw wrong(PRIVATE_KEY, 'has no private key in PEM form that can be read without a password');
  }
}

function algorithmOf(key: KeyObject): SigningAlgorithm {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  const algorithm = ALGORITHMS[key.asymmetricKeyType ?? ''] ?? CURVES[curve ?? ''];
  if (algorithm === undefined)
    throw wrong(PRIVATE_KEY, 'must be RSA, Ed25519, or of the curves P-256, P-384 and P-521');
  return algorithm;
}

async function readText(variable: string, path: string): Promise<string> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_FILE_BYTES), 0, MAX_FILE_BYTES, 0);
      return buffer.toString('latin1', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    throw wrong(variable, 'names no file that can be read');
  }
}

const wrong = (variable: string, what: string) => new ConfigError([`${variable} ${what}`]);

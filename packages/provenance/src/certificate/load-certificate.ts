import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@chorus/runtime/config';
import { C2paFailure, C2paProcess, MEMORY_BYTES } from '../c2pa-process.ts';
import type { SigningAlgorithm, SigningIdentity } from '../c2pa-protocol.ts';
import { manifestOf } from '../manifest.ts';

const CERTIFICATE = 'C2PA_CERTIFICATE_FILE';
const PRIVATE_KEY = 'C2PA_PRIVATE_KEY_FILE';

const MAX_FILE_BYTES = 1_000_000;

const TRIAL_MS = 30_000;

const SMALLEST_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVQImWPo6OgAAAM0AZmUse0HAAAAAElFTkSuQmCC',
  'base64',
);

/** Purposes that C2PA accepts: email protection, document signing, claim signing. */
const PURPOSES = ['1.3.6.1.5.5.7.3.4', '1.3.6.1.5.5.7.3.36', '1.3.6.1.4.1.62558.2.1'];

const ALGORITHMS: Record<string, SigningAlgorithm> = { rsa: 'ps256', 'rsa-pss': 'ps256', ed25519: 'ed25519' };
const CURVES: Record<string, SigningAlgorithm> = { prime256v1: 'es256', secp384r1: 'es384', secp521r1: 'es512' };

/**
 * Loads the user's certificate from PEM files, with the signing certificate first in the chain.
 *
 * @throws {ConfigError} if it cannot sign; names the variable, never file contents
 */
export async function loadCertificate(files: {
  certificateFile: string;
  privateKeyFile: string;
}): Promise<SigningIdentity> {
  const chain = certificatesIn(await readText(CERTIFICATE, files.certificateFile));
  const [leaf] = chain;
  if (leaf === undefined) throw invalid(CERTIFICATE, 'has no certificate in PEM form');
  const privateKey = keyIn(await readText(PRIVATE_KEY, files.privateKeyFile));
  if (!leaf.checkPrivateKey(privateKey)) throw invalid(PRIVATE_KEY, 'is not the key of the first certificate');
  const now = new Date();
  if (leaf.validFromDate > now || leaf.validToDate < now) throw invalid(CERTIFICATE, 'is expired or not valid yet');
  // Verifiers and the library reject self-signed certificates.
  if (leaf.ca || leaf.checkIssued(leaf))
    throw invalid(
      CERTIFICATE,
      'begins with an authority or a self-signed certificate; put the signing certificate first',
    );
  if (!leaf.keyUsage?.some((purpose) => PURPOSES.includes(purpose)))
    throw invalid(CERTIFICATE, 'must be for email protection, document signing, or C2PA claim signing');
  const above = chain.slice(1).filter((certificate) => !certificate.checkIssued(certificate));
  const identity: SigningIdentity = {
    chain: [leaf, ...above].map(String).join(''),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    algorithm: algorithmOf(privateKey),
  };
  await signTestImage(identity);
  return identity;
}

/** Signs a small image, to detect other objections of the library at startup. */
async function signTestImage(identity: SigningIdentity): Promise<void> {
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
    throw invalid(CERTIFICATE, `can't sign: ${error.message}`);
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
    throw invalid(CERTIFICATE, 'has a damaged certificate');
  }
}

function keyIn(text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    throw invalid(PRIVATE_KEY, 'has no unencrypted private key in PEM form');
  }
}

function algorithmOf(key: KeyObject): SigningAlgorithm {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  const algorithm = ALGORITHMS[key.asymmetricKeyType ?? ''] ?? CURVES[curve ?? ''];
  if (algorithm === undefined)
    throw invalid(PRIVATE_KEY, 'must be RSA, Ed25519, or an EC key of curve P-256, P-384, or P-521');
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
    throw invalid(variable, 'is not a readable file');
  }
}

const invalid = (variable: string, what: string) => new ConfigError([`${variable} ${what}`]);

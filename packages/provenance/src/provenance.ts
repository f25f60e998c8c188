import { createHash, X509Certificate } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Database } from '@chorus/database';
import { missingComponents, requireComponent } from '@chorus/runtime/components';
import type { Config } from '@chorus/runtime/config';
import type { Logger } from '@chorus/runtime/log';
import packageJson from '../package.json' with { type: 'json' };
import { C2paFailure, C2paProcess, MEMORY_BYTES } from './c2pa-process.ts';
import type { OwnSigners, SigningIdentity } from './c2pa-protocol.ts';
import { type IssuedCertificates, issueCertificates } from './certificate/issue-certificates.ts';
import { loadCertificate } from './certificate/load-certificate.ts';
import type { Claims } from './claims.ts';
import { isReadable, isSignable, timeoutFor } from './formats.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { type ManifestFacts, manifestOf } from './manifest.ts';

/** How a file was generated, for its signed record, which anyone with the file can read. Never contains the prompt. */
export interface Origin {
  /** Type detected from the bytes. PNG, JPEG, WebP, GIF, AVIF, MP4, MOV, MP3, and WAV are signed. */
  mime: string;
  executionId: string;
  /** `provider/model` */
  model: string;
  /** Whether a program (`embedded/canvas`) drew it rather than a trained model. */
  procedural: boolean;
  /** Default: now. */
  createdAt?: Date;
  /** Hash of the image or video poster, 16 hexadecimal digits, to recognize altered copies. */
  perceptualHash?: string | null;
}

export interface SignResult<B> {
  body: B;
  signed: boolean;
  /** SHA-256 of the original in hexadecimal, for `recordGenerated`. */
  unsignedSha256: string;
}

/** `none`: no record. `unsupported`: a type without records. `unreadable`: a damaged file or record. */
export type ReadResult =
  | { found: 'none' | 'unsupported' }
  | { found: 'unreadable'; reason: string }
  | { found: 'claims'; claims: Claims };

export interface Provenance extends Ledger {
  /** Warnings for every generated file that explain why files cannot be signed on this machine. */
  readonly warnings: readonly string[];
  /**
   * Signs a generated file. A path is signed into `<path>.signed`, which the caller deletes like the original.
   * Failures are logged and return the original, so no result is lost.
   *
   * @throws the signal's reason, or the system's error if the file cannot be read
   */
  sign<B extends Uint8Array | { path: string }>(body: B, origin: Origin, signal?: AbortSignal): Promise<SignResult<B>>;
  /**
   * Reads the record of an untrusted file in a separate process, with memory and time limits and no network.
   *
   * @throws {ChorusError} store_unavailable, or the signal's reason
   */
  read(file: { path: string; mime: string }, signal?: AbortSignal): Promise<ReadResult>;
  close(): void;
}

export interface ProvenanceParts {
  database: Pick<Database, 'provenance'> & { secrets: Pick<Database['secrets'], 'getOrCreate'> };
  /** The user's certificate from `loadCertificate`. Null: generated certificates that all processes share. */
  certificate: SigningIdentity | null;
  log: Logger;
}

const SECRET = 'c2pa_certificates';

/** Creates the signer, reader, and ledger. @throws {ChorusError} store_unavailable */
export async function createProvenance({ database, certificate, log }: ProvenanceParts): Promise<Provenance> {
  const issued = JSON.parse(
    await database.secrets.getOrCreate(SECRET, JSON.stringify(issueCertificates())),
  ) as IssuedCertificates;
  if (certificate !== null) {
    // Remember the certificate, so that its signatures still count as ours after it is replaced.
    const leaf = new X509Certificate(certificate.chain);
    await database.provenance.addCertificate(leaf.fingerprint256, leaf.toString());
  }
  const identity: SigningIdentity = certificate ?? {
    chain: issued.chain,
    privateKey: issued.privateKey,
    algorithm: 'es256',
  };
  const signers = async (): Promise<OwnSigners> => ({
    authorities: [issued.authority],
    certificates: await database.provenance.certificates(),
  });
  const unable = missingComponents().find(({ name }) => name === 'signing');
  // The process that reads untrusted files never gets the key.
  const signing = new C2paProcess({ memoryBytes: MEMORY_BYTES });
  const reading = new C2paProcess({ memoryBytes: MEMORY_BYTES });

  async function signFile(path: string, output: string, origin: Origin, signal: AbortSignal | undefined) {
    const { mime } = origin;
    const { size } = await stat(path);
    if (unable !== undefined || !isSignable(mime, size)) return false;
    const facts: ManifestFacts = {
      mime,
      execution_id: origin.executionId,
      model: origin.model,
      procedural: origin.procedural,
      created_at: origin.createdAt ?? new Date(),
      perceptual_hash: origin.perceptualHash ?? null,
    };
    const manifest = manifestOf(facts, packageJson.version);
    try {
      await signing.ask({ type: 'sign', path, output, mime, identity, manifest }, timeoutFor(size), signal);
      return true;
    } catch (error) {
      await rm(output, { force: true });
      if (!(error instanceof C2paFailure)) throw error;
      log.warn(
        { err: error, execution_id: origin.executionId, mime },
        'could not sign a file; it is stored without provenance',
      );
      return false;
    }
  }

  async function signPath(file: { path: string }, origin: Origin, signal: AbortSignal | undefined) {
    const unsignedSha256 = await sha256Of(file.path);
    const output = `${file.path}.signed`;
    const signed = await signFile(file.path, output, origin, signal);
    return { body: signed ? { path: output } : file, signed, unsignedSha256 };
  }

  async function signBytes(bytes: Uint8Array, origin: Origin, signal: AbortSignal | undefined) {
    // Hashes in a thread: a large image would block the event loop.
    const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
    const unsignedSha256 = Buffer.from(digest).toString('hex');
    if (!isSignable(origin.mime, bytes.byteLength)) return { body: bytes, signed: false, unsignedSha256 };
    const folder = await mkdtemp(join(tmpdir(), 'chorus-sign-'));
    try {
      const [path, output] = [join(folder, 'given'), join(folder, 'signed')];
      await writeFile(path, bytes);
      const signed = await signFile(path, output, origin, signal);
      return { body: signed ? await readFile(output) : bytes, signed, unsignedSha256 };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  return {
    ...createLedger(database.provenance),
    warnings: unable === undefined ? [] : [`The file is not signed. ${unable.message}`],
    sign: async <B extends Uint8Array | { path: string }>(body: B, origin: Origin, signal?: AbortSignal) => {
      const result =
        body instanceof Uint8Array ? await signBytes(body, origin, signal) : await signPath(body, origin, signal);
      return result as SignResult<B>;
    },
    read: async ({ path, mime }, signal) => {
      if (!isReadable(mime)) return { found: 'unsupported' };
      requireComponent('signing');
      const [own, { size }] = await Promise.all([signers(), stat(path)]);
      try {
        const answer = await reading.ask({ type: 'read', path, mime, own }, timeoutFor(size), signal);
        if (answer.type !== 'read') throw new C2paFailure('unexpected answer');
        return answer.claims === null ? { found: 'none' } : { found: 'claims', claims: answer.claims };
      } catch (error) {
        if (!(error instanceof C2paFailure)) throw error;
        log.info({ err: error, mime }, 'could not read a provenance record');
        return { found: 'unreadable', reason: error.message };
      }
    },
    close: () => {
      signing.close();
      reading.close();
    },
  };
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/**
 * Opens provenance at process startup.
 *
 * @throws {ConfigError} if `C2PA_CERTIFICATE_FILE` and its key cannot sign
 * @throws {ChorusError} store_unavailable
 */
export async function openProvenance(
  { c2pa }: Pick<Config, 'c2pa'>,
  parts: Omit<ProvenanceParts, 'certificate'>,
): Promise<Provenance> {
  const certificate = c2pa === null ? null : await loadCertificate(c2pa);
  return createProvenance({ ...parts, certificate });
}

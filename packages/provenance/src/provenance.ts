import { createHash, X509Certificate } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Database } from '@chorus/database';
import type { Logger } from '@chorus/log';
import packageJson from '../package.json' with { type: 'json' };
import { C2paFailure, C2paProcess, MEMORY_BYTES } from './c2pa-process.ts';
import type { OwnSigners, SigningIdentity } from './c2pa-protocol.ts';
import { type IssuedCertificates, issueCertificates } from './certificate/issue-certificates.ts';
import type { Claims } from './claims.ts';
import { readable, signable, timeFor } from './formats.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { type ManifestFacts, manifestOf } from './manifest.ts';

/** How something was made here; goes into the signed record, which whoever has the file can read. Never the prompt: that is its user's. */
export interface Making {
  /** As found from the bytes. PNG, JPEG, WebP, GIF, AVIF, MP4, MOV, MP3 and WAV are signed; anything else stays as it is. */
  mime: string;
  executionId: string;
  /** `provider/model` */
  model: string;
  /** True for what a programme draws (`embedded/canvas`), false for what a trained model makes. */
  procedural: boolean;
  /** Absent: now. */
  createdAt?: Date;
  /** Of the image, or of the video's poster; 16 hexadecimal digits. With it an altered copy can still be told from another picture. */
  perceptualHash?: string | null;
}

export interface Finished<B> {
  /** What is to be stored: signed, or as it was given. */
  body: B;
  signed: boolean;
  /** Of what was given, in hexadecimal: for `recordGenerated`. */
  unsignedSha256: string;
}

/** What a file's record says. `none`: it carries none. `unsupported`: its type can't carry any. `unreadable`: there is one, or the file is damaged. */
export type Reading =
  | { found: 'none' | 'unsupported' }
  | { found: 'unreadable'; reason: string }
  | { found: 'claims'; claims: Claims };

export interface Provenance extends Ledger {
  /**
   * Signs what was made here. A file is signed into a new one beside it, `<path>.signed`, which is the caller's to delete as the given one is. What can't be
   * signed is answered as it was given, and logged: nothing that was made is ever lost to its signature.
   *
   * @throws the signal's reason; the system's error where the file can't be read
   */
  finish<B extends Uint8Array | { path: string }>(body: B, making: Making, signal?: AbortSignal): Promise<Finished<B>>;
  /**
   * Reads a file's record, somebody's unknown: in a process of its own, with limits of memory and time, never over the network.
   *
   * @throws {ChorusError} store_unavailable; or the signal's reason
   */
  read(file: { path: string; mime: string }, signal?: AbortSignal): Promise<Reading>;
  close(): void;
}

export interface ProvenanceParts {
  database: Pick<Database, 'provenance'> & { secrets: Pick<Database['secrets'], 'getOrCreate'> };
  /** What the user brought, by `loadCertificate`; null: certificates of our own making, which all processes share. */
  certificate: SigningIdentity | null;
  log: Logger;
}

const SECRET = 'c2pa_certificates';

/** Signs and remembers what is made here, and tells it again. @throws {ChorusError} store_unavailable */
export async function createProvenance({ database, certificate, log }: ProvenanceParts): Promise<Provenance> {
  const issued = JSON.parse(
    await database.secrets.getOrCreate(SECRET, JSON.stringify(issueCertificates())),
  ) as IssuedCertificates;
  if (certificate !== null) {
    // What it signs is known as ours also when another one has taken its place.
    const leaf = new X509Certificate(certificate.chain);
    await database.provenance.rememberCertificate(leaf.fingerprint256, leaf.toString());
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
  // The one that reads what anybody sends never has the key.
  const signing = new C2paProcess({ memoryBytes: MEMORY_BYTES });
  const reading = new C2paProcess({ memoryBytes: MEMORY_BYTES });

  async function signFile(path: string, output: string, making: Making, signal: AbortSignal | undefined) {
    const { mime } = making;
    const { size } = await stat(path);
    if (!signable(mime, size)) return false;
    const facts: ManifestFacts = {
      mime,
      execution_id: making.executionId,
      model: making.model,
      procedural: making.procedural,
      created_at: making.createdAt ?? new Date(),
      perceptual_hash: making.perceptualHash ?? null,
    };
    const manifest = manifestOf(facts, packageJson.version);
    try {
      await signing.ask({ type: 'sign', path, output, mime, identity, manifest }, timeFor(size), signal);
      return true;
    } catch (error) {
      await rm(output, { force: true });
      if (!(error instanceof C2paFailure)) throw error;
      log.warn({ err: error, execution_id: making.executionId, mime }, 'not signed: stored without provenance');
      return false;
    }
  }

  async function finishFile(file: { path: string }, making: Making, signal: AbortSignal | undefined) {
    const unsignedSha256 = await sha256Of(file.path);
    const output = `${file.path}.signed`;
    const signed = await signFile(file.path, output, making, signal);
    return { body: signed ? { path: output } : file, signed, unsignedSha256 };
  }

  async function finishBytes(bytes: Uint8Array, making: Making, signal: AbortSignal | undefined) {
    // By a thread: of a large picture it would take the event loop too long.
    const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
    const unsignedSha256 = Buffer.from(digest).toString('hex');
    if (!signable(making.mime, bytes.byteLength)) return { body: bytes, signed: false, unsignedSha256 };
    const folder = await mkdtemp(join(tmpdir(), 'chorus-sign-'));
    try {
      const [path, output] = [join(folder, 'given'), join(folder, 'signed')];
      await writeFile(path, bytes);
      const signed = await signFile(path, output, making, signal);
      return { body: signed ? await readFile(output) : bytes, signed, unsignedSha256 };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  return {
    ...createLedger(database.provenance),
    finish: async <B extends Uint8Array | { path: string }>(body: B, making: Making, signal?: AbortSignal) => {
      const finished =
        body instanceof Uint8Array ? await finishBytes(body, making, signal) : await finishFile(body, making, signal);
      return finished as Finished<B>;
    },
    read: async ({ path, mime }, signal) => {
      if (!readable(mime)) return { found: 'unsupported' };
      const [own, { size }] = await Promise.all([signers(), stat(path)]);
      try {
        const answer = await reading.ask({ type: 'read', path, mime, own }, timeFor(size), signal);
        if (answer.type !== 'read') throw new C2paFailure('it was answered with something else');
        return answer.claims === null ? { found: 'none' } : { found: 'claims', claims: answer.claims };
      } catch (error) {
        if (!(error instanceof C2paFailure)) throw error;
        log.info({ err: error, mime }, 'a record that can not be read');
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

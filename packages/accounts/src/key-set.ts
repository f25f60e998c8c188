import { ChorusError } from '@chorus/contract';
import type { SigningKeyRecord, SigningKeyRepository } from '@chorus/database';
import type { CryptoKey, JWK } from 'jose';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { exportJWK } from 'jose/key/export';
import { generateKeyPair } from 'jose/key/generate/keypair';
import { importJWK } from 'jose/key/import';
import type { Versions } from './versions.ts';

/** Signing keys of access tokens: one signs, all verify. */
export interface KeySet {
  /** Returns the key that signs tokens issued at this time. */
  signing(issuedAt: Date): Promise<{ kid: string; key: CryptoKey }>;
  /**
   * Returns an opaque value that changes whenever the set of valid keys changes. Revocations are visible within
   * a second.
   * @throws {ChorusError} store_unavailable
   */
  revision(): Promise<string>;
  verifying(kid: string): Promise<CryptoKey | null>;
  /**
   * Creates the next key, once across processes, and returns its id. It starts signing after every process has
   * had time to load it.
   */
  rotate(): Promise<string>;
  /**
   * Creates a key that signs immediately, removes all others, and returns its id. Idempotent.
   * @throws {ChorusError} store_unavailable
   */
  revoke(): Promise<string>;
}

export interface KeySetOptions {
  /** Lifetime of the tokens; retired keys keep verifying for this long. */
  tokenTtlMs: number;
  rotateAfterMs?: number;
  /** New keys start signing at this age. Must exceed `reloadEveryMs`, so that all processes have loaded them. */
  signsAfterMs?: number;
  reloadEveryMs?: number;
}

interface KnownKey {
  record: SigningKeyRecord;
  publicKey: CryptoKey;
}

const DAY_MS = 24 * 3_600_000;
const LOOK_AGAIN_MS = 5_000;
/** While Redis cannot report changes, keys read within this time count as current. */
const FRESH_MS = 700;
/** Bound on concurrent attempts by other processes to add a key. */
const MAX_TRIES = 10;
/** Margin for clock skew and late reloads. */
const MARGIN_MS = 10 * 60_000;
const ALGORITHM = 'EdDSA';

/** Loads the keys, and creates the first one (once across processes) if there are none. */
export async function loadKeySet(
  repository: SigningKeyRepository,
  versions: Versions,
  { tokenTtlMs, rotateAfterMs = 30 * DAY_MS, signsAfterMs = 180_000, reloadEveryMs = 60_000 }: KeySetOptions,
): Promise<KeySet> {
  let known: KnownKey[] = [];
  let reloadedAt = 0;
  let seenVersion: string | undefined;
  let reloading: Promise<void> | null = null;
  const privateKeys = new Map<string, CryptoKey>();

  const readAll = async (): Promise<void> => {
    const began = Date.now();
    // Taken before reading, so the keys read are at least as new as this version.
    const version = versions.current('signing_keys');
    let records = await repository.list();
    if (records.length === 0 || isOlder(records[0], rotateAfterMs)) {
      await repository.add(await generateKey((records[0]?.generation ?? 0) + 1));
      records = await repository.list();
    }
    const done = records.filter((_, index) => isOlder(records[index - 1], signsAfterMs + tokenTtlMs + MARGIN_MS));
    await Promise.all(done.map(({ id }) => repository.remove(id)));
    const good = records.filter((record) => !done.includes(record));
    known = await Promise.all(good.map(async (record) => ({ record, publicKey: await importKey(record.public_jwk) })));
    [reloadedAt, seenVersion] = [began, version];
  };
  const reload = (): Promise<void> => {
    reloading ??= readAll().finally(() => {
      reloading = null;
    });
    return reloading;
  };
  /** Reloads keys in the background. On failure, the known keys stay in use. */
  const refreshInBackground = () => {
    if (Date.now() - reloadedAt >= reloadEveryMs) reload().catch(() => {});
  };
  const refreshIfChanged = async (): Promise<void> => {
    const version = versions.current('signing_keys');
    const isNew = version === undefined ? Date.now() - reloadedAt < FRESH_MS : version === seenVersion;
    if (isNew) return refreshInBackground();
    await reload();
    // Otherwise it might join a reload that began before the change.
    if (version !== undefined && version !== seenVersion) await reload();
  };
  const find = (kid: string) => known.find(({ record }) => record.id === kid)?.publicKey ?? null;
  await reload();

  return {
    signing: async (issuedAt) => {
      await refreshIfChanged();
      const ready = issuedAt.getTime() - signsAfterMs;
      const record = (known.find((one) => one.record.created_at.getTime() <= ready) ?? known.at(-1))?.record;
      if (record === undefined) throw new Error('the signing key just stored is missing');
      const key = privateKeys.get(record.id) ?? (await importKey(record.private_jwk));
      privateKeys.set(record.id, key);
      return { kid: record.id, key };
    },
    revision: async () => {
      await refreshIfChanged();
      return known.map(({ record }) => record.id).join();
    },
    verifying: async (kid) => {
      const key = find(kid);
      if (key !== null || Date.now() - reloadedAt < LOOK_AGAIN_MS) return key;
      await reload();
      return find(kid);
    },
    rotate: async () => {
      await readAll();
      await repository.add(await generateKey((known[0]?.record.generation ?? 0) + 1));
      await readAll();
      return known[0]?.record.id ?? '';
    },
    revoke: async () => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const [newest] = await repository.list();
        const fresh = await generateKey((newest?.generation ?? 0) + 1);
        if (!(await repository.add(fresh))) continue;
        const others = (await repository.list()).filter(({ id }) => id !== fresh.id);
        await Promise.all(others.map(({ id }) => repository.remove(id)));
        await versions.changed('signing_keys');
        await readAll();
        return fresh.id;
      }
      throw new ChorusError('conflict', 'Signing keys are being changed by another process. Try again.', {
        retryAfterS: 1,
      });
    },
  };
}

function isOlder(record: SigningKeyRecord | undefined, ageMs: number): boolean {
  return record !== undefined && Date.now() - record.created_at.getTime() > ageMs;
}

async function generateKey(generation: number): Promise<Omit<SigningKeyRecord, 'created_at'>> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  const publicJwk = await exportJWK(publicKey);
  return {
    id: await calculateJwkThumbprint(publicJwk),
    generation,
    algorithm: ALGORITHM,
    public_jwk: textFields(publicJwk),
    private_jwk: textFields(await exportJWK(privateKey)),
  };
}

function textFields(jwk: JWK): Record<string, string> {
  return Object.fromEntries(
    Object.entries(jwk).filter((field): field is [string, string] => typeof field[1] === 'string'),
  );
}

async function importKey(jwk: Record<string, string>): Promise<CryptoKey> {
  const key = await importJWK(jwk as JWK, ALGORITHM);
  if (key instanceof Uint8Array) throw new TypeError('a symmetric key is stored among the signing keys');
  return key;
}

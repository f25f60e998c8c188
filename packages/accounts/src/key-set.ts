import { ChorusError } from '@chorus/contract';
import type { SigningKeyRecord, SigningKeyRepository } from '@chorus/database';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { Versions } from './versions.ts';

/** The keys of access tokens: one signs, all of them verify. */
export interface KeySet {
  /** The key that signs what is issued at this time. */
  signing(issuedAt: Date): Promise<{ kid: string; key: CryptoKey }>;
  /** Names the keys that are good now: another text after each change. A revocation is noticed within a second. Throws `store_unavailable`. */
  revision(): Promise<string>;
  /** The public key of that id. An unknown id makes it look whether another process has added one, at most every few seconds. */
  verifying(kid: string): Promise<CryptoKey | null>;
  /** Makes the next key, of several processes one; answers its id. It signs once every process has had the time to learn of it. */
  rotate(): Promise<string>;
  /**
   * Makes a key that signs at once, and removes all others: tokens that they signed are refused everywhere within a second. Answers its id. Throws
   * `store_unavailable`; can be repeated.
   */
  revoke(): Promise<string>;
}

export interface KeySetOptions {
  /** How long the tokens live that these keys sign, in milliseconds: so long an old key goes on verifying. */
  tokenTtlMs: number;
  /** At this age a key is followed by a new one. */
  rotateAfterMs?: number;
  /** A new key signs from this age on. More than `lookEveryMs`, so that all processes know it by then. */
  signsAfterMs?: number;
  /** How often a process looks for new keys. */
  lookEveryMs?: number;
}

interface KnownKey {
  record: SigningKeyRecord;
  publicKey: CryptoKey;
}

const DAY_MS = 24 * 3_600_000;
const LOOK_AGAIN_MS = 5_000;
/** While Redis can't say whether keys have changed, what was read this long ago counts as new. */
const FRESH_MS = 700;
/** How many other processes may add a key at the same moment. */
const MAX_TRIES = 10;
/** Clocks differ, and processes learn at different times. */
const MARGIN_MS = 10 * 60_000;
const ALGORITHM = 'EdDSA';

/** Loads the keys from the database, and makes the first one there if there is none; of several processes one does. */
export async function loadKeySet(
  repository: SigningKeyRepository,
  versions: Versions,
  { tokenTtlMs, rotateAfterMs = 30 * DAY_MS, signsAfterMs = 180_000, lookEveryMs = 60_000 }: KeySetOptions,
): Promise<KeySet> {
  /** The newest generation first. */
  let known: KnownKey[] = [];
  let lookedAt = 0;
  let seenVersion: string | undefined;
  let looking: Promise<void> | null = null;
  const privateKeys = new Map<string, CryptoKey>();

  const readAll = async (): Promise<void> => {
    const began = Date.now();
    // Asked before reading: what is read now is at least as new.
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
    [lookedAt, seenVersion] = [began, version];
  };
  const look = (): Promise<void> => {
    looking ??= readAll().finally(() => {
      looking = null;
    });
    return looking;
  };
  /** Looks for new keys in the background, now and then: what is known goes on being good if that fails. */
  const lookNowAndThen = () => {
    if (Date.now() - lookedAt >= lookEveryMs) look().catch(() => {});
  };
  /** Reads the keys again where they have changed, or may have. */
  const catchUp = async (): Promise<void> => {
    const version = versions.current('signing_keys');
    const isNew = version === undefined ? Date.now() - lookedAt < FRESH_MS : version === seenVersion;
    if (isNew) return lookNowAndThen();
    await look();
    // It may have joined a look that began before the change.
    if (version !== undefined && version !== seenVersion) await look();
  };
  const find = (kid: string) => known.find(({ record }) => record.id === kid)?.publicKey ?? null;
  await look();

  return {
    signing: async (issuedAt) => {
      await catchUp();
      const ready = issuedAt.getTime() - signsAfterMs;
      const record = (known.find((one) => one.record.created_at.getTime() <= ready) ?? known.at(-1))?.record;
      if (record === undefined) throw new Error('the signing key that was just stored is not there');
      const key = privateKeys.get(record.id) ?? (await importKey(record.private_jwk));
      privateKeys.set(record.id, key);
      return { kid: record.id, key };
    },
    revision: async () => {
      await catchUp();
      return known.map(({ record }) => record.id).join();
    },
    verifying: async (kid) => {
      const key = find(kid);
      if (key !== null || Date.now() - lookedAt < LOOK_AGAIN_MS) return key;
      await look();
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
      throw new ChorusError('conflict', 'Signing keys are changed by others at this moment.', { retryAfterS: 1 });
    },
  };
}

/** Whether there is such a key and it was made longer ago than that. */
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
  if (key instanceof Uint8Array) throw new TypeError('a symmetric key lies among the signing keys');
  return key;
}

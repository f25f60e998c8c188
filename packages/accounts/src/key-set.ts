import type { SigningKeyRecord, SigningKeyRepository } from '@chorus/database';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';

/** The keys of access tokens: the newest generation signs, all of them verify. */
export interface KeySet {
  readonly signing: { kid: string; key: CryptoKey };
  /** The public key of that id. An unknown id makes it look whether another process has added one, at most every few seconds. */
  verifying(kid: string): Promise<CryptoKey | null>;
}

const LOOK_AGAIN_MS = 5_000;
const ALGORITHM = 'EdDSA';

/** Loads the keys from the database, and makes the first one there if there is none; of several processes one does. */
export async function loadKeySet(repository: SigningKeyRepository): Promise<KeySet> {
  let records = await repository.list();
  if (records.length === 0) {
    await repository.add(await generateKey(1));
    records = await repository.list();
  }
  const newest = records[0];
  if (newest === undefined) throw new Error('the signing key that was just stored is not there');
  const signing = { kid: newest.id, key: await importKey(newest.private_jwk) };

  let publicKeys = await importPublicKeys(records);
  let lastLook = Date.now();
  return {
    signing,
    verifying: async (kid) => {
      const known = publicKeys.get(kid);
      if (known !== undefined) return known;
      if (Date.now() - lastLook < LOOK_AGAIN_MS) return null;
      lastLook = Date.now();
      publicKeys = await importPublicKeys(await repository.list());
      return publicKeys.get(kid) ?? null;
    },
  };
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

async function importPublicKeys(records: SigningKeyRecord[]): Promise<Map<string, CryptoKey>> {
  return new Map(
    await Promise.all(records.map(async ({ id, public_jwk }) => [id, await importKey(public_jwk)] as const)),
  );
}

async function importKey(jwk: Record<string, string>): Promise<CryptoKey> {
  const key = await importJWK(jwk as JWK, ALGORITHM);
  if (key instanceof Uint8Array) throw new TypeError('a symmetric key lies among the signing keys');
  return key;
}

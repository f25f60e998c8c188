import type { Claims } from './claims.ts';
import type { ManifestDefinitions } from './manifest.ts';

export type SigningAlgorithm = 'es256' | 'es384' | 'es512' | 'ps256' | 'ed25519';

/** PEM texts to sign with. */
export interface SigningIdentity {
  /** Begins with the signing certificate; excludes a self-signed authority. */
  chain: string;
  privateKey: string;
  algorithm: SigningAlgorithm;
}

/** PEM certificates whose signatures count as ours. */
export interface OwnSigners {
  /** Authorities that issue only our certificates. */
  authorities: string[];
  /** Current and former signing certificates. */
  certificates: string[];
}

export interface SignRequest {
  type: 'sign';
  path: string;
  output: string;
  mime: string;
  identity: SigningIdentity;
  manifest: ManifestDefinitions;
}

export interface ReadRequest {
  type: 'read';
  path: string;
  mime: string;
  own: OwnSigners;
}

export type C2paRequest = SignRequest | ReadRequest;

/** Answer to a request. `claims` is null if the file has no record. */
export type C2paAnswer =
  | { type: 'signed' }
  | { type: 'read'; claims: Claims | null }
  | { type: 'failed'; reason: string };

export type ToC2pa = C2paRequest & { id: number };
export type FromC2pa = C2paAnswer & { id: number };

import type { Claims } from './claims.ts';
import type { ManifestDefinitions } from './manifest.ts';

/** The algorithms that C2PA knows, as its library names them. */
export type SigningAlgorithm = 'es256' | 'es384' | 'es512' | 'ps256' | 'ed25519';

/** What signs: PEM texts. */
export interface SigningIdentity {
  /** Begins with the certificate of the key; an authority that signed itself is not in it. */
  chain: string;
  privateKey: string;
  algorithm: SigningAlgorithm;
}

/** Whose signatures are ours, as PEM texts. */
export interface OwnSigners {
  /** Authorities that have signed our certificates alone. */
  authorities: string[];
  /** Certificates that sign, or have signed, here. */
  certificates: string[];
}

export interface SignRequest {
  type: 'sign';
  path: string;
  /** A file that is made or replaced. */
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

/** What a request is answered with. `claims: null`: the file carries none. */
export type C2paAnswer =
  | { type: 'signed' }
  | { type: 'read'; claims: Claims | null }
  | { type: 'failed'; reason: string };

export type ToC2pa = C2paRequest & { id: number };
export type FromC2pa = C2paAnswer & { id: number };

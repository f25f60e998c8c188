import { type Owner, scopeKey } from '@chorus/contract';
import type { Db } from 'mongodb';
import { allInScope, defineCollection, fromStored, requireString, type Stored, toStored } from '../collection.ts';
import { readAll } from '../reading.ts';
import { upsert } from '../store-errors.ts';

/** Identifies an asset created here, without its content or input. It outlives the asset, but not its owner. */
export interface LedgerRecord {
  /** The asset. */
  id: string;
  owner: Owner;
  execution_id: string;
  kind: 'image' | 'video';
  /** `provider/model` */
  model: string;
  /** Hashes of the content as stored and before it was signed. */
  sha256: string[];
  /** 16 hexadecimal digits. For a video: of its poster. */
  perceptual_hash: string | null;
  /** Parts of the perceptual hash with their positions. Similar images share at least one. */
  bands: number[];
  created_at: Date;
}

export const ledgerCollection = defineCollection<Stored<LedgerRecord>>('provenance_ledger', {
  erasedWith: 'maker',
  indexes: [{ key: { scope_key: 1, sha256: 1 } }, { key: { scope_key: 1, bands: 1 } }],
});

/** Certificates (PEM) by their SHA-256. */
export const certificateCollection = defineCollection<{ _id: string; certificate: string; created_at: Date }>(
  'provenance_certificates',
);

const MAX_CERTIFICATES = 100;

export type ProvenanceRepository = ReturnType<typeof createProvenanceRepository>;

/** The created assets of each scope. */
export function createProvenanceRepository(db: Db) {
  const ledger = ledgerCollection.in(db);
  const listCertificates = certificateCollection.in(db);
  const recordOf = (stored: Stored<LedgerRecord>): LedgerRecord => fromStored(stored);

  return {
    /** Stores the first record of an asset. Can be repeated. */
    record: async (record: LedgerRecord) => {
      const { _id, ...first } = toStored(record);
      await upsert(() => ledger.updateOne({ _id: requireString(_id) }, { $setOnInsert: first }, { upsert: true }));
    },
    /** Records with this content, in no order. */
    withContent: async (owner: Owner, sha256: string, limit: number) =>
      readAll(ledger.find({ scope_key: scopeKey(owner), sha256: requireString(sha256) }).limit(limit), recordOf),
    /** Records with one of the bands, in no order. */
    withBands: async (owner: Owner, bands: number[], limit: number) => {
      const found = ledger
        .find({ scope_key: scopeKey(owner), bands: { $in: bands } })
        .project<{ _id: string; perceptual_hash: string }>({ perceptual_hash: 1 })
        .limit(limit);
      return readAll(found, ({ _id, perceptual_hash }) => ({ id: _id, perceptual_hash }));
    },
    getMany: async (owner: Owner, ids: string[]) => readAll(ledger.find(allInScope(owner, ids)), recordOf),
    /** Stores a signing certificate as PEM. Can be repeated. */
    addCertificate: async (fingerprint: string, certificate: string) => {
      const first = { $setOnInsert: { certificate, created_at: new Date() } };
      await upsert(() => listCertificates.updateOne({ _id: requireString(fingerprint) }, first, { upsert: true }));
    },
    certificates: async () =>
      readAll(listCertificates.find().limit(MAX_CERTIFICATES), ({ certificate }) => certificate),
  };
}

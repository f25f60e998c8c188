import { scopeKey } from '@chorus/contract';
import { type Connection, type mongo, Schema } from 'mongoose';
import type { LedgerRecord, ProvenanceRepository } from './provenance-records.ts';
import { fromStore, upsert } from './store-errors.ts';
import { ownerOf, requireText, type StoredOwner, storedOwner } from './stored-fields.ts';

export interface StoredLedgerRecord extends StoredOwner, Omit<LedgerRecord, 'id' | 'owner'> {
  _id: string;
}

export interface StoredCertificate {
  /** Its SHA-256. */
  _id: string;
  /** PEM. */
  certificate: string;
  created_at: Date;
}

/** An installation renews its certificate once a year or so. */
const MAX_CERTIFICATES = 100;

export function defineProvenanceModels(connection: Connection) {
  const ledger = new Schema<StoredLedgerRecord>(
    {
      _id: { type: String, required: true },
      scope_key: { type: String, required: true },
      user_id: { type: String, required: true },
      execution_id: { type: String, required: true },
      kind: { type: String, required: true },
      model: { type: String, required: true },
      sha256: [String],
      perceptual_hash: String,
      bands: [Number],
      created_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'provenance_ledger' },
  );
  ledger.index({ scope_key: 1, sha256: 1 });
  ledger.index({ scope_key: 1, bands: 1 });
  const certificate = new Schema<StoredCertificate>(
    {
      _id: { type: String, required: true },
      certificate: { type: String, required: true },
      created_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'provenance_certificates' },
  );
  return {
    ledger: connection.model('LedgerRecord', ledger),
    certificates: connection.model('ProvenanceCertificate', certificate),
  };
}

export function createProvenanceRepository(
  ledger: mongo.Collection<StoredLedgerRecord>,
  certificates: mongo.Collection<StoredCertificate>,
): ProvenanceRepository {
  return {
    record: async ({ id, owner, ...record }) => {
      const first = { $setOnInsert: { ...storedOwner(owner), ...record } };
      await upsert(() => ledger.updateOne({ _id: requireText(id) }, first, { upsert: true }));
    },
    withContent: async (owner, sha256, limit) => {
      const filter = { scope_key: scopeKey(owner), sha256: requireText(sha256) };
      return (await fromStore(ledger.find(filter).limit(limit).toArray())).map(recordOf);
    },
    withBands: async (owner, bands, limit) => {
      const found = ledger
        .find({ scope_key: scopeKey(owner), bands: { $in: bands } })
        .project<{ _id: string; perceptual_hash: string }>({ perceptual_hash: 1 })
        .limit(limit);
      return (await fromStore(found.toArray())).map(({ _id, perceptual_hash }) => ({ id: _id, perceptual_hash }));
    },
    getMany: async (owner, ids) => {
      const filter = { _id: { $in: ids.map(requireText) }, scope_key: scopeKey(owner) };
      return (await fromStore(ledger.find(filter).toArray())).map(recordOf);
    },
    rememberCertificate: async (fingerprint, certificate) => {
      const first = { $setOnInsert: { certificate, created_at: new Date() } };
      await upsert(() => certificates.updateOne({ _id: requireText(fingerprint) }, first, { upsert: true }));
    },
    certificates: async () => {
      const found = certificates.find().limit(MAX_CERTIFICATES);
      return (await fromStore(found.toArray())).map(({ certificate }) => certificate);
    },
  };
}

function recordOf({ _id, scope_key, user_id, ...record }: StoredLedgerRecord): LedgerRecord {
  return { id: _id, owner: ownerOf({ scope_key, user_id }), ...record };
}

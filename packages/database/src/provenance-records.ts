import type { Owner } from '@chorus/contract';

/** That something was made here: how to know it again, never what it was made from or shows. It stays when the asset goes, and goes with its owner. */
export interface LedgerRecord {
  /** The asset's. */
  id: string;
  owner: Owner;
  execution_id: string;
  kind: 'image' | 'video';
  /** `provider/model` */
  model: string;
  /** Of the content as it is stored and as it was before it was signed, in hexadecimal. */
  sha256: string[];
  /** 16 hexadecimal digits; of a video: its poster's. */
  perceptual_hash: string | null;
  /** Parts of the perceptual hash, each with its place: pictures that look alike have one that is the same, or nearly. */
  bands: number[];
  created_at: Date;
}

/** What was made here, by scope: nothing tells of another scope's. */
export interface ProvenanceRepository {
  /** Can be repeated: what was recorded first stays. */
  record(record: LedgerRecord): Promise<void>;
  /** What was made here with this content; at most `limit`, in no order. */
  withContent(owner: Owner, sha256: string, limit: number): Promise<LedgerRecord[]>;
  /** What has one of the bands; at most `limit`, in no order. */
  withBands(owner: Owner, bands: number[], limit: number): Promise<{ id: string; perceptual_hash: string }[]>;
  getMany(owner: Owner, ids: string[]): Promise<LedgerRecord[]>;
  /** The certificates that sign here or have done so, as PEM texts. Can be repeated. */
  rememberCertificate(fingerprint: string, certificate: string): Promise<void>;
  certificates(): Promise<string[]>;
}

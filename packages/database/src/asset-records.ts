import type { AssetFacts, AssetsQuery, Owner, Page } from '@chorus/contract';

/** Stored bytes: what is known of them, and whose they are. The bytes themselves lie in object storage, under names made from the id. */
export interface AssetRecord extends Omit<AssetFacts, 'created_at'> {
  owner: Owner;
  /** Its place among what its execution made, unique there; null for uploads. */
  output_index: number | null;
  /** Of images that could be decoded: 64 bits as 16 hexadecimal digits. Pictures that look alike differ in few bits. */
  perceptual_hash: string | null;
  /** `stored`: beside the content. `possible`: it can be made when it is asked for. `none`: there is none to be had. */
  thumbnail: 'stored' | 'possible' | 'none';
  created_at: Date;
}

/** Assets belong to a scope: members of a workspace share them. */
export interface AssetRepository {
  /** Throws `conflict` when the id, or the place among the execution's output, is taken. */
  insert(record: AssetRecord): Promise<void>;
  get(owner: Owner, id: string): Promise<AssetRecord | null>;
  /** For signed addresses, which stand for their owner's leave: over all owners. */
  getSigned(id: string): Promise<AssetRecord | null>;
  /** What stands at one place of an execution's output. */
  getMade(owner: Owner, executionId: string, outputIndex: number): Promise<AssetRecord | null>;
  /** By place, as far as they have one. At most 10,000. */
  ofExecution(owner: Owner, executionId: string): Promise<AssetRecord[]>;
  /** Newest first. The cursor is the last id; another one throws `invalid_request`. */
  list(owner: Owner, query: AssetsQuery): Promise<Page<AssetRecord>>;
  setThumbnail(owner: Owner, id: string, thumbnail: AssetRecord['thumbnail']): Promise<void>;
  /** False: no such asset. */
  remove(owner: Owner, id: string): Promise<boolean>;
  /** For sweeps: which of these there are, over all owners. */
  existing(ids: string[]): Promise<Set<string>>;
}

import type { Owner } from '@chorus/contract';

/** What can be deleted and leaves something behind that has to go too. */
export type DeletionKind = 'session' | 'message' | 'execution' | 'batch' | 'knowledge' | 'archive' | 'asset' | 'agent';

/** A deletion that was asked for, kept until nothing of the record is left. It holds ids, never content. */
export interface DeletionRecord {
  /** Id of the record that is deleted. */
  id: string;
  kind: DeletionKind;
  owner: Owner;
  /** Session of a message. */
  session_id: string | null;
  /** Whether the assets of the deleted executions go too. */
  assets: boolean;
  /** Executions that the deletion found, kept because blanked ones can no longer be found by their input. */
  execution_ids: string[];
  /** Recordings that the deleted executions were asked with, kept for the same reason. */
  recording_ids: string[];
  /** Completed passes. */
  passes: number;
  created_at: Date;
}

export type NewDeletion = Pick<DeletionRecord, 'id' | 'kind' | 'owner'> &
  Partial<Pick<DeletionRecord, 'session_id' | 'assets' | 'execution_ids' | 'recording_ids'>>;

export interface DeletionRepository {
  /** Records a deletion before it is carried out. One that its owner has already recorded stays as it is. Sweeps leave it alone until `due`. */
  begin(deletion: NewDeletion, due: Date): Promise<{ deletion: DeletionRecord; isNew: boolean }>;
  /** Adds what belongs to the deletion. */
  add(deletion: DeletionRecord, found: Partial<Pick<DeletionRecord, 'execution_ids' | 'recording_ids'>>): Promise<void>;
  /** Moves the next pass to `due`; `passes` counts what is done. */
  schedule(deletion: DeletionRecord, passes: number, due: Date): Promise<void>;
  /** Forgets a deletion that is complete, or that was refused. */
  drop(deletion: DeletionRecord): Promise<void>;
  /** For sweeps: deletions of all owners that are due, oldest first. */
  listDue(now: Date, limit: number): Promise<DeletionRecord[]>;
}

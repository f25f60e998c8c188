import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { type RecordedState, recordFile } from './commit-record.ts';
import { markNumber, nextMark, sameLineage } from './format.ts';
import type { LogContents } from './write-ahead-log.ts';

interface LostWrites {
  /** Describes the loss, but not how to recover. */
  message: string;
  logIsForeign: boolean;
}

export interface FileFacts {
  version: number;
  /** Absent in format 1. */
  mark?: Uint8Array;
  markPage?: number;
}

const FIRST_RECORDED_FORMAT = 3;

export function readFileFacts(file: string): FileFacts {
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true, defensive: false });
  try {
    // Lets SQLite read a file that an interrupted checkpoint left shorter than its header says.
    database.exec('PRAGMA writable_schema = ON');
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    const table = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'lineage'").get();
    if (!table) return { version };
    const { mark } = database.prepare('SELECT mark FROM lineage').get() as { mark: Uint8Array };
    return { version, mark, markPage: Number(table.rootpage) };
  } finally {
    database.close();
  }
}

/** Compares a file, its log, and the commit record. Returns undefined if nothing is lost. */
export function findLostWrites(
  file: string,
  facts: FileFacts,
  log: LogContents | undefined,
  record: RecordedState,
): LostWrites | undefined {
  const logFile = `${file}-wal`;
  if (log && log.frames > 0 && facts.mark && !belongs(log, facts)) {
    return { message: `${logFile} does not belong to ${file}.`, logIsForeign: true };
  }
  const message = describeLoss(file, facts, log, record);
  return message === undefined ? undefined : { message, logIsForeign: false };
}

/**
 * A log's first transaction contains the file's incremented mark, as does the file once a
 * checkpoint has begun.
 */
function belongs(log: LogContents, facts: FileFacts): boolean {
  return hasMark(log, facts, facts.mark as Uint8Array) || follows(log, facts);
}

function follows(log: LogContents, facts: FileFacts): boolean {
  return hasMark(log, facts, nextMark(facts.mark as Uint8Array));
}

function hasMark({ first }: LogContents, { markPage }: FileFacts, mark: Uint8Array): boolean {
  return first.get(markPage as number)?.includes(mark) ?? false;
}

function describeLoss(
  file: string,
  facts: FileFacts,
  log: LogContents | undefined,
  record: RecordedState,
): string | undefined {
  const { version, mark } = facts;
  const logFile = `${file}-wal`;
  const unreadable = `${logFile} is damaged: acknowledged writes cannot be read.`;
  if (record === undefined) {
    if (log?.damaged) return unreadable;
    if (version < FIRST_RECORDED_FORMAT) return undefined;
    return `${recordFile(file)} is missing, so acknowledged writes may be missing from ${file}.`;
  }
  if (record === 'damaged') {
    return `${recordFile(file)} is damaged, so acknowledged writes may be missing from ${file}.`;
  }
  if (!mark) return log?.damaged ? unreadable : undefined;
  if (!sameLineage(mark, record.mark)) {
    return `${file} was replaced by a copy or a backup.`;
  }
  const since = `Writes acknowledged from ${formatTime(record.checkpointedAt)} to ${formatTime(record.committedAt)} may be lost.`;
  const newer = markNumber(mark) - markNumber(record.mark);
  const isRecorded = log?.salts.equals(record.salts) ?? false;
  const holdsAll = isRecorded && log !== undefined && log.frames >= record.frames;
  if (record.checkpointed) {
    if (newer < 0n) return `${file} is older than the acknowledged writes. ${since}`;
    // The checkpointed log may still exist. An older state of it must not be applied to the file.
    if (newer === 0n && (!log || holdsAll)) return undefined;
    // After a power failure, the record may not know the newest log yet.
    const isNext = log !== undefined && !isRecorded && log.frames > 0 && newer === (follows(log, facts) ? 0n : 1n);
    if (isNext) return log.damaged ? unreadable : undefined;
  } else if (holdsAll) return log?.damaged ? unreadable : undefined;
  if (log?.damaged) return `${unreadable} ${since}`;
  const found = isRecorded ? `${log?.frames} of ${record.frames} acknowledged pages` : 'none of the acknowledged pages';
  return `${logFile} is missing, truncated, or replaced: it has ${found}. ${since}`;
}

const formatTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

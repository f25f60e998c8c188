import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Acknowledged } from './commit-record.ts';
import { recordFile } from './commit-record.ts';
import { markNumber, nextMark, sameLineage } from './lineage.ts';
import type { LogContents } from './write-ahead-log.ts';

/** Acknowledged writes that a store's files no longer hold, or may no longer hold. */
export interface Loss {
  /** A sentence for the user, without what to do about it. */
  message: string;
  /** True when the log belongs to another file, and must not be read into this one. */
  logIsForeign: boolean;
}

/** What the file itself says, without its log. */
export interface FileFacts {
  version: number;
  /** Absent in format 1. */
  mark?: Uint8Array;
  /** The page of the table `lineage`. */
  markPage?: number;
}

/** From this format on, every store has a commit record beside it. */
export const FIRST_RECORDED_FORMAT = 3;

/** Reads a store file as it is, without its log. */
export function readFileFacts(file: string): FileFacts {
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true, defensive: false });
  try {
    // A fold that was interrupted leaves a file that is shorter than it says: this lets it be read nonetheless.
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

/**
 * Compares a file and its log with each other and with what was acknowledged. Returns undefined when every acknowledged write is
 * there.
 */
export function findLoss(
  file: string,
  facts: FileFacts,
  log: LogContents | undefined,
  record: Acknowledged | 'damaged' | undefined,
): Loss | undefined {
  const logFile = `${file}-wal`;
  if (log && log.frames > 0 && facts.mark && !belongs(log, facts)) {
    return { message: `${logFile} is the log of another file than ${file}.`, logIsForeign: true };
  }
  const message = lossOf(file, facts, log, record);
  return message === undefined ? undefined : { message, logIsForeign: false };
}

/** A log's first transaction holds the file's lineage mark, counted up. The file has it too once a fold has begun. */
function belongs(log: LogContents, facts: FileFacts): boolean {
  return hasMark(log, facts, facts.mark as Uint8Array) || follows(log, facts);
}

/** True for the log that begins after the last one that was folded into the file. */
function follows(log: LogContents, facts: FileFacts): boolean {
  return hasMark(log, facts, nextMark(facts.mark as Uint8Array));
}

function hasMark({ first }: LogContents, { markPage }: FileFacts, mark: Uint8Array): boolean {
  return first.get(markPage as number)?.includes(mark) ?? false;
}

function lossOf(
  file: string,
  facts: FileFacts,
  log: LogContents | undefined,
  record: Acknowledged | 'damaged' | undefined,
): string | undefined {
  const { version, mark } = facts;
  const logFile = `${file}-wal`;
  const unreadable = `${logFile} is damaged: writes that were acknowledged can't be read.`;
  if (record === undefined) {
    if (log?.damaged) return unreadable;
    if (version < FIRST_RECORDED_FORMAT) return undefined;
    return `${recordFile(file)} is missing, so nobody can tell whether ${file} holds every acknowledged write.`;
  }
  if (record === 'damaged') {
    return `${recordFile(file)} is damaged, so nobody can tell whether ${file} holds every acknowledged write.`;
  }
  if (!mark) return log?.damaged ? unreadable : undefined;
  if (!sameLineage(mark, record.mark)) {
    return `${file} is not the file that was here before: it was replaced by a copy or a backup.`;
  }
  const since = `Writes acknowledged from ${timeOf(record.foldedAt)} to ${timeOf(record.committedAt)} may be lost.`;
  const newer = markNumber(mark) - markNumber(record.mark);
  const isRecorded = log?.salts.equals(record.salts) ?? false;
  const holdsAll = isRecorded && log !== undefined && log.frames >= record.frames;
  if (record.folded) {
    if (newer < 0n) return `${file} is older than the writes that were acknowledged. ${since}`;
    // The log that was folded in may still be there. An older state of it must not be read into the newer file.
    if (newer === 0n && (!log || holdsAll)) return undefined;
    // The next log, of which the record on the disk does not tell yet after a power cut.
    const isNext = log !== undefined && !isRecorded && log.frames > 0 && newer === (follows(log, facts) ? 0n : 1n);
    if (isNext) return log.damaged ? unreadable : undefined;
  } else if (holdsAll) return log?.damaged ? unreadable : undefined;
  if (log?.damaged) return `${unreadable} ${since}`;
  const found = isRecorded ? `${log?.frames} of ${record.frames} acknowledged pages` : 'none of the acknowledged pages';
  return `${logFile} is missing, cut off or replaced: it has ${found}. ${since}`;
}

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

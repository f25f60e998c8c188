import type { LogEvent, OutputItem, TerminalEvent } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';

/** An ending with more output than this stays in the database alone. */
const MAX_OUTPUT_CHARACTERS = 8_192;

/** What an ending tells of its record. */
const TOLD = [
  'status',
  'model',
  'provider',
  'output',
  'usage',
  'context',
  'warnings',
  'progress',
  'error',
  'attempt',
  'finish_reason',
  'started_at',
  'finished_at',
] as const satisfies (keyof ExecutionRecord)[];

type Ending = Pick<ExecutionRecord, (typeof TOLD)[number]>;

/** The terminal event that a finished record calls for. */
export function terminalEvent(record: ExecutionRecord): TerminalEvent {
  const type = `execution.${record.status}` as TerminalEvent['type'];
  if (isLarge(record.output)) return { type };
  const told = Object.fromEntries(TOLD.map((name) => [name, record[name]])) as unknown as Ending;
  return { type, ending: { ...told } };
}

function isLarge(output: OutputItem[]): boolean {
  let size = 0;
  return output.some((item) => {
    size += item.type === 'text' ? item.text.length : JSON.stringify(item).length;
    return size > MAX_OUTPUT_CHARACTERS;
  });
}

/** The finished record that a terminal event read from the log tells of, given the record as it was; null when it does not say. */
export function recordOfEnd(event: LogEvent, before: ExecutionRecord): ExecutionRecord | null {
  if (!('ending' in event) || event.ending === undefined) return null;
  const ending = event.ending as unknown as Omit<Ending, 'started_at' | 'finished_at'> & Record<string, string | null>;
  const time = (value: string | null | undefined) => (value ? new Date(value) : null);
  return { ...before, ...ending, started_at: time(ending.started_at), finished_at: time(ending.finished_at) };
}

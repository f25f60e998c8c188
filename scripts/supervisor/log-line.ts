export type Severity = 'debug' | 'info' | 'warn' | 'error';

export interface LogLine {
  severity: Severity;
  /** Text for people: the message, then the other fields. */
  text: string;
  time?: number;
  /** Whether a logger wrote it. Other output, such as stacks and banners, spans many lines. */
  isRecord: boolean;
}

const unshown = new Set([
  'level',
  'time',
  'pid',
  'hostname',
  'name',
  'service',
  'process',
  'msg',
  'message',
  'err',
  'error',
  'v',
]);

/** Reads a line of a child: a JSON record as pino writes them, Redis's own format, or plain text. */
export function parseLogLine(line: string, source: 'stdout' | 'stderr'): LogLine {
  const record = parseRecord(line);
  if (record) return fromRecord(record);
  // Redis: "12:M 20 Nov 2026 05:46:00.123 # text", where # is a warning and * . - are less.
  const redis = /^\d+:[XCSM] \d+ \w+ \d{4} [\d:.]+ ([.\-*#]) (.*)$/.exec(line);
  if (redis) return { severity: redis[1] === '#' ? 'warn' : 'debug', text: redis[2] ?? '', isRecord: false };
  return { severity: source === 'stderr' ? 'error' : 'info', text: line, isRecord: false };
}

function fromRecord(record: Record<string, unknown>): LogLine {
  const { level, time } = record;
  const at = typeof time === 'number' ? time : typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return {
    severity: severityOf(level),
    text: [messageOf(record), ...detailsOf(record)].filter(Boolean).join('  '),
    isRecord: true,
    ...(Number.isFinite(at) && { time: at }),
  };
}

function severityOf(level: unknown): Severity {
  if (typeof level === 'number') return level >= 50 ? 'error' : level >= 40 ? 'warn' : level >= 30 ? 'info' : 'debug';
  if (level === 'error' || level === 'fatal') return 'error';
  if (level === 'warn' || level === 'warning') return 'warn';
  return level === 'debug' || level === 'trace' ? 'debug' : 'info';
}

function messageOf(record: Record<string, unknown>): string {
  const message = record.msg ?? record.message;
  return typeof message === 'string' ? message : '';
}

function detailsOf(record: Record<string, unknown>): string[] {
  const details = Object.entries(record)
    .filter(([key, value]) => !unshown.has(key) && value !== null && value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`);
  const error = record.err ?? record.error;
  if (typeof error === 'string') return [...details, error];
  if (!isRecord(error)) return details;
  // The stack begins with the message, which is often the record's own.
  const shown = typeof error.stack === 'string' ? error.stack : typeof error.message === 'string' ? error.message : '';
  return shown && shown !== messageOf(record) ? [...details, shown.replaceAll('\n', '\n    ')] : details;
}

function parseRecord(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && ('level' in value || 'msg' in value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

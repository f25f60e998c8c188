import { type Logger, type LoggerOptions, pino } from 'pino';
import { serializeError } from './serialize-error.ts';

export type { Logger };

/** Paths that must never reach a log line, whoever logs the object around them. */
const SECRETS = ['authorization', 'cookie', 'password', 'secret', 'refresh_token', 'access_token', 'api_key', 'apiKey'];

/**
 * JSON lines on stdout. Child loggers carry `request_id`, `execution_id` and the owner; payloads (messages, answers) are
 * never logged. Errors go under `err`, with their stack and causes.
 */
export function createLogger(options: { name: string; level?: string | undefined }): Logger {
  const fields: LoggerOptions = {
    name: options.name,
    level: options.level ?? 'info',
    base: { name: options.name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: serializeError },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
  };
  // Written at once: pino's buffered default tries for ever to empty its buffer at exit when nobody reads stdout any more.
  return pino(fields, pino.destination({ dest: 1, sync: true }));
}

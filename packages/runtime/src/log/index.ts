import { type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';

export type { Logger };

const SECRETS = ['authorization', 'cookie', 'password', 'secret', 'refresh_token', 'access_token', 'api_key', 'apiKey'];

/**
 * Creates a logger of JSON lines on stdout. Child loggers carry `request_id`, `execution_id`, and the owner.
 * Log errors under `err`, and never log payloads such as messages and answers.
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
  // Synchronous: at exit, pino's default buffer hangs when stdout is closed.
  return pino(fields, pino.destination({ dest: 1, sync: true }));
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error) || (error as { code?: unknown }).code !== 'store_unavailable')
    return stdSerializers.err(error as Error);
  const { name, message, cause } = error;
  const reason = cause instanceof Error ? cause.message : undefined;
  return { type: name, code: 'store_unavailable', message: reason ? `${message} (${reason})` : message };
}

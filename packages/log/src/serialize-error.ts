import { stdSerializers } from 'pino';

/** An error with its stack and causes; of a store that is away only what is said of it: its stack tells nothing, and there are many. */
export function serializeError(error: unknown): unknown {
  if (!(error instanceof Error) || (error as { code?: unknown }).code !== 'store_unavailable')
    return stdSerializers.err(error as Error);
  const { name, message, cause } = error;
  const reason = cause instanceof Error ? cause.message : undefined;
  return { type: name, code: 'store_unavailable', message: reason ? `${message} (${reason})` : message };
}

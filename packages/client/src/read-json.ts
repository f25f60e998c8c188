import { ChorusError } from './chorus-error.ts';

/**
 * What the platform says as JSON; all of it are objects.
 *
 * @throws {ChorusError} unexpected_answer where something else came
 */
export function parseJson<T>(text: string, status = 200): T {
  let value: unknown;
  let cause: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    cause = error;
  }
  if (typeof value !== 'object' || value === null) throw unexpected(status, { cause });
  return value as T;
}

/** The whole of an answer. */
export async function readJson<T>(response: Response): Promise<T> {
  return parseJson<T>(await response.text(), response.status);
}

/** Something else than the platform has answered. */
export function unexpected(status: number, more: { cause?: unknown; retryable?: boolean } = {}): ChorusError {
  const message = 'What answered does not speak as the platform does. Is the address right?';
  return new ChorusError('unexpected_answer', message, { status, ...more });
}

import { type Options, UsageError } from '../command.ts';
import { textOption } from './define-command.ts';

/** @throws {UsageError} if it is not a number */
export function numberOption(options: Options, name: string): number | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new UsageError(`--${name} must be a number.`);
  return value;
}

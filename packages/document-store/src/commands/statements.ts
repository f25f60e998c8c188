import type { Document } from 'bson';
import { invalidLength, locationError, typeMismatch } from '../errors.ts';
import type { Steps } from '../storage/scheduler.ts';
import { decode } from '../values/decode.ts';
import { isFields } from '../values/fields.ts';
import { arrayField, type CommandContext, flagField, writeErrorOf, yieldWhenDue } from './command.ts';

const MAX_STATEMENTS = 100_000;

/**
 * Runs a write command's statements one by one. The first error ends an ordered command. Returns
 * the reply's `writeErrors`.
 */
export function* runStatements(
  context: CommandContext,
  field: string,
  run: (statement: unknown, index: number) => Steps<void>,
): Steps<Document[] | undefined> {
  const statements = arrayField(context.command, field);
  if (statements.length === 0 || statements.length > MAX_STATEMENTS) {
    throw invalidLength(
      `Write batch sizes must be between 1 and ${MAX_STATEMENTS}. Got ${statements.length} operations.`,
    );
  }
  const ordered = flagField(context.command, 'ordered') ?? true;
  const writeErrors: Document[] = [];
  for (const [index, statement] of statements.entries()) {
    yield* yieldWhenDue(context);
    try {
      yield* run(statement, index);
    } catch (error) {
      writeErrors.push(writeErrorOf(error, index));
      if (ordered) break;
    }
  }
  return writeErrors.length > 0 ? writeErrors : undefined;
}

export function readStatement(given: unknown, path: string, required: string[], optional: string[]): Document {
  const statement = given instanceof Uint8Array ? decode(given) : given;
  if (!isFields(statement)) throw typeMismatch(`BSON field '${path}.0' is the wrong type, expected type 'object'`);
  const names = Object.keys(statement);
  const unknown = names.find((name) => !required.includes(name) && !optional.includes(name));
  if (unknown !== undefined) throw locationError(40415, `BSON field '${path}.${unknown}' is an unknown field.`);
  const missing = required.find((name) => !names.includes(name));
  if (missing !== undefined) {
    throw locationError(40414, `BSON field '${path}.${missing}' is missing but a required field`);
  }
  return statement as Document;
}

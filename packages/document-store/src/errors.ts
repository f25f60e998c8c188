import { BSONError, type Document } from 'bson';

/**
 * An error that reaches the client as a MongoDB error: `code` and `codeName` are MongoDB's own, `extra` holds further
 * fields of the answer (`keyPattern` and `keyValue` of a duplicate key, for instance).
 */
export class StoreError extends Error {
  readonly code: number;
  readonly codeName: string;
  readonly extra?: Document;

  constructor(code: number, codeName: string, message: string, extra?: Document) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
    this.codeName = codeName;
    if (extra) this.extra = extra;
  }
}

type MakeError = (message: string, extra?: Document) => StoreError;

function maker(code: number, codeName: string): MakeError {
  return (message, extra) => new StoreError(code, codeName, message, extra);
}

/** An error that MongoDB raises with a bare number: its name is `Location<code>`. */
export function locationError(code: number, message: string, extra?: Document): StoreError {
  return new StoreError(code, `Location${code}`, message, extra);
}

export const internalError = maker(1, 'InternalError');
export const badValue = maker(2, 'BadValue');
export const failedToParse = maker(9, 'FailedToParse');
export const unauthorized = maker(13, 'Unauthorized');
export const typeMismatch = maker(14, 'TypeMismatch');
export const overflow = maker(15, 'Overflow');
export const invalidLength = maker(16, 'InvalidLength');
export const illegalOperation = maker(20, 'IllegalOperation');
export const namespaceNotFound = maker(26, 'NamespaceNotFound');
export const indexNotFound = maker(27, 'IndexNotFound');
export const pathNotViable = maker(28, 'PathNotViable');
export const conflictingUpdate = maker(40, 'ConflictingUpdateOperators');
export const cursorNotFound = maker(43, 'CursorNotFound');
export const namespaceExists = maker(48, 'NamespaceExists');
export const maxTimeExpired = maker(50, 'MaxTimeMSExpired');
export const dollarPrefixedFieldName = maker(52, 'DollarPrefixedFieldName');
export const invalidId = maker(53, 'InvalidIdField');
export const emptyFieldName = maker(56, 'EmptyFieldName');
export const commandNotFound = maker(59, 'CommandNotFound');
export const immutableField = maker(66, 'ImmutableField');
export const cannotCreateIndex = maker(67, 'CannotCreateIndex');
export const invalidNamespace = maker(73, 'InvalidNamespace');
export const indexOptionsConflict = maker(85, 'IndexOptionsConflict');
export const indexKeySpecsConflict = maker(86, 'IndexKeySpecsConflict');
export const notSupported = maker(115, 'CommandNotSupported');
/** What can't spill to disk. */
export const memoryExceeded = maker(146, 'ExceededMemoryLimit');
export const cannotIndexParallelArrays = maker(171, 'CannotIndexParallelArrays');
export const queryPlanKilled = maker(175, 'QueryPlanKilled');
/** Damage that was found on the disk: nothing is repaired, the command ends. */
export const dataCorruption = maker(361, 'DataCorruptionDetected');
export const objectTooLarge = maker(10334, 'BSONObjectTooLarge');
export const duplicateKey = maker(11000, 'DuplicateKey');

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof StoreError && error.code === 11000;
}

/** An error that a request has caused; undefined for a fault of this server or its disk. */
export function requestError(error: unknown): StoreError | undefined {
  if (error instanceof StoreError) return error;
  if (error instanceof RangeError) return overflow(`the document is too deep or too large: ${error.message}`);
  return error instanceof BSONError ? new StoreError(22, 'InvalidBSON', error.message) : undefined;
}

const SQLITE_FULL = 13;
/** Errors of writing, synchronising and truncating, as a quota or a failing disk cause them. */
const SQLITE_WRITE_ERRORS = [SQLITE_FULL, 778, 1034, 1290, 1546];

/** True when the disk takes no more writes: it is full, a quota is reached, or it fails. */
export function isWriteFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) return SQLITE_WRITE_ERRORS.includes(Number(error.errcode));
  return 'code' in error && ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'].includes(String(error.code));
}

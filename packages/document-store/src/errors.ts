import { BSONError, type Document } from 'bson';

/**
 * An error for the client, with MongoDB's `code` and `codeName`. `extra` holds further fields of
 * the reply, such as `keyPattern` and `keyValue`.
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

type ErrorFactory = (message: string, extra?: Document) => StoreError;

function errorFactory(code: number, codeName: string): ErrorFactory {
  return (message, extra) => new StoreError(code, codeName, message, extra);
}

export function locationError(code: number, message: string, extra?: Document): StoreError {
  return new StoreError(code, `Location${code}`, message, extra);
}

export const internalError = errorFactory(1, 'InternalError');
export const badValue = errorFactory(2, 'BadValue');
export const failedToParse = errorFactory(9, 'FailedToParse');
export const unauthorized = errorFactory(13, 'Unauthorized');
export const typeMismatch = errorFactory(14, 'TypeMismatch');
export const overflow = errorFactory(15, 'Overflow');
export const invalidLength = errorFactory(16, 'InvalidLength');
export const illegalOperation = errorFactory(20, 'IllegalOperation');
export const namespaceNotFound = errorFactory(26, 'NamespaceNotFound');
export const indexNotFound = errorFactory(27, 'IndexNotFound');
export const pathNotViable = errorFactory(28, 'PathNotViable');
export const conflictingUpdate = errorFactory(40, 'ConflictingUpdateOperators');
export const cursorNotFound = errorFactory(43, 'CursorNotFound');
export const namespaceExists = errorFactory(48, 'NamespaceExists');
export const maxTimeExpired = errorFactory(50, 'MaxTimeMSExpired');
export const dollarPrefixedFieldName = errorFactory(52, 'DollarPrefixedFieldName');
export const invalidId = errorFactory(53, 'InvalidIdField');
export const emptyFieldName = errorFactory(56, 'EmptyFieldName');
export const commandNotFound = errorFactory(59, 'CommandNotFound');
export const immutableField = errorFactory(66, 'ImmutableField');
export const cannotCreateIndex = errorFactory(67, 'CannotCreateIndex');
export const invalidNamespace = errorFactory(73, 'InvalidNamespace');
export const indexOptionsConflict = errorFactory(85, 'IndexOptionsConflict');
export const indexKeySpecsConflict = errorFactory(86, 'IndexKeySpecsConflict');
export const notSupported = errorFactory(115, 'CommandNotSupported');
/** The operation cannot spill to disk. */
export const memoryExceeded = errorFactory(146, 'ExceededMemoryLimit');
export const cannotIndexParallelArrays = errorFactory(171, 'CannotIndexParallelArrays');
export const queryPlanKilled = errorFactory(175, 'QueryPlanKilled');
export const dataCorruption = errorFactory(361, 'DataCorruptionDetected');
export const objectTooLarge = errorFactory(10334, 'BSONObjectTooLarge');
export const duplicateKey = errorFactory(11000, 'DuplicateKey');

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof StoreError && error.code === 11000;
}

/** Converts an error that the request caused; undefined for internal and disk errors. */
export function requestError(error: unknown): StoreError | undefined {
  if (error instanceof StoreError) return error;
  if (error instanceof RangeError) return overflow(`the document is nested too deeply or too large: ${error.message}`);
  return error instanceof BSONError ? new StoreError(22, 'InvalidBSON', error.message) : undefined;
}

const SQLITE_FULL = 13;
const SQLITE_WRITE_ERRORS = [SQLITE_FULL, 778, 1034, 1290, 1546];

export function isWriteFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) return SQLITE_WRITE_ERRORS.includes(Number(error.errcode));
  return 'code' in error && ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'].includes(String(error.code));
}

/** The data directory cannot be used. The message is for the user. */
export class DataDirectoryError extends Error {}

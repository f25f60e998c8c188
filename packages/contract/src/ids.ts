import { fromString, fromUUID, TypeID, typeid } from 'typeid-js';
import { z } from 'zod';

/** Prefix of each record's TypeID (a UUIDv7 in base 32, so ids sort by creation time). */
export const ID_PREFIXES = {
  user: 'usr',
  session: 'ses',
  message: 'msg',
  apiKey: 'key',
  job: 'job',
  asset: 'ast',
  knowledge: 'kno',
  archive: 'arc',
  agent: 'agt',
  batch: 'bat',
  invitation: 'inv',
  audit: 'aud',
  webhookDelivery: 'whd',
  login: 'lgn',
  mcpServer: 'mcp',
  toolApi: 'api',
  folder: 'fld',
  share: 'shr',
  prompt: 'prm',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Creates a TypeID, such as `job_01k9…`. */
export function newId(kind: IdKind): string {
  return typeid(ID_PREFIXES[kind]).toString();
}

/** Returns the smallest id that can be created at a time (milliseconds since the epoch). */
export function firstIdAt(kind: IdKind, time: number): string {
  const hex = Math.max(0, Math.floor(time)).toString(16).padStart(12, '0');
  return fromUUID(`${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`, ID_PREFIXES[kind]);
}

/** Returns an id of another kind with the same number, so that creating a dependent record is idempotent. */
export function dependentId(kind: IdKind, id: string): string {
  return `${ID_PREFIXES[kind]}${id.slice(id.lastIndexOf('_'))}`;
}

/** Converts 16 bytes to a TypeID. */
export function idOfBytes(kind: IdKind, bytes: Uint8Array): string {
  return TypeID.fromUUIDBytes(ID_PREFIXES[kind], bytes).toString();
}

/** Converts a well-formed TypeID to its 16 bytes. */
export function bytesOfId(id: string): Uint8Array {
  return TypeID.fromString(id).toUUIDBytes();
}

/** Returns whether `value` is a well-formed TypeID of a kind. */
export function isId(kind: IdKind, value: string): boolean {
  try {
    fromString(value, ID_PREFIXES[kind]);
    return true;
  } catch {
    return false;
  }
}

export function idSchema(kind: IdKind) {
  return z.string().refine((value) => isId(kind, value), {
    error: `must be an id such as ${ID_PREFIXES[kind]}_…`,
    params: { ofFormat: true },
  });
}

/** The id of a record in a body. A malformed id passes: looking it up fails like an unknown one. */
export const recordId = z.string().min(1).max(200);

// Accepts any version and variant.
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** Valid request ids of callers. Others are replaced. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** Returns the caller's request id. Null: none, or an invalid one. */
export function requestIdOf(given: unknown): string | null {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : null;
}

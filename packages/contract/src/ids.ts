import { fromString, fromUUID, TypeID, typeid } from 'typeid-js';
import { z } from 'zod';

/** Prefix of each record's TypeID (a UUIDv7 in base 32, so ids sort by the time they were made). */
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
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** A fresh TypeID, such as `job_01k9…`. */
export function newId(kind: IdKind): string {
  return typeid(ID_PREFIXES[kind]).toString();
}

/** The smallest id that can have been made at a time, in milliseconds since the epoch: ids of before come before it. */
export function firstIdAt(kind: IdKind, time: number): string {
  const hex = Math.max(0, Math.floor(time)).toString(16).padStart(12, '0');
  return fromUUID(`${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`, ID_PREFIXES[kind]);
}

/** The id of another kind with the same number: a record that belongs to one other record can be made twice, and is one. */
export function idAlike(kind: IdKind, id: string): string {
  return `${ID_PREFIXES[kind]}${id.slice(id.lastIndexOf('_'))}`;
}

/** The TypeID that these 16 bytes are written as. */
export function idOfBytes(kind: IdKind, bytes: Uint8Array): string {
  return TypeID.fromUUIDBytes(ID_PREFIXES[kind], bytes).toString();
}

/** The 16 bytes of a well-formed TypeID. */
export function bytesOfId(id: string): Uint8Array {
  return TypeID.fromString(id).toUUIDBytes();
}

/** Whether `value` is a well-formed TypeID of this kind. */
export function isId(kind: IdKind, value: string): boolean {
  try {
    fromString(value, ID_PREFIXES[kind]);
    return true;
  } catch {
    return false;
  }
}

/** Schema of one kind of id, for bodies and queries. */
export function idSchema(kind: IdKind) {
  return z.string().refine((value) => isId(kind, value), { error: `must be an id such as ${ID_PREFIXES[kind]}_…` });
}

/** An id in a body that names the record to work on: a malformed one is answered like an unknown one, by whoever looks for it. */
export const recordId = z.string().min(1).max(200);

// Any version and variant: which of them a UUID is says nothing of whether it names a workspace.
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether `value` is a UUID, the form of a workspace's id. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}

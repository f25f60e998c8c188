import type { z } from 'zod';
import type { KindDefinition } from './define-kind.ts';
import * as exported from './kinds/index.ts';
import type { Pool } from './names/index.ts';

type Exported = typeof exported;
type ByKind = {
  [Name in keyof Exported as Exported[Name] extends KindDefinition ? Exported[Name]['kind'] : never]: Exported[Name];
};

const isDefinition = (value: unknown): value is KindDefinition =>
  typeof value === 'object' && value !== null && 'kind' in value && 'batchable' in value;

/** All kinds of work by name: the records that the files of `kinds/` export. */
export const KINDS = Object.fromEntries(
  Object.values<unknown>(exported)
    .filter(isDefinition)
    .map((definition) => [definition.kind, definition]),
) as ByKind;

export type JobKind = keyof ByKind;
export type JobInput<K extends JobKind> = z.infer<ByKind[K]['input']>;

export type JobOutput<K extends JobKind> = z.infer<ByKind[K]['output']>;

/** The kinds that a pool's workers must handle. */
export type KindsOf<P extends Pool> = { [K in JobKind]: ByKind[K]['pool'] extends P ? K : never }[JobKind];

/** Returns the record of a stored kind. Undefined if this release does not have the kind. */
export function findKind(kind: string): KindDefinition | undefined {
  return isJobKind(kind) ? KINDS[kind] : undefined;
}

export function isJobKind(kind: string): kind is JobKind {
  return Object.hasOwn(KINDS, kind);
}

import type { CallOptions } from '../client-options.ts';

/** What a change of something with revisions takes besides. */
export interface ChangeOptions extends CallOptions {
  /** The `revision` as you know it: where there is another by now, nothing changes, and the call fails with 409 `conflict`. */
  revision?: number | undefined;
}

/** The header that says which revision is meant. */
export function ifMatch({ revision, ...options }: ChangeOptions = {}) {
  return revision === undefined ? options : { ...options, headers: { 'If-Match': `"${revision}"` } };
}

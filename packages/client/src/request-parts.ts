import type { CallOptions } from './client-options.ts';

/** Fills the parameters of a path. */
export function fillPath(path: string, values: unknown): string {
  const given = (values ?? {}) as Record<string, string | undefined>;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = given[name];
    if (value === undefined || value === '') throw new TypeError(`${name} is missing.`);
    // These would lead to another route.
    if (value === '.' || value === '..') throw new TypeError(`${name} can't be "${value}".`);
    return encodeURIComponent(value);
  });
}

/** Returns a query with its question mark, without undefined values. */
export function writeQuery(values: unknown): string {
  const pairs = Object.entries((values ?? {}) as Record<string, unknown>)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, String(value)]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** Returns the body of a request and its headers. */
export function encodeBody(
  body: unknown,
  form: unknown,
): { body?: string | FormData; headers: Record<string, string> } {
  if (form !== undefined) return { body: formOf(form as Record<string, unknown>), headers: {} };
  if (body === undefined) return { headers: {} };
  return { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
}

/** Returns the fields of a form: files, and other values as text or JSON. */
export function formFields(fields: Record<string, unknown>): [name: string, value: string | Blob][] {
  return Object.entries(fields).flatMap(([name, value]): [string, string | Blob][] => {
    if (value === undefined || value === null) return [];
    if (value instanceof Blob) return [[name, value]];
    if (Array.isArray(value) && value.every((one) => one instanceof Blob)) return value.map((one) => [name, one]);
    return [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]];
  });
}

/** Returns the name to send a file with. Without one, the server would treat it as a field. */
export function fileName(blob: Blob): string {
  const { name } = blob as Partial<File>;
  return name === undefined || name === '' ? 'file' : name;
}

function formOf(fields: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of formFields(fields)) {
    if (value instanceof Blob) form.append(name, value, fileName(value));
    else form.append(name, value);
  }
  return form;
}

/** Returns 128 random bits in hexadecimal. `randomUUID` is missing on pages without TLS. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Options for changing a record with revisions. */
export interface ChangeOptions extends CallOptions {
  /**
   * `conflict`.
   */
  revision?: number | undefined;
}

/** Converts the revision to an `If-Match` header. */
export function ifMatch({ revision, ...options }: ChangeOptions = {}) {
  return revision === undefined
    ? options
    : { ...options, headers: { ...options.headers, 'If-Match': `"${revision}"` } };
}

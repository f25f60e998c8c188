/** A path with its parameters in place. */
export function fillPath(path: string, values: unknown): string {
  const given = (values ?? {}) as Record<string, string | undefined>;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = given[name];
    if (value === undefined || value === '') throw new TypeError(`${name} is missing.`);
    // Those would lead to another route.
    if (value === '.' || value === '..') throw new TypeError(`${name} can't be "${value}".`);
    return encodeURIComponent(value);
  });
}

/** A query, with its question mark; what is undefined is left out. */
export function writeQuery(values: unknown): string {
  const pairs = Object.entries((values ?? {}) as Record<string, unknown>)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, String(value)]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** The body of a request, and the headers that go with it. */
export function encodeBody(
  body: unknown,
  form: unknown,
): { body?: string | FormData; headers: Record<string, string> } {
  if (form !== undefined) return { body: formOf(form as Record<string, unknown>), headers: {} };
  if (body === undefined) return { headers: {} };
  return { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
}

/** The fields of a form: files with their names, lists and objects as JSON. */
export function formFields(fields: Record<string, unknown>): [name: string, value: string | Blob][] {
  return Object.entries(fields).flatMap(([name, value]): [string, string | Blob][] => {
    if (value === undefined || value === null) return [];
    if (value instanceof Blob) return [[name, value]];
    if (Array.isArray(value) && value.every((one) => one instanceof Blob)) return value.map((one) => [name, one]);
    return [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]];
  });
}

/** What a file is called where it is sent: the server takes a part without a name for a field. */
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

/**
 * How a process reports that it is ready. When the environment has `CHORUS_READY_FD=3`, the process writes one
 * line of JSON to that file descriptor once it can serve, and may then close it:
 *
 * {"ready":true} a worker
 * {"ready":true,"models":["embedded/assistant"]} a worker that knows its models
 * {"ready":true,"url":"http://127.0.0.1:8080","models":["openai/gpt-5"],
 * "login":{"email":"admin@localhost","password":"…"}} the API
 *
 * `login.password` is sent only by the start that created the first user. Data on this descriptor is never
 * logged. (The document store writes the same line to its standard output.)
 */
export interface ReadyReport {
  url?: string;
  /** The models that can be run, the default first. */
  models?: string[];
  login?: { email: string; password?: string };
}

export type Reports = ReadonlyMap<string, ReadyReport>;

/** @returns undefined if the line is not a ready report */
export function parseReadyReport(line: string): ReadyReport | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value) || value.ready !== true) return undefined;
    const { url, models, login } = value;
    return {
      ...(typeof url === 'string' && { url }),
      ...(Array.isArray(models) && { models: models.flatMap(modelName) }),
      ...(isRecord(login) && typeof login.email === 'string' && { login: loginOf(login.email, login.password) }),
    };
  } catch {
    return undefined;
  }
}

function modelName(model: unknown): string[] {
  if (typeof model === 'string') return [model];
  return isRecord(model) && typeof model.id === 'string' ? [model.id] : [];
}

function loginOf(email: string, password: unknown) {
  return typeof password === 'string' ? { email, password } : { email };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

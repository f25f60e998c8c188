import type { CallOptions } from './client-options.ts';
import type { AnswerOf, FormOf } from './operations.ts';
import { readJson } from './read-response.ts';
import type { Transport } from './transport.ts';

export interface UploadOptions extends CallOptions {
  /** Uploads with the same key within a day run once. */
  idempotencyKey?: string | undefined;
  /** Called while bytes are sent. A retry starts over. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
}

type UploadRoute = 'POST /assets' | 'POST /console/knowledge/upload';

/** Sends a form with files. Without `timeoutMs` there is no time limit. */
export function upload<Name extends UploadRoute>(
  transport: Transport,
  name: Name,
  form: FormOf<Name>,
  { onProgress, ...options }: UploadOptions = {},
): Promise<AnswerOf<Name>> {
  const files = Object.values(form as Record<string, unknown>).flat();
  const total = files.reduce((sum: number, file) => sum + (file instanceof Blob ? file.size : 0), 0);
  const own = onProgress && fetchWithProgress(total, onProgress, transport.options.fetch);
  return transport.send(
    name,
    { form },
    { ...options, timeoutMs: options.timeoutMs ?? 0, fetch: own },
    readJson<AnswerOf<Name>>,
  );
}

/** Progress of an upload, in bytes of its files. */
export interface UploadProgress {
  loaded: number;
  total: number;
}

/**
 * Returns a `fetch` for forms that reports upload progress.
 *
 * Browsers only report it through XMLHttpRequest. Runtimes with streaming requests (Node.js, Deno, Bun, edge) report
 * the bytes they have read. Elsewhere, only start and end are reported.
 */
function fetchWithProgress(
  total: number,
  onProgress: (progress: UploadProgress) => void,
  own: typeof fetch | undefined,
): typeof fetch {
  // The form's boundaries add bytes to those of its files.
  const report = (bytes: number) => onProgress({ loaded: Math.min(bytes, total), total });
  if (own === undefined && 'XMLHttpRequest' in globalThis) return xhrFetch(report);
  return async (url, init) => {
    report(0);
    const sent = init && canStream() ? { ...init, ...streamForm(init, report) } : init;
    const response = await (own ?? fetch)(url, sent);
    report(total);
    return response;
  };
}

/** Size of a piece, and so of a progress step. */
const CHUNK_BYTES = 64 * 1024;

/** Returns the form as a stream, with its Content-Type. */
function streamForm({ body, headers }: RequestInit, report: (bytes: number) => void): RequestInit {
  const form = new Response(body ?? null);
  const reader = form.body?.getReader();
  let rest: Uint8Array = new Uint8Array();
  let bytes = 0;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (rest.length === 0) {
        const read = await reader?.read();
        if (read?.value === undefined) return controller.close();
        rest = read.value;
      }
      const piece = rest.subarray(0, CHUNK_BYTES);
      rest = rest.subarray(CHUNK_BYTES);
      bytes += piece.length;
      report(bytes);
      controller.enqueue(piece);
    },
    cancel: (reason) => reader?.cancel(reason),
  });
  const type = { 'Content-Type': form.headers.get('content-type') ?? '' };
  return { body: stream, headers: { ...(headers as Record<string, string>), ...type }, duplex: 'half' } as RequestInit;
}

let streams: boolean | undefined;

/** Whether requests may stream. Otherwise, a stream would become text with its Content-Type. */
function canStream(): boolean {
  streams ??= (() => {
    let asked = false;
    const request = new Request('http://localhost/', {
      method: 'POST',
      body: new ReadableStream(),
      get duplex() {
        asked = true;
        return 'half';
      },
    } as RequestInit);
    return asked && !request.headers.has('content-type');
  })();
  return streams;
}

/** The part of XMLHttpRequest that is used. */
interface Xhr {
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: unknown): void;
  abort(): void;
  readonly status: number;
  readonly statusText: string;
  readonly responseText: string;
  readonly upload: { onprogress: ((event: { loaded: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
}

/** Returns a `fetch` over XMLHttpRequest, which reports the bytes sent. For small responses. */
function xhrFetch(report: (bytes: number) => void): typeof fetch {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest: new () => Xhr };
  return (url, init = {}) =>
    new Promise((resolve, reject) => {
      const { signal } = init;
      if (signal?.aborted) return reject(signal.reason);
      const xhr = new XMLHttpRequest();
      xhr.open(init.method ?? 'GET', String(url));
      for (const [name, value] of Object.entries((init.headers ?? {}) as Record<string, string>))
        xhr.setRequestHeader(name, value);
      const stop = () => {
        xhr.abort();
        reject(signal?.reason);
      };
      const settle = (act: () => void) => () => {
        signal?.removeEventListener('abort', stop);
        act();
      };
      signal?.addEventListener('abort', stop, { once: true });
      xhr.upload.onprogress = ({ loaded }) => report(loaded);
      xhr.onload = settle(() => resolve(toResponse(xhr)));
      xhr.onerror = settle(() => reject(new TypeError('The connection failed.')));
      xhr.send(init.body);
    });
}

function toResponse(xhr: Xhr): Response {
  const lines = xhr.getAllResponseHeaders().trim().split(/\r?\n/);
  const headers = lines.flatMap((line): [string, string][] => {
    const at = line.indexOf(':');
    return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1).trim()]];
  });
  return new Response(xhr.responseText, { status: xhr.status, statusText: xhr.statusText, headers });
}

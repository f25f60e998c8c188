/** What is used of XMLHttpRequest, which only browsers have. */
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

/** A `fetch` by XMLHttpRequest, for what has small answers: it tells how many bytes of the request have gone. */
export function xhrFetch(tell: (bytes: number) => void): typeof fetch {
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
      xhr.upload.onprogress = ({ loaded }) => tell(loaded);
      xhr.onload = settle(() => resolve(answerOf(xhr)));
      xhr.onerror = settle(() => reject(new TypeError('The connection failed.')));
      xhr.send(init.body);
    });
}

function answerOf(xhr: Xhr): Response {
  const lines = xhr.getAllResponseHeaders().trim().split(/\r?\n/);
  const headers = lines.flatMap((line): [string, string][] => {
    const at = line.indexOf(':');
    return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1).trim()]];
  });
  return new Response(xhr.responseText, { status: xhr.status, statusText: xhr.statusText, headers });
}

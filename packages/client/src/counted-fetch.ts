import { xhrFetch } from './xhr-fetch.ts';

/** How far an upload is, in bytes of its files. */
export interface UploadProgress {
  loaded: number;
  total: number;
}

/**
 * A `fetch` of forms that tells how many of their bytes have gone. In browsers that is an XMLHttpRequest, which alone can tell there; where a request may be a
 * stream (Node, Deno, Bun, edge runtimes) it is what the runtime has taken; elsewhere only the beginning and the end are told.
 */
export function countedFetch(
  total: number,
  onProgress: (progress: UploadProgress) => void,
  own: typeof fetch | undefined,
): typeof fetch {
  // The form's own words come on top of its files.
  const tell = (bytes: number) => onProgress({ loaded: Math.min(bytes, total), total });
  if (own === undefined && 'XMLHttpRequest' in globalThis) return xhrFetch(tell);
  return async (url, init) => {
    tell(0);
    const sent = init && canStream() ? { ...init, ...counted(init, tell) } : init;
    const response = await (own ?? fetch)(url, sent);
    tell(total);
    return response;
  };
}

/** How many bytes go at once, so that progress is told in small steps. */
const PIECE_BYTES = 64 * 1024;

/** A request's form as a stream, with the heading that it needs then. */
function counted({ body, headers }: RequestInit, tell: (bytes: number) => void): RequestInit {
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
      const piece = rest.subarray(0, PIECE_BYTES);
      rest = rest.subarray(PIECE_BYTES);
      bytes += piece.length;
      tell(bytes);
      controller.enqueue(piece);
    },
    cancel: (reason) => reader?.cancel(reason),
  });
  const type = { 'Content-Type': form.headers.get('content-type') ?? '' };
  return { body: stream, headers: { ...(headers as Record<string, string>), ...type }, duplex: 'half' } as RequestInit;
}

let streams: boolean | undefined;

/** Whether the body of a request may be a stream: where it may not, it is made a text, and gets the type of one. */
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

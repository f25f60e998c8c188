import { Readable } from 'node:stream';
import { ChorusError } from '@chorus/contract';
import type { CallFrame } from './call-attempts.ts';
import { CallWatch } from './call-watch.ts';
import { toFailure } from './provider-failure.ts';
import type { CallOptions } from './provider-port.ts';

const MAX_REDIRECTS = 5;

/** A download URL, and headers for its origin only. */
export interface DownloadSource {
  url: URL;
  headers: Record<string, string>;
}

/**
 * Opens the download of a result. The stream fails if the provider is silent for too long, or with the signal's
 * reason. Destroying it closes the connection.
 *
 * @throws ChorusError as every call, without the URL, which may contain a credential
 */
export async function openDownload(
  frame: CallFrame,
  fetch: typeof globalThis.fetch,
  source: DownloadSource,
  { signal }: CallOptions,
): Promise<Readable> {
  signal.throwIfAborted();
  const watch = new CallWatch(signal, frame.idleTimeoutMs);
  const failure = (thrown: unknown): unknown => {
    if (signal.aborted) return signal.reason;
    if (watch.timedOut) return new ChorusError('timeout', `${frame.provider} stopped sending during a download`);
    return toFailure(thrown, frame).error;
  };
  try {
    const response = await follow(fetch, source, watch.signal);
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new ChorusError('provider_error', `${frame.provider} did not return its result (HTTP ${response.status})`);
    }
    return Readable.from(chunksOf(response.body, watch, failure), { objectMode: false });
  } catch (thrown) {
    watch.close();
    throw failure(thrown);
  }
}

async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  watch: CallWatch,
  failure: (thrown: unknown) => unknown,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (thrown) {
    throw failure(thrown);
  } finally {
    watch.close();
  }
}

/** Follows redirects. Other origins never get the headers. */
async function follow(fetch: typeof globalThis.fetch, source: DownloadSource, signal: AbortSignal): Promise<Response> {
  let { url } = source;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const headers = url.origin === source.url.origin ? source.headers : {};
    const response = await fetch(url, { headers, signal });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    const next = new URL(location, url);
    if (next.protocol !== 'https:' && next.origin !== url.origin)
      throw new ChorusError('provider_error', 'The provider’s result has a URL that is not allowed');
    url = next;
  }
  throw new ChorusError('provider_error', 'The provider’s result could not be downloaded');
}

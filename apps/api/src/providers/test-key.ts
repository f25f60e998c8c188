import { type KeyedProvider, PROVIDER_URLS, type ProviderTestResult, type StoredProviderKey } from '@chorus/contract';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 8_000_000;

interface Call {
  /** The list of models, or another page that only a valid key opens. */
  path: string;
  headers: (apiKey: string) => Record<string, string>;
  /** Replaces the provider's address. */
  base?: string;
}

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

const CALLS: Record<KeyedProvider, Call> = {
  openai: { path: '/models', headers: bearer },
  anthropic: {
    path: '/models?limit=1000',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  },
  google: { path: '/models?pageSize=1000', headers: (key) => ({ 'x-goog-api-key': key }) },
  mistral: { path: '/models', headers: bearer },
  groq: { path: '/models', headers: bearer },
  elevenlabs: { path: '/v1/models', headers: (key) => ({ 'xi-api-key': key }) },
  // Its list of models is public.
  deepgram: { path: '/v1/projects', headers: (key) => ({ authorization: `Token ${key}` }) },
  fal: {
    path: '/v1/models?limit=1',
    headers: (key) => ({ authorization: `Key ${key}` }),
    base: 'https://api.fal.ai',
  },
  compatible: { path: '/models', headers: bearer },
};

/** Tests a key by listing models, which is free. Never throws, and never reveals the key. */
export async function testKey(
  provider: KeyedProvider,
  { apiKey, baseUrl }: Pick<StoredProviderKey, 'apiKey' | 'baseUrl'>,
): Promise<ProviderTestResult> {
  const { path, headers, base } = CALLS[provider];
  const address = baseUrl ?? base ?? (provider === 'compatible' ? null : PROVIDER_URLS[provider]);
  const result = { object: 'provider.test' as const, provider, model_count: null };
  const failed = (message: string): ProviderTestResult => ({ ...result, ok: false, message });
  if (address === null) return failed('Set the address of the server.');
  if (apiKey === null && provider !== 'compatible') return failed('No key is stored.');
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${address}${path}`, {
      headers: apiKey === null ? {} : headers(apiKey),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    text = await readText(response);
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError';
    return failed(isTimeout ? 'No answer within 10 s.' : 'The server cannot be reached from here.');
  }
  const { status, ok } = response;
  if (ok) return { ...result, ok: true, model_count: countOf(text), message: null };
  const isRefused = status === 401 || status === 403 || (status === 400 && text.includes('API_KEY_INVALID'));
  if (isRefused) return failed('The provider refused this key. Check that it is whole, and has not been revoked.');
  if (status === 429) return failed('The provider limits this key at the moment (429). Try again later.');
  return failed(`The provider answered with status ${status}.`);
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the length of a list of models. Null: the answer has none. */
function countOf(text: string): number | null {
  try {
    const answer = JSON.parse(text) as unknown;
    if (Array.isArray(answer)) return answer.length;
    const { data, models } = answer as { data?: unknown; models?: unknown };
    const list = Array.isArray(data) ? data : models;
    return Array.isArray(list) ? list.length : null;
  } catch {
    return null;
  }
}

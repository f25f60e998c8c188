import { type FakeProvider, type FakeProviderName, startFakeProvider } from '@chorus/testing';
import { createProviders, type Providers, type ProvidersOptions } from './providers.ts';
import { closers, log, settingsOf } from './test-providers.ts';

/** Keys as they might be, so that a test can look for them where they must not be. */
export const PLANTED_KEY = 'planted-0123456789abcdef-key';

/** A fake of one provider, and that provider configured to ask it. */
export async function startFake(
  name: FakeProviderName,
  options: Partial<ProvidersOptions> & { apiKey?: string } = {},
): Promise<{ fake: FakeProvider; providers: Providers }> {
  const fake = await startFakeProvider(name, { apiKey: options.apiKey ?? PLANTED_KEY });
  const own = settingsOf({ [name]: { apiKey: PLANTED_KEY, baseUrl: fake.url } });
  const providers = createProviders(own, { log, ...options });
  closers.push(() => providers.close(), fake.close);
  await providers.ready();
  return { fake, providers };
}

/** What the fake was asked for, but its list of models. */
export function callsTo(fake: FakeProvider) {
  return fake.requests.filter(({ method, path }) => method !== 'GET' || !path.endsWith('/models'));
}

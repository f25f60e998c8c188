import { freePort, OIDC_CLIENT, startIdentityProvider, type TestIdentityProvider } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Platform, startPlatform } from '../platform.ts';
import { BROWSER_START_MS, ConsoleBrowser } from './browser.ts';

/** Only catches hangs; waits for page content time out earlier. */
export const limit = { timeout: 150_000 };

interface Fixtures {
  platform: Platform;
  browser: ConsoleBrowser;
  provider: TestIdentityProvider;
}

/** Starts a platform and a browser, which is slow, for all journeys of a file. */
export function startConsole(): () => Fixtures {
  let platform: Platform;
  let browser: ConsoleBrowser;
  let provider: TestIdentityProvider;

  beforeAll(async () => {
    const providerPort = await freePort();
    platform = await startPlatform({
      background: 1,
      transcript: () => 'Boats berth at the east quay.',
      models: ['echo', 'refuse', 'words-5000-delay-20', 'call@agents', 'error-after-3'],
      env: {
        DEFAULT_MODEL: 'embedded/assistant',
        MODEL_PRICES: 'compatible/error-after-3=1/4',
        DEFAULT_IMAGE_MODEL: 'openai/gpt-image-1',
        DEFAULT_SPEECH_MODEL: 'openai/tts-1',
        DEFAULT_TRANSCRIPTION_MODEL: 'openai/whisper-1',
        OUTBOUND_ALLOW: '127.0.0.1/32',
        OIDC_ISSUER: `http://127.0.0.1:${providerPort}`,
        OIDC_CLIENT_ID: OIDC_CLIENT.id,
        OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
        OIDC_NAME: 'Example',
        OIDC_CREATE_USERS: 'true',
        // Tests never call the real one.
        MISTRAL_BASE_URL: 'http://127.0.0.1:1/v1',
      },
    });
    const url = String(platform.apis[0]?.url);
    const person = { sub: 'ada', email: 'ada@single.example.org', email_verified: true };
    provider = await startIdentityProvider({ port: providerPort, platforms: [url], person });
    browser = await ConsoleBrowser.start(url, platform.login);
  }, BROWSER_START_MS);
  afterAll(async () => {
    await browser?.close();
    await provider?.stop();
    await platform?.stop();
  });
  beforeEach(() => platform.showLogsOnFailure());

  return () => ({ platform, browser, provider });
}

/** The last test of a file. */
export function reportsNoErrors(fixtures: () => Fixtures): void {
  it('reports no script errors or policy violations', () => {
    expect(fixtures().browser.pageErrors).toEqual([]);
  });
}

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Platform, startPlatform } from '../platform.ts';
import { BROWSER_START_MS, ConsoleBrowser } from './browser.ts';
import { chatJourneys } from './chat.ts';
import { shellJourneys } from './shell.ts';

// One platform and one browser serve all journeys: starting them costs more than most of these do.
let platform: Platform;
let browser: ConsoleBrowser;

beforeAll(async () => {
  platform = await startPlatform({
    systemWorkers: 1,
    models: ['echo', 'words-5000-delay-20'],
    env: { DEFAULT_MODEL: 'compatible/echo' },
  });
  browser = await ConsoleBrowser.start(String(platform.apis[0]?.url), platform.login);
}, BROWSER_START_MS);
afterAll(async () => {
  await browser?.close();
  await platform?.stop();
});
beforeEach(() => platform.showLogsOnFailure());

const here = () => ({ platform, browser });

describe('the shell', () => shellJourneys(here));
describe('chat', () => chatJourneys(here));

it('no page had an error, or did what its policy forbids', () => {
  expect(browser.complaints).toEqual([]);
});

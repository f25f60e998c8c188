import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { type Platform, startPlatform } from '../platform.ts';
import { outagesJourneys } from './outages.ts';
import { sweepJourneys } from './sweep.ts';
import { webhooksJourneys } from './webhooks.ts';

/** All maintenance journeys share one platform. The webhooks journey kills both maintenance processes. */
let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({ maintenance: 2, env: { OUTBOUND_ALLOW: '127.0.0.1' } });
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());

const getPlatform = () => platform;

describe('sweep', () => sweepJourneys(getPlatform));
describe('outages', () => outagesJourneys(getPlatform));
describe('webhooks', () => webhooksJourneys(getPlatform));

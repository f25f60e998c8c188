import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { type Platform, startPlatform } from '../platform.ts';
import { sweepJourneys } from './sweep.ts';
import { webhooksJourneys } from './webhooks.ts';

/** One platform for what system workers do, two of which are there until the webhooks' journey kills them. */
let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({ systemWorkers: 2, env: { OUTBOUND_ALLOW: '127.0.0.1' } });
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());

const here = () => platform;

describe('sweep', () => sweepJourneys(here));
describe('webhooks', () => webhooksJourneys(here));

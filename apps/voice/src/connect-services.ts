import { createAccounts, createRateLimits, createUserPlaces } from '@chorus/accounts';
import { createVoiceStates } from '@chorus/conversations';
import { connectProducer } from '@chorus/queue';
import type { Config } from '@chorus/runtime/config';
import type { Logger } from '@chorus/runtime/log';
import type { VoiceServices } from './voice-services.ts';

export type VoiceConfig = VoiceServices['config'] &
  Pick<
    Config,
    | 'mongodbUri'
    | 'secretKey'
    | 'auth'
    | 'rateLimits'
    | 'perUser'
    | 'fixedLimits'
    | 'assets'
    | 'queue'
    | 'events'
    | 'iris'
  >;

/**
 * Connects to the stores when the voice socket runs as its own process.
 * Retries until the document store is reachable.
 *
 * @returns the services, and a function that closes their connections
 */
export async function connectServices(
  configured: VoiceConfig,
  log: Logger,
): Promise<{ services: VoiceServices; close: () => Promise<void> }> {
  const { connected, close } = await connectProducer(configured, log);
  const { config, database, redis } = connected;
  const userPlaces = createUserPlaces(redis, config.perUser);
  const accounts = await createAccounts({ database, redis, log, config: config.auth });
  return {
    services: {
      ...connected,
      accounts,
      rateLimits: createRateLimits(redis, config.rateLimits),
      userPlaces,
      voiceStates: createVoiceStates(redis),
    },
    close: () =>
      close(async () => {
        userPlaces.close();
        await accounts.close();
      }),
  };
}

import { homedir } from 'node:os';
import { join } from 'node:path';

/** What the environment says to commands that are clients of a platform. */
export interface ClientSettings {
  /** Null: it says nothing. */
  url: string | null;
  apiKey: string | null;
  /** Where the user's logins are kept. */
  folder: string;
}

export function clientSettings(env: NodeJS.ProcessEnv): ClientSettings {
  return {
    url: env.CHORUS_URL || null,
    apiKey: env.CHORUS_API_KEY || null,
    folder: join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'chorus'),
  };
}

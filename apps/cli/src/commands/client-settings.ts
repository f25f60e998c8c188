import { homedir } from 'node:os';
import { join } from 'node:path';

export interface ClientSettings {
  url: string | null;
  apiKey: string | null;
  /** Of the stored login; null: the default. */
  profile: string | null;
  /** For stored logins. */
  folder: string;
}

export function clientSettings(env: NodeJS.ProcessEnv): ClientSettings {
  return {
    url: env.CHORUS_URL || null,
    apiKey: env.CHORUS_API_KEY || null,
    profile: env.CHORUS_PROFILE || null,
    folder: join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'chorus'),
  };
}

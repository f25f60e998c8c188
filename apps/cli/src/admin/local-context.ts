import type { Config, DataLocation } from '@chorus/runtime/config';

export interface LocalContext extends DataLocation {
  /** Folder from which the operator calls; relative paths start here. */
  from: string;
  /** Returns the running platform's configuration, or null if it is stopped. Throws `ConfigError`. */
  running: () => Config | null;
}

/** What a command knows besides its arguments. */
export interface Surroundings {
  /** The folder from which the user calls: relative paths are relative to it. */
  from: string;
  dataDir: string;
  /** Set where the data is in a MongoDB instead of the built-in store. */
  mongodbUri: string | null;
}

/** One command of `chorus`. */
export interface Command {
  /** Its arguments, as the help shows them. */
  usage: string;
  /** What it does, in one line. */
  says: string;
  /** More for its own help. */
  details: string;
  /** Answers the exit code: 0, or 1 when it could not. Throws `UsageError` for arguments that can't be. */
  run(args: string[], surroundings: Surroundings): Promise<number>;
}

/** Arguments that a command does not take. */
export class UsageError extends Error {}

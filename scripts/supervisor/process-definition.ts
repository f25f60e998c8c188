import type { ReadyReport } from './ready-report.ts';

/** Describes one process: how to start it, detect readiness, and stop it. */
export interface ProcessDefinition {
  name: string;
  command: string;
  args: string[];
  /** Variables of the supervisor that it inherits. Default: those any program needs. */
  inherited?: NodeJS.ProcessEnv;
  /** Further variables. */
  environment: Record<string, string>;
  /** Called before each start, for example to create folders. */
  prepare?: () => void;
  stopStage: number;
  /**
   * `report`: a line on file descriptor 3 (see ReadyReport); `stdout`: the same line on standard output; a
   * function: a probe that resolves when the process answers, and gives up when the signal reports that the
   * process has ended.
   */
  readiness: 'report' | 'stdout' | ((signal: AbortSignal) => Promise<ReadyReport>);
}

export interface RestartPolicy {
  firstDelayMs: number;
  maxDelayMs: number;
  /** After being ready for this long, a process restarts with the first delay again. */
  healthyAfterMs: number;
  /** Failed starts after which the whole start is given up. */
  maxFailedStarts: number;
}

export const defaultRestartPolicy: RestartPolicy = {
  firstDelayMs: 100,
  maxDelayMs: 10_000,
  healthyAfterMs: 5_000,
  maxFailedStarts: 3,
};

/**
 * Exit code of a process with an invalid configuration (EX_CONFIG of sysexits.h): restarting it can't
 * help.
 */
export const configurationExitCode = 78;

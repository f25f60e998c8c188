import type { ReadyReport, Reports } from './ready-report.ts';

/** One process of the platform, as data: how it is started, how one knows that it is ready, and when it is stopped. */
export interface ProcessDefinition {
  /** Shown on the terminal, and the name of its log file. */
  name: string;
  command: string;
  args: string[];
  /** What it gets of the supervisor's own environment; absent: what any program needs. */
  inherited?: NodeJS.ProcessEnv;
  /** What it gets beside that; made from what earlier stages reported. */
  environment: (reports: Reports) => Record<string, string>;
  /** The processes of a stage start together, once all of the stage before are ready. */
  startStage: number;
  /** The processes of a stage stop together, once all of the stage before have ended. */
  stopStage: number;
  /**
   * `report`: a line on file descriptor 3 (see ReadyReport); `stdout`: the same line on standard output; a function:
   * a probe that resolves when the process answers, and gives up when the signal says that the process has ended.
   */
  readiness: 'report' | 'stdout' | ((signal: AbortSignal) => Promise<ReadyReport>);
}

/** How fast what died is started again. Durations in milliseconds. */
export interface RestartPolicy {
  firstDelayMs: number;
  /** The delay doubles with each failure up to this. */
  maxDelayMs: number;
  /** A process that stayed ready for this long starts again with the first delay. */
  healthyAfterMs: number;
  /** A process that ended this often without having been ready once is given up, and the whole start with it. */
  maxFailedStarts: number;
}

export const defaultRestartPolicy: RestartPolicy = {
  firstDelayMs: 250,
  maxDelayMs: 10_000,
  healthyAfterMs: 30_000,
  maxFailedStarts: 3,
};

/** The exit code of a process whose configuration is wrong (EX_CONFIG of sysexits.h): starting it again can't help. */
export const configurationExitCode = 78;

import { whenOrphaned } from '../setup/orphaned.mjs';
import { Guard } from './guard.ts';
import type { ProcessDefinition, RestartPolicy } from './process-definition.ts';
import { ProcessLogs } from './process-logs.ts';
import type { Reports } from './ready-report.ts';
import { RunRecord } from './run-record.ts';
import type { ProcessExit, ProcessFailure, ProcessObserver } from './supervised-process.ts';
import { Supervisor } from './supervisor.ts';
import type { Terminal } from './terminal.ts';

export interface PlatformRun {
  definitions: ProcessDefinition[];
  terminal: Terminal;
  recordFile: string;
  logFolder: string;
  /** Time limit of the first stop stage. */
  graceMs: number;
  restart?: RestartPolicy;
  onReady: (reports: Reports) => void;
  onStopping: () => void;
}

const stillWaitingMs = 10_000;

/**
 * Runs the processes until a stop is requested, or one of them can't be kept running; then stops them all.
 * @returns the exit code: 0 when asked, 78 for a wrong configuration, 1 for another failure, 130
 * when killed
 */
export async function runPlatform(run: PlatformRun): Promise<number> {
  const { definitions, terminal, graceMs } = run;
  const logs = new ProcessLogs(run.logFolder, terminal);
  const record = new RunRecord(run.recordFile);
  const guard = new Guard(graceMs, (pid) => record.add('guard', pid, 'guard'));
  const waiting = new Set(definitions.map((one) => one.name));

  const observer: ProcessObserver = {
    spawned(definition, pid) {
      guard.watch(pid, definition.stopStage);
      record.add(definition.name, pid, definition.stopStage);
      logs.begin(definition.name);
    },
    ready({ name }, isRestart) {
      waiting.delete(name);
      if (isRestart) terminal.show(name, { severity: 'warn', text: 'is running again' });
    },
    ended({ name }, pid, exit, restartInMs) {
      if (pid !== undefined) {
        guard.forget(pid);
        record.remove(pid);
      }
      if (restartInMs === undefined) return;
      const reason = exit.signal ? undefined : logs.reason(name);
      const text = `${describeExit(exit)}; restarting in ${restartInMs} ms${reason ? ` (${reason})` : ''}`;
      terminal.show(name, { severity: 'warn', text });
    },
    line: (definition, line, source, isRunning) => logs.take(definition, line, source, isRunning),
  };

  const supervisor = new Supervisor(definitions, { observer, graceMs, ...(run.restart && { restart: run.restart }) });
  const impatience = Promise.withResolvers<'killed'>();
  const requested = untilStopIsRequested(() => impatience.resolve('killed'));
  const reminder = setInterval(() => {
    const names = [...waiting].map((name) => `${name} (${logs.pathOf(name)})`);
    if (names.length > 0) terminal.say(`Still waiting for ${names.join(', ')}`);
  }, stillWaitingMs);

  const started = supervisor.start().then((reports) => {
    clearInterval(reminder);
    run.onReady(reports);
    return new Promise<never>(() => {});
  });
  const failure = await Promise.race([supervisor.failure, requested, started]);
  clearInterval(reminder);
  run.onStopping();
  if (failure === undefined) terminal.say('\nStopping … (press Ctrl-C again to stop immediately)');
  const ending = await Promise.race([supervisor.stop(), impatience.promise]);
  if (ending === 'killed') supervisor.kill();
  guard.close();
  record.clear();
  logs.close();
  if (ending === 'killed') return 130;
  terminal.say(failure ? describeFailure(failure, logs) : 'Stopped.');
  return failure ? exitCodeOf(failure) : 0;
}

function exitCodeOf(failure: ProcessFailure): number {
  return failure.reason === 'configuration' ? (failure.exit.code ?? 1) : 1;
}

function describeFailure({ name, reason, exit }: ProcessFailure, logs: ProcessLogs): string {
  const errors = logs.errors(name).map((text) => `  ${text}`);
  if (reason === 'configuration') {
    return ['', `Chorus can't run with this configuration. The process ${name} says:`, ...errors].join('\n');
  }
  return [
    '',
    `Chorus could not start: the process ${name} ${describeExit(exit)} repeatedly before it was ready.`,
    ...errors,
    `See its log: ${logs.pathOf(name)}`,
  ].join('\n');
}

function describeExit({ code, signal, error }: ProcessExit): string {
  if (error) return `could not be started (${error})`;
  return signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
}

/**
 * Signals within this time are one request: npm forwards a Ctrl-C to its child, which already got it from the
 * terminal.
 */
const sameRequestMs = 500;

/**
 * Turns SIGINT, SIGTERM, SIGHUP (terminal closed), and the death of a parent npm into requests to stop.
 * @returns resolves at the first request; `onRepeat` is called at each later one
 */
function untilStopIsRequested(onRepeat: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  const take = () => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      resolve();
    } else if (performance.now() - firstAt > sameRequestMs) onRepeat();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, take);
  whenOrphaned(take);
  return promise;
}

import { defaultRestartPolicy, type ProcessDefinition, type RestartPolicy } from './process-definition.ts';
import type { Reports } from './ready-report.ts';
import { type ProcessFailure, type ProcessObserver, SupervisedProcess } from './supervised-process.ts';

export interface SupervisorOptions {
  observer: ProcessObserver;
  restart?: RestartPolicy;
  /** Time for the first stop stage to end before it is killed. */
  graceMs: number;
  /** Additional time for each further stop stage. */
  stageMs?: number;
}

/** Starts processes together, keeps them running, and stops them stage by stage. */
export class Supervisor {
  readonly #processes: SupervisedProcess[];
  readonly #options: SupervisorOptions;
  readonly #failure = Promise.withResolvers<ProcessFailure>();
  #stopped: Promise<void> | undefined;

  constructor(definitions: ProcessDefinition[], options: SupervisorOptions) {
    this.#options = options;
    const { observer, restart = defaultRestartPolicy } = options;
    const onFailure = (failure: ProcessFailure) => this.#failure.resolve(failure);
    this.#processes = definitions.map((one) => new SupervisedProcess(one, restart, observer, onFailure));
  }

  /** Resolves with the first process that can't be kept running; the others continue until `stop`. */
  get failure(): Promise<ProcessFailure> {
    return this.#failure.promise;
  }

  /** Resolves with all reports when all processes are ready; stays pending if one never is. */
  async start(): Promise<Reports> {
    const started = this.#processes.map(async (one) => [one.definition.name, await one.start()] as const);
    return new Map(await Promise.all(started));
  }

  /**
   * Stops all processes, stage by stage. Processes that exceed the time of their stage are killed. In total
   * this takes at most `graceMs`, and `stageMs` for each further stage; somewhat longer on a busy machine,
   * since every stage gets its full time.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopInOrder();
    return this.#stopped;
  }

  kill(): void {
    killAll(this.#processes);
  }

  async #stopInOrder(): Promise<void> {
    const { graceMs, stageMs = 500 } = this.#options;
    const began = performance.now();
    const stages = Map.groupBy(this.#processes, (one) => one.definition.stopStage);
    const inOrder = [...stages].sort(([a], [b]) => a - b).map(([, members]) => members);
    for (const [index, stage] of inOrder.entries()) {
      const leftMs = began + graceMs + stageMs * (index + 1) - performance.now();
      const timer = setTimeout(() => killAll(stage), Math.max(leftMs, stageMs));
      await Promise.all(stage.map((one) => one.terminate()));
      clearTimeout(timer);
    }
  }
}

function killAll(processes: SupervisedProcess[]): void {
  for (const one of processes) one.kill();
}

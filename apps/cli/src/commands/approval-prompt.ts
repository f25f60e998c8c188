import { createInterface } from 'node:readline/promises';
import { ChorusError, type RequiredAction } from '@chorus/client';
import { printable } from '../printable.ts';
import type { CommandContext } from './define-command.ts';

type WaitingCall = RequiredAction['tool_calls'][number];

/** Longest arguments that a question shows. */
const MAX_CHARS = 4_000;

export interface PromptParts extends Pick<CommandContext, 'chorus' | 'output' | 'interrupts'> {
  /** Called if the person closes the input, or a decision cannot be sent. */
  onLeave: (error?: unknown) => void;
}

/** Asks the person at the terminal about calls, while the execution is followed. */
export class ApprovalPrompt {
  readonly #parts: PromptParts;
  #asking: AbortController | null = null;

  constructor(parts: PromptParts) {
    this.#parts = parts;
  }

  /** Asks about calls, one after another, in the background. */
  ask(executionId: string, calls: readonly WaitingCall[]): void {
    this.withdraw();
    const asking = new AbortController();
    this.#asking = asking;
    this.#askAll(executionId, calls, asking.signal).catch((error) => {
      if (!asking.signal.aborted) this.#parts.onLeave(error);
    });
  }

  /** Withdraws the question: someone else decided, or the execution ended. */
  withdraw(): void {
    this.#asking?.abort();
    this.#asking = null;
  }

  async #askAll(executionId: string, calls: readonly WaitingCall[], signal: AbortSignal): Promise<void> {
    const { chorus, output, onLeave } = this.#parts;
    for (const { tool_call_id, name, arguments: json } of calls) {
      output.note(`\nThe agent wants to run ${name}:\n${describeArguments(json)}`);
      const approved = await this.#yesOrNo(signal);
      if (approved === null) return onLeave();
      const reason = approved ? '' : await this.#question('Reason for the model (optional): ', signal);
      if (reason === null) return onLeave();
      const decision = approved ? ('approve' as const) : ('deny' as const);
      try {
        await chorus.jobs.decide(executionId, { tool_call_id, decision, ...(reason.trim() && { reason }) });
      } catch (error) {
        if (!(error instanceof ChorusError) || error.code !== 'already_decided') throw error;
        output.note('Someone else has already decided.');
      }
    }
    this.#asking = null;
  }

  async #yesOrNo(signal: AbortSignal): Promise<boolean | null> {
    for (;;) {
      const answer = await this.#question('Approve? [y/n] ', signal);
      if (answer === null) return null;
      const [letter] = answer.trim().toLowerCase();
      if (letter === 'y' || letter === 'n') return letter === 'y';
    }
  }

  /** Returns the answer; null if the input was closed. */
  async #question(text: string, signal: AbortSignal): Promise<string | null> {
    const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
    terminal.on('SIGINT', () => this.#parts.interrupts.trigger());
    try {
      const closed = new Promise<null>((resolve) => {
        terminal.once('close', () => resolve(null));
      });
      return await Promise.race([terminal.question(text, { signal }), closed]);
    } finally {
      terminal.close();
    }
  }
}

function describeArguments(json: string): string {
  let text = json;
  try {
    text = JSON.stringify(JSON.parse(json), null, 2);
  } catch {}
  // Reversed or hidden text must not deceive the person who decides.
  const shown = printable(text).replace(/\p{Cf}/gu, (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`);
  return shown.length > MAX_CHARS
    ? `${shown.slice(0, MAX_CHARS)}\n… ${shown.length - MAX_CHARS} more characters`
    : shown;
}

/** Lists the waiting calls, and how to decide. */
export function describeWait(executionId: string, calls: readonly WaitingCall[]): string {
  const waiting = calls.map(({ tool_call_id, name, arguments: json }) => `  ${tool_call_id}  ${name}(${json})`);
  return [
    `${executionId} waits for approval:`,
    ...waiting,
    `To decide: chorus jobs approve ${executionId}, or chorus jobs deny ${executionId} --reason <text>`,
  ].join('\n');
}

import type { StreamFrame } from '@chorus/client';
import type { Output } from '../output.ts';
import { AgentSteps } from './agent-steps.ts';
import { describeProviderWait } from './describe-provider-wait.ts';

/** An answer while it is written, with an agent's steps on separate lines. */
export class AnswerScreen {
  readonly #output: Output;
  readonly #showsText: boolean;
  readonly #steps: AgentSteps;
  /** Whether the last line is complete. */
  #atStart = true;
  #waitsFor = '';

  constructor(output: Output, showsText: boolean) {
    this.#output = output;
    this.#showsText = showsText;
    this.#steps = new AgentSteps(output);
  }

  show(frame: StreamFrame): void {
    if (frame.type === 'output.item' && frame.item.type === 'tool_call' && frame.item.status !== 'requested') {
      this.#endLine();
      this.#steps.show(frame.item);
    } else if (frame.type === 'execution.requires_action') this.#endLine();
    else if (frame.type === 'execution.waiting') this.#wait(frame);
    else if (frame.type === 'text.reset') this.#write('\n— Restarting the answer —\n');
    else if (frame.type === 'text.delta' || frame.type === 'refusal.delta') this.#write(frame.delta);
  }

  /** Says once that a provider is waited for, and again for another reason. */
  #wait(frame: Extract<StreamFrame, { type: 'execution.waiting' }>): void {
    const about = `${frame.provider} ${frame.reason}`;
    if (about === this.#waitsFor) return;
    this.#waitsFor = about;
    this.#endLine();
    this.#output.note(`${describeProviderWait(frame).replace(/^w/, 'W')}…`);
  }

  #write(text: string): void {
    if (!this.#showsText) return;
    // A step before it has ended its line.
    const shown = this.#atStart ? text.replace(/^\n+/, '') : text;
    if (shown === '') return;
    this.#output.text(shown);
    this.#atStart = shown.endsWith('\n');
  }

  #endLine(): void {
    if (!this.#atStart) this.#output.text('\n');
    this.#atStart = true;
  }
}

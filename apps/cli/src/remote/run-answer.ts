import {
  type Execution,
  type ExecutionStream,
  type FollowOptions,
  isTerminalFrame,
  type RequiredAction,
  type StreamFrame,
  toolCallsOf,
} from '@chorus/client';
import { AgentSteps } from './agent-steps.ts';
import { ApprovalPrompt, describeWait } from './approval-prompt.ts';
import { EXIT } from './exit-codes.ts';
import type { RemoteContext } from './remote-command.ts';
import { exitCodeOfEnd, runExecution } from './run-execution.ts';

/**
 * Shows an answer, the steps of its agent, and its sources. A terminal shows it while it is written. Other outputs
 * get it when complete, because text before a reset cannot be taken back there. Calls that need approval are decided
 * at a terminal; without one, the execution is left waiting.
 */
export async function runAnswer(
  context: RemoteContext,
  open: (options: FollowOptions) => ExecutionStream,
): Promise<{ code: number; execution: Execution }> {
  const { output, chorus } = context;
  const leaving = new AbortController();
  const stream = open({ signal: leaving.signal });
  const onLeave = (error?: unknown) => leaving.abort(error ?? new Error('The execution waits for approval.'));
  const prompt = process.stdin.isTTY && !output.json ? new ApprovalPrompt({ ...context, onLeave }) : null;
  const screen = new AnswerScreen(context);
  let waiting: RequiredAction | null = null;
  const show = (frame: StreamFrame) => {
    screen.show(frame);
    if (frame.type === 'execution.requires_action') {
      waiting = frame.required_action;
      if (prompt === null) onLeave();
      else prompt.ask(frame.execution_id, waiting.tool_calls);
    } else if (frame.type === 'execution.started' || isTerminalFrame(frame)) {
      waiting = null;
      prompt?.withdraw();
    }
  };
  try {
    const execution = await runExecution(context, stream, show);
    showEnd(context, execution);
    return { code: exitCodeOfEnd(context, execution), execution };
  } catch (error) {
    if (!leaving.signal.aborted || waiting === null || stream.executionId === null) throw error;
    const execution = await chorus.jobs.get(stream.executionId);
    output.note(describeWait(execution.id, execution.required_action?.tool_calls ?? []));
    return { code: EXIT.waiting, execution };
  } finally {
    prompt?.withdraw();
  }
}

/** An answer at a terminal, while it is written, between the steps of an agent. */
class AnswerScreen {
  readonly #output: RemoteContext['output'];
  readonly #steps: AgentSteps;
  /** Whether the last line is complete. */
  #atStart = true;

  constructor({ output }: Pick<RemoteContext, 'output'>) {
    this.#output = output;
    this.#steps = new AgentSteps(output);
  }

  show(frame: StreamFrame): void {
    const { isTerminal } = this.#output;
    if (frame.type === 'output.item' || frame.type === 'execution.requires_action') {
      if (frame.type === 'output.item' && frame.item.type !== 'tool_call') return;
      if (isTerminal && !this.#atStart) this.#output.text('\n');
      this.#atStart = true;
      this.#steps.show(frame);
    }
    if (!isTerminal) return;
    if (frame.type === 'text.reset') this.#write('\n— Restarting the answer —\n');
    if (frame.type === 'text.delta' || frame.type === 'refusal.delta') this.#write(frame.delta);
  }

  #write(text: string): void {
    // Steps are apart from the text already.
    const shown = this.#atStart ? text.replace(/^\n+/, '') : text;
    if (shown === '') return;
    this.#output.text(shown);
    this.#atStart = shown.endsWith('\n');
  }
}

function showEnd({ output }: RemoteContext, execution: Execution): void {
  const text = execution.output
    .flatMap((item) => (item.type === 'text' ? item.text : item.type === 'refusal' ? item.refusal : []))
    .join('');
  if (text !== '') output.text(`${output.isTerminal ? '' : text.trimEnd()}\n`);
  for (const { name, arguments: json } of toolCallsOf(execution)) output.line(`→ ${name}(${json})`);
  for (const item of execution.output) {
    if (item.type !== 'citation') continue;
    output.line(`[${item.marker}] ${item.title}${item.page === null ? '' : `, page ${item.page}`}: “${item.quote}”`);
  }
}

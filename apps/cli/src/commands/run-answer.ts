import {
  type Execution,
  type ExecutionStream,
  type FollowOptions,
  isTerminalFrame,
  type RequiredAction,
  type StreamFrame,
  toolCallsOf,
} from '@chorus/client';
import { AnswerScreen } from './answer-screen.ts';
import { ApprovalPrompt, describeWait } from './approval-prompt.ts';
import type { CommandContext } from './define-command.ts';
import { EXIT } from './exit-codes.ts';
import { exitCodeOfEnd, runExecution } from './run-execution.ts';

/**
 * Shows an answer, the steps of its agent, and its sources. A terminal shows it while it is written. Other outputs
 * get it when complete, because text before a reset cannot be taken back there. Calls that need approval are decided
 * at a terminal; without one, the execution is left waiting.
 */
export async function runAnswer(
  context: CommandContext,
  open: (options: FollowOptions) => ExecutionStream,
): Promise<{ code: number; execution: Execution }> {
  const { output, chorus } = context;
  const leaving = new AbortController();
  const stream = open({ signal: leaving.signal });
  const onLeave = (error?: unknown) => leaving.abort(error ?? new Error('The execution waits for approval.'));
  const prompt = process.stdin.isTTY && !output.json ? new ApprovalPrompt({ ...context, onLeave }) : null;
  const screen = new AnswerScreen(output, output.isTerminal);
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

function showEnd({ output }: CommandContext, execution: Execution): void {
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

import { type Execution, type ExecutionStream, type StreamFrame, toolCallsOf } from '@chorus/client';
import type { RemoteContext } from './remote-command.ts';
import { exitCodeOfEnd, runExecution } from './run-execution.ts';

/**
 * Shows an answer, its tool calls, and its sources. A terminal shows it while it is written. Other outputs get it
 * when complete, because text before a reset cannot be taken back there.
 */
export async function runAnswer(
  context: Pick<RemoteContext, 'output' | 'interrupts'>,
  stream: ExecutionStream,
): Promise<{ code: number; execution: Execution }> {
  const { output } = context;
  const show = (frame: StreamFrame) => {
    if (frame.type === 'execution.requires_action') output.note(describeWait(frame));
    if (!output.isTerminal) return;
    if (frame.type === 'text.delta' || frame.type === 'refusal.delta') output.text(frame.delta);
    if (frame.type === 'text.reset') output.text('\n— Restarting the answer —\n');
  };
  const execution = await runExecution(context, stream, show);
  const text = execution.output
    .flatMap((item) => (item.type === 'text' ? item.text : item.type === 'refusal' ? item.refusal : []))
    .join('');
  if (text !== '') output.text(`${output.isTerminal ? '' : text.trimEnd()}\n`);
  for (const { name, arguments: json } of toolCallsOf(execution)) output.line(`→ ${name}(${json})`);
  for (const item of execution.output) {
    if (item.type !== 'citation') continue;
    output.line(`[${item.marker}] ${item.title}${item.page === null ? '' : `, page ${item.page}`}: “${item.quote}”`);
  }
  return { code: exitCodeOfEnd(context, execution), execution };
}

/** Says which calls of an agent wait for a person. */
export function describeWait({
  execution_id,
  required_action: { tool_calls },
}: Extract<StreamFrame, { type: 'execution.requires_action' }>): string {
  const calls = tool_calls.map(({ tool_call_id, name, arguments: json }) => `${name}(${json}) [${tool_call_id}]`);
  return `Waiting for approval of ${calls.join(', ')}: POST /jobs/${execution_id}/actions`;
}

import type { Execution, ExecutionStream, StreamFrame } from '@chorus/client';
import type { RemoteContext } from './remote-command.ts';
import { exitCodeOfEnd, runExecution } from './run-execution.ts';

/**
 * Shows an answer and its sources. At a terminal as it is written; elsewhere when it is whole, since what was said before an answer began anew can't be taken back
 * there.
 */
export async function runAnswer(
  context: Pick<RemoteContext, 'output' | 'interrupts'>,
  stream: ExecutionStream,
): Promise<{ code: number; execution: Execution }> {
  const { output } = context;
  const show = (frame: StreamFrame) => {
    if (!output.isTerminal) return;
    if (frame.type === 'text.delta') output.text(frame.delta);
    if (frame.type === 'text.reset') output.text('\n— begins anew —\n');
  };
  const execution = await runExecution(context, stream, show);
  const text = execution.output.flatMap((item) => (item.type === 'text' ? item.text : [])).join('');
  if (text !== '') output.text(`${output.isTerminal ? '' : text.trimEnd()}\n`);
  for (const item of execution.output) {
    if (item.type !== 'citation') continue;
    output.line(`[${item.marker}] ${item.title}${item.page === null ? '' : `, page ${item.page}`}: “${item.quote}”`);
  }
  return { code: exitCodeOfEnd(context, execution), execution };
}

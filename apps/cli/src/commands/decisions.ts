import type { Execution } from '@chorus/client';
import { UsageError } from '../command.ts';
import { shorten } from './agent-steps.ts';
import { type CommandContext, textOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';

/** Lists the calls that wait for a decision: of one execution, or of all. */
export async function listWaiting({ chorus, output, interrupts }: CommandContext, id?: string): Promise<number> {
  const { signal } = interrupts;
  const found: Execution[] =
    id === undefined
      ? await Array.fromAsync(chorus.jobs.all({ status: 'requires_action', limit: 100 }, { signal }))
      : [await chorus.jobs.get(id, { signal })];
  const waiting = found.flatMap(({ id: job_id, required_action: action }) =>
    (action?.tool_calls ?? []).map((call) => ({ job_id, ...call, expires_at: action?.expires_at ?? null })),
  );
  output.table(['JOB', 'CALL', 'TOOL', 'ARGUMENTS', 'EXPIRES'], waiting, (call) => [
    call.job_id,
    call.tool_call_id,
    call.name,
    shorten(call.arguments),
    call.expires_at,
  ]);
  return EXIT.done;
}

/** Approves or denies calls of an execution: the named ones, or the only one that waits. */
export async function decide(
  { chorus, output, options, interrupts }: CommandContext,
  decision: 'approve' | 'deny',
  id: string,
  named: readonly string[],
): Promise<number> {
  const { signal } = interrupts;
  const reason = textOption(options, 'reason');
  if (reason !== undefined && decision === 'approve') throw new UsageError('--reason is only for deny.');
  const calls = named.length > 0 ? named : await onlyCall();
  let execution: Execution | null = null;
  for (const tool_call_id of calls)
    execution = await chorus.jobs.decide(id, { tool_call_id, decision, reason }, { signal });
  const left = execution?.required_action?.tool_calls.length ?? 0;
  const done = `${id}  ${decision === 'approve' ? 'approved' : 'denied'}`;
  output.done(left > 0 ? `${done}, ${left} more waiting` : done, execution ?? {});
  return EXIT.done;

  async function onlyCall(): Promise<string[]> {
    const waiting = (await chorus.jobs.get(id, { signal })).required_action?.tool_calls ?? [];
    const ids = waiting.map(({ tool_call_id }) => tool_call_id);
    if (ids.length === 0) throw new UsageError(`${id} is not waiting for a decision.`);
    if (ids.length > 1 && options.all !== true)
      throw new UsageError(`Several calls are waiting: specify their ids, or use --all. Waiting: ${ids.join(', ')}.`);
    return ids;
  }
}

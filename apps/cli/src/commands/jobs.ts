import type { Execution, FeedFrame } from '@chorus/client';
import { UsageError } from '../command.ts';
import { AnswerScreen } from './answer-screen.ts';
import { describeWait } from './approval-prompt.ts';
import { decide, listWaiting } from './decisions.ts';
import { defineActions } from './define-actions.ts';
import { type CommandContext, textOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';
import { numberOption } from './number-option.ts';
import { exitCodeOfEnd } from './run-execution.ts';

export const jobs = defineActions({
  name: 'jobs',
  summary: 'Manages executions, and decides on their tool calls.',
  actions: {
    list: { does: 'lists the newest', run: list },
    get: {
      args: '<id>',
      does: 'shows one as JSON',
      async run({ chorus, output, interrupts: { signal } }, id = '') {
        output.document(await chorus.jobs.get(id, { signal }));
        return EXIT.done;
      },
    },
    watch: {
      args: '[<id>]',
      does: 'follows one to its end, or all events in the scope; Ctrl-C stops only watching',
      run: (context, id) => (id === undefined ? watchAll(context) : watch(context, id)),
    },
    cancel: {
      args: '<id>',
      does: 'cancels one that is queued or running',
      run: async (context, id = '') =>
        print(context, await context.chorus.jobs.cancel(id, { signal: context.interrupts.signal })),
    },
    retry: {
      args: '<id>',
      does: 'runs a failed or cancelled one again as a new execution',
      run: async (context, id = '') =>
        print(context, await context.chorus.jobs.retry(id, {}, { signal: context.interrupts.signal })),
    },
    actions: {
      args: '[<id>]',
      does: 'lists the tool calls that wait for a decision; without an id, those of all executions',
      run: listWaiting,
    },
    approve: {
      args: '<id> [<call>…]',
      does: 'approves the only waiting call, the named ones, or --all',
      run: (context, id = '', ...calls) => decide(context, 'approve', id, calls),
    },
    deny: {
      args: '<id> [<call>…]',
      does: 'denies calls; --reason <text> tells the model why',
      run: (context, id = '', ...calls) => decide(context, 'deny', id, calls),
    },
    delete: {
      args: '<id>',
      does: 'deletes one that has ended; --assets also deletes its files',
      async run({ chorus, options, output, interrupts: { signal } }, id = '') {
        const deleted = await chorus.jobs.delete(id, { assets: options.assets === true }, { signal });
        output.done(`${id}  deleted`, deleted);
        return EXIT.done;
      },
    },
  },
  options: {
    status: { type: 'string' },
    kind: { type: 'string' },
    batch: { type: 'string' },
    limit: { type: 'string' },
    assets: { type: 'boolean' },
    reason: { type: 'string' },
    all: { type: 'boolean' },
  },
  details: ['list takes --status, --kind, --batch, and --limit <number> (default 20).'],
});

function print({ output }: CommandContext, execution: Execution): number {
  output.done(`${execution.id}  ${execution.status}`, execution);
  return EXIT.done;
}

const STATUSES = ['queued', 'running', 'requires_action', 'succeeded', 'failed', 'cancelling', 'cancelled'] as const;

async function list({ chorus, options, output, interrupts: { signal } }: CommandContext): Promise<number> {
  const asked = textOption(options, 'status');
  const status = STATUSES.find((one) => one === asked);
  if (asked !== undefined && status === undefined)
    throw new UsageError(`--status must be one of: ${STATUSES.join(', ')}.`);
  // The server reports unknown kinds.
  const kind = textOption(options, 'kind') as NonNullable<Parameters<typeof chorus.jobs.all>[0]>['kind'];
  const query = { status, kind, batch_id: textOption(options, 'batch') };
  const limit = numberOption(options, 'limit') ?? 20;
  const found: Execution[] = [];
  const page = { ...query, limit: Math.min(100, Math.max(1, limit)) };
  for await (const execution of chorus.jobs.all(page, { signal })) {
    if (found.push(execution) >= limit) break;
  }
  output.table(['ID', 'KIND', 'STATUS', 'MODEL', 'CREATED'], found, (one) => [
    one.id,
    one.kind,
    one.status,
    one.model,
    one.created_at,
  ]);
  return EXIT.done;
}

async function watch(context: CommandContext, id: string): Promise<number> {
  const { chorus, output, interrupts } = context;
  const stream = chorus.jobs.watch(id, { signal: interrupts.signal });
  const screen = new AnswerScreen(output, true);
  for await (const frame of stream) {
    output.record(frame);
    screen.show(frame);
    if (frame.type === 'tool_call.delta')
      output.text(`${frame.first ? `\n→ ${frame.name} ` : ''}${frame.arguments_delta}`);
    else if (frame.type === 'execution.requires_action')
      output.note(describeWait(id, frame.required_action.tool_calls));
    else if (frame.type === 'progress')
      output.note(`${frame.progress.stage} ${frame.progress.completed} of ${frame.progress.total}`);
  }
  const { execution } = stream.progress;
  output.line('');
  return execution === null ? EXIT.done : exitCodeOfEnd(context, execution);
}

async function watchAll({ chorus, output, interrupts: { signal } }: CommandContext): Promise<number> {
  for await (const { event } of chorus.events.watch({ signal })) {
    output.record(event);
    if ('time' in event) output.line(describe(event));
    else if (event.type === 'events.lost') output.note('Some events were missed.');
  }
  return EXIT.done;
}

function describe(event: Extract<FeedFrame, { time: string }>): string {
  return `${event.time}  ${event.type.padEnd(20)}  ${subjectOf(event)}`;
}

function subjectOf(event: Extract<FeedFrame, { time: string }>): string {
  switch (event.type) {
    case 'asset.created':
    case 'asset.deleted':
      return event.asset_id;
    case 'session.updated':
    case 'session.deleted':
      return event.session_id;
    case 'folder.updated':
    case 'folder.deleted':
      return event.folder_id;
    case 'batch.created':
    case 'batch.progress':
    case 'batch.completed':
    case 'batch.cancelled':
      return `${event.batch_id} ${event.counts.succeeded} of ${event.counts.total}`;
    case 'execution.failed':
      return `${event.kind} ${event.execution_id}: ${event.error?.message ?? 'failed'}`;
    default:
      return `${event.kind} ${event.execution_id}`;
  }
}

import { execution, idSchema, isTerminal } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { answerText } from '@chorus/executions';
import { z } from 'zod';
import type { ScopedContext } from '../../http/request-context.ts';
import { unknownRecord } from '../../http/unknown-record.ts';
import { latestRecord } from '../../latest-record.ts';
import { defineTool, type McpTool, type Shown } from '../define-tool.ts';
import { showImages } from './generate-image.ts';

const { status, progress, error, created_at, finished_at } = execution.shape;

/** Creates the tool that shows executions. Those of other tools are shown as by these tools. */
export const getJobOf = (toolOf: (record: ExecutionRecord) => McpTool | undefined) =>
  defineTool({
    name: 'get_job',
    title: 'Get a job',
    description:
      'Gets a job by its id: whether it still runs, its progress, and its result. Works for jobs of these tools and of ' +
      'the API. With wait_s, waits for its end first.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: z.strictObject({
      job_id: idSchema('job'),
      wait_s: z.int().min(0).max(50).default(0).describe('Seconds to wait for the end of the job'),
    }),
    output: z.object({
      job_id: z.string(),
      kind: z.string(),
      status,
      progress,
      error: error.describe('Why it failed'),
      created_at,
      finished_at,
      result: z.looseObject({}).nullable().describe('As the tool that started the job returns it'),
    }),
    needs: () => 'read',
    start: async ({ job_id, wait_s }, context) => {
      const record = await latestRecord(context.services, context.owner, job_id);
      if (record === null) throw unknownRecord('job');
      if (isTerminal(record.status) || wait_s === 0) return { shown: await showJob(record, context, toolOf(record)) };
      return { record, waitMs: wait_s * 1_000 };
    },
    show: (record, context) => showJob(record, context, toolOf(record)),
    showsFailures: true,
  });

async function showJob(record: ExecutionRecord, context: ScopedContext, tool: McpTool | undefined): Promise<Shown> {
  const { id, kind, status, progress, error, created_at, finished_at } = record;
  const facts = {
    job_id: id,
    kind,
    status,
    progress,
    error,
    created_at: created_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
  };
  if (status !== 'succeeded') {
    const at = progress === null ? '' : ` (${progress.stage} ${progress.completed}/${progress.total})`;
    const more = isTerminal(status) ? '' : ' It continues: call get_job again, for example with wait_s 30.';
    const text = `The job ${id} is ${status}${at}.${error === null ? '' : ` ${error.message}`}${more}`;
    return { content: [{ type: 'text', text }], fields: { ...facts, result: null } };
  }
  const { content, fields } = await (tool === undefined ? showOther(record, context) : tool.show(record, context));
  return { content, fields: { ...facts, result: fields } };
}

/** Shows the text and the files of an execution that no tool starts. */
async function showOther(record: ExecutionRecord, context: ScopedContext): Promise<Shown> {
  const text = answerText(record);
  const { content, fields } = await showImages(record, context);
  const [list, ...files] = content;
  const shown = text === '' ? list : ({ type: 'text', text } as const);
  return { content: [...(shown ? [shown] : []), ...files], fields: { text, files: fields.images } };
}

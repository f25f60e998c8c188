import type { ChatExecution, Execution } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import type { Addresses } from './addresses.ts';
import { presentItem } from './present-item.ts';

/** Unix seconds, as OpenAI's objects have it. */
export const createdSeconds = (record: ExecutionRecord) => Math.floor(record.created_at.getTime() / 1_000);

/** The public face of an execution. */
export function presentExecution(
  record: ExecutionRecord,
  { baseUrl, assetUrls }: Addresses,
): Execution | ChatExecution {
  const self = `${baseUrl}/api/v1/jobs/${record.id}`;
  const execution: Execution = {
    id: record.id,
    object: 'execution',
    kind: record.kind,
    surface: record.surface,
    status: record.status,
    model: record.model,
    provider: record.provider,
    output: record.output.map((item) => presentItem(item, assetUrls)),
    progress: record.progress,
    usage: record.usage,
    context: record.context,
    warnings: record.warnings,
    error: record.error,
    attempt: record.attempt,
    retry_of: record.retry_of,
    session_id: record.session_id,
    message_id: record.message_id,
    batch_id: record.batch_id,
    metadata: record.metadata,
    user_id: record.owner.user_id,
    created_at: record.created_at.toISOString(),
    started_at: record.started_at?.toISOString() ?? null,
    finished_at: record.finished_at?.toISOString() ?? null,
    urls: { self, events: `${self}/events`, cancel: `${self}/cancel` },
  };
  return record.kind === 'chat.completion' ? asChatCompletion(execution, record) : execution;
}

function asChatCompletion(execution: Execution, record: ExecutionRecord): ChatExecution {
  const text = record.output.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('');
  const ended = record.finished_at !== null;
  return {
    ...execution,
    object: 'chat.completion',
    created: createdSeconds(record),
    choices: ended
      ? [
          {
            index: 0,
            message: { role: 'assistant', content: text, refusal: null },
            finish_reason: record.finish_reason,
            logprobs: null,
          },
        ]
      : [],
    usage: {
      ...record.usage,
      prompt_tokens: record.usage.input_tokens,
      completion_tokens: record.usage.output_tokens,
    },
  };
}

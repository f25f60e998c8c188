import type { ExecutionProgress, Message, ToolCallItem } from '@chorus/client';

/** A call of an agent, as executions and messages have it. */
export type StepCall = Pick<ToolCallItem, 'id' | 'name' | 'arguments' | 'status' | 'result'> &
  Partial<Pick<ToolCallItem, 'started_at' | 'finished_at'>>;

/** A piece of an answer: text, or calls in a row. */
export type Segment = { type: 'text'; text: string } | { type: 'calls'; calls: StepCall[] };

/** Returns an answer that is being written, in order. */
export function segmentsOfProgress({
  output,
  texts,
  refusal,
}: Pick<ExecutionProgress, 'output' | 'texts' | 'refusal'>): Segment[] {
  const length = Math.max(output.length, texts.length);
  const parts = Array.from({ length }, (_, index): Segment => {
    const item = output[index];
    const isCall = item?.type === 'tool_call' && item.status !== 'requested';
    return isCall ? { type: 'calls', calls: [item] } : { type: 'text', text: texts[index] ?? '' };
  });
  return join([...parts, { type: 'text', text: refusal }]);
}

/** Returns a finished answer, in order. */
export function segmentsOfMessage({ content, steps }: Pick<Message, 'content' | 'steps'>): Segment[] {
  const said = steps.map((step) => step.content).join('');
  // An edited text follows the calls.
  const isEdited = !content.startsWith(said);
  const parts = steps.flatMap(({ content: text, tool_calls: calls }): Segment[] => [
    { type: 'text', text: isEdited ? '' : text },
    { type: 'calls', calls },
  ]);
  return join([...parts, { type: 'text', text: isEdited ? content : content.slice(said.length) }]);
}

/** Joins neighbors of the same type. */
function join(parts: readonly Segment[]): Segment[] {
  const segments: Segment[] = [];
  for (const part of parts) {
    const last = segments.at(-1);
    if (part.type === 'text') {
      if (part.text.trim() === '') continue;
      if (last?.type === 'text') segments[segments.length - 1] = { type: 'text', text: last.text + part.text };
      else segments.push(part);
    } else if (part.calls.length > 0) {
      if (last?.type === 'calls')
        segments[segments.length - 1] = { type: 'calls', calls: [...last.calls, ...part.calls] };
      else segments.push(part);
    }
  }
  return segments;
}

const IMAGE_TOOL = 'generate_image';

/** Returns the ids of files that calls created. */
export function filesOf(calls: readonly StepCall[]): string[] {
  const ids = calls.flatMap(({ name, status, result }) => {
    if (status !== 'succeeded' || result === null) return [];
    const named =
      name === IMAGE_TOOL ? result.matchAll(/\b(ast_\w{26})\b/g) : result.matchAll(/: asset (ast_\w{26}),/g);
    return [...named].map(([, id = '']) => id);
  });
  return [...new Set(ids)].slice(0, MAX_FILES);
}

const MAX_FILES = 16;

import type { Message, OutputItem, ToolCallItem } from '@chorus/client';

/** A call of an agent, as executions and messages have it. */
export type StepCall = Pick<ToolCallItem, 'id' | 'name' | 'arguments' | 'status' | 'result'> &
  Partial<Pick<ToolCallItem, 'started_at' | 'finished_at'>>;

/** A piece of an answer: text, or calls in a row. */
export type Segment = { type: 'text'; text: string } | { type: 'calls'; calls: StepCall[] };

/**
 * Returns an answer that is being written, in order.
 *
 * @param text all text so far, which is ahead of the finished items
 */
export function segmentsOfOutput(output: readonly (OutputItem | undefined)[], text: string): Segment[] {
  const parts = output.flatMap((item): Segment[] => {
    if (item?.type === 'text') return [{ type: 'text', text: item.text }];
    return item?.type === 'tool_call' && item.status !== 'requested' ? [{ type: 'calls', calls: [item] }] : [];
  });
  return arrange(parts, text);
}

/** Returns a finished answer, in order. */
export function segmentsOfMessage({ content, steps }: Pick<Message, 'content' | 'steps'>): Segment[] {
  const parts = steps.flatMap(({ content: text, tool_calls: calls }): Segment[] => [
    { type: 'text', text },
    { type: 'calls', calls },
  ]);
  return arrange(parts, content);
}

/** Completes the text. If it does not begin with that of the parts, as after an edit, it follows the calls. */
function arrange(parts: readonly Segment[], whole: string): Segment[] {
  const said = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const known = whole.startsWith(said);
  const before = known ? parts : parts.filter(({ type }) => type === 'calls');
  const segments: Segment[] = [];
  for (const part of [...before, { type: 'text' as const, text: known ? whole.slice(said.length) : whole }]) {
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

/** Returns the ids of files that calls have made. */
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

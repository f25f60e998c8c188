import type { StreamFrame, ToolCallItem } from '@chorus/client';
import type { Output } from '../output.ts';

const MAX_CHARS = 100;

/** Shows the calls of an agent on standard error: a line when one starts, and one when it ends. */
export class AgentSteps {
  readonly #output: Output;
  readonly #shown = new Map<string, ToolCallItem['status']>();

  constructor(output: Output) {
    this.#output = output;
  }

  /** Shows what a frame says about a call. Returns whether it printed a line. */
  show(frame: StreamFrame): boolean {
    if (frame.type !== 'output.item' || frame.item.type !== 'tool_call' || this.#output.json) return false;
    const { item } = frame;
    // An attempt that takes over shows finished calls again.
    if (this.#shown.get(item.id) === item.status) return false;
    this.#shown.set(item.id, item.status);
    const line = lineOf(item);
    if (line !== null) this.#output.note(line);
    return line !== null;
  }
}

function lineOf(call: ToolCallItem): string | null {
  const time = call.started_at === null || call.finished_at === null ? '' : ` (${secondsOf(call)} s)`;
  switch (call.status) {
    case 'running':
      return `→ ${call.name}(${shorten(call.arguments)})`;
    case 'succeeded':
      return `✓ ${call.name}${time}: ${shorten(call.result ?? '')}`;
    case 'failed':
      return `✗ ${call.name}${time}: ${shorten(call.result ?? '')}`;
    case 'denied':
      return `✗ ${call.name}: denied${call.result ? `, ${shorten(call.result)}` : ''}`;
    case 'unknown':
      return `? ${call.name}: unknown outcome. It was interrupted and may have had an effect.`;
    default:
      return null;
  }
}

const secondsOf = ({ started_at, finished_at }: ToolCallItem): string =>
  ((Date.parse(finished_at ?? '') - Date.parse(started_at ?? '')) / 1_000).toFixed(1);

/** Returns the text on one line, cut. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line;
}

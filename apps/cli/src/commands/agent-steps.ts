import type { ToolCallItem } from '@chorus/client';
import type { Output } from '../output.ts';

const MAX_CHARS = 100;

/** Shows the calls of an agent on standard error: a line when one starts, and one when it ends. */
export class AgentSteps {
  readonly #output: Output;
  readonly #shown = new Map<string, ToolCallItem['status']>();

  constructor(output: Output) {
    this.#output = output;
  }

  show(call: ToolCallItem): void {
    // An attempt that takes over shows finished calls again.
    if (this.#output.json || this.#shown.get(call.id) === call.status) return;
    this.#shown.set(call.id, call.status);
    const line = lineOf(call);
    if (line !== null) this.#output.note(line);
  }
}

function lineOf(call: ToolCallItem): string | null {
  const time = call.started_at === null || call.finished_at === null ? '' : ` (${durationOf(call)})`;
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

function durationOf({ started_at, finished_at }: ToolCallItem): string {
  const ms = Math.max(0, Date.parse(finished_at ?? '') - Date.parse(started_at ?? ''));
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Returns the text on one line, truncated. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line;
}

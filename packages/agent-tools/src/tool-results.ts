import { ChorusError } from '@chorus/contract';
import { RequestFailure } from '@chorus/outbound';
import type { ToolResult } from './agent-tool.ts';
import { clip } from './untrusted-text.ts';

/** Maximum text in one result: as much as an MCP server may send. */
export const MAX_RESULT_CHARS = 16_000_000;

/** Keeps a model from repeating a call blindly. */
export const MAY_HAVE_RUN = 'The call may have had its effect.';

export const failed = (text: string): ToolResult => ({ text, isError: true });

/** Cuts a long result, with a note. */
export function bounded(text: string, maxChars = MAX_RESULT_CHARS): string {
  return text.length <= maxChars ? text : `${clip(text, maxChars)}\n\n[Cut: the result has ${text.length} characters.]`;
}

/**
 * Runs a call. Failures that the model may see become results; others are reported to `onError` and hidden.
 * @throws the signal's reason
 */
export async function asResult(
  signal: AbortSignal,
  work: () => Promise<ToolResult>,
  onError: (error: unknown) => void,
): Promise<ToolResult> {
  signal.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ChorusError || error instanceof RequestFailure) return failed(error.message);
    onError(error);
    return failed('The tool failed because of an internal error.');
  }
}

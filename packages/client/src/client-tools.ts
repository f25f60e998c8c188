import type { FunctionTool } from './generated/api-types.ts';

/** Maximum length of a result that the server accepts. */
const MAX_OUTPUT_CHARS = 1_000_000;

export interface ToolContext {
  /** Id of the call. */
  callId: string;
  /** Aborts when the run is aborted or no longer read. */
  signal: AbortSignal;
}

/** A tool that runs in your program. */
export interface ClientTool<Args = unknown> {
  /** Tells the model what the tool does and when to call it. */
  description?: string | undefined;
  /** JSON Schema of the arguments, an object. Default: no arguments. */
  parameters?: Record<string, unknown> | undefined;
  /** Whether the provider must follow `parameters` exactly. */
  strict?: boolean | undefined;
  /**
   * Checks the arguments, which a model may get wrong. The model sees the message of any error.
   *
   * @example
   * parse: z.object({ city: z.string() }).parse
   */
  parse?(args: unknown): Args;
  /**
   * Runs a call. A result other than a string is sent as JSON. The model sees the message of any error.
   */
  run(args: Args, context: ToolContext): unknown;
}

/** Tools by name. */
export type ClientTools = Readonly<Record<string, ClientTool>>;

/**
 * Returns the tool, with the types of its arguments checked.
 *
 * @example
 * const weather = defineTool<{ city: string }>({
 *   description: 'The weather in a city',
 *   parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
 *   run: async ({ city }) => (await fetch(`https://weather.example.org/${city}`)).text(),
 * });
 */
export const defineTool = <Args>(tool: ClientTool<Args>): ClientTool<Args> => tool;

/** Returns tools in the form of a request. */
export function declareTools(tools: ClientTools): FunctionTool[] {
  return Object.entries(tools).map(([name, { description, parameters, strict }]) => ({
    type: 'function',
    function: { name, description, parameters: parameters ?? { type: 'object', properties: {} }, strict },
  }));
}

export interface ToolOutcome {
  /** The result that the model sees. */
  output: string;
  /** The error that the tool threw, or the mistake in the call. Null if it succeeded. */
  error: unknown;
}

/** Runs a call. A failure is also an outcome. Only an abort throws. */
export async function runTool(
  tools: ClientTools,
  call: { id: string; name: string; arguments: string },
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const tool = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined;
  if (tool === undefined)
    return failure(new Error(`There is no tool "${call.name}". Tools: ${Object.keys(tools).join(', ')}.`));
  try {
    const args = parseArguments(call.arguments);
    const running = async () => tool.run(tool.parse ? tool.parse(args) : args, { callId: call.id, signal });
    return { output: toOutput(await beforeAbort(running(), signal)), error: null };
  } catch (error) {
    signal.throwIfAborted();
    return failure(error);
  }
}

function failure(error: unknown): ToolOutcome {
  return { output: cut(`Error: ${error instanceof Error ? error.message : String(error)}`), error };
}

function parseArguments(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch (cause) {
    throw new Error(`The arguments are not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

function toOutput(result: unknown): string {
  return cut(typeof result === 'string' ? result : (JSON.stringify(result) ?? 'Done.'));
}

function cut(text: string): string {
  if (text.length <= MAX_OUTPUT_CHARS) return text;
  const note = `\n[Cut: the result had ${text.length} characters.]`;
  return text.slice(0, MAX_OUTPUT_CHARS - note.length) + note;
}

/** Stops waiting on an abort, even for a tool that ignores it. */
async function beforeAbort<T>(running: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([running, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

import type {
  Execution,
  OutputItem,
  Progress,
  RequiredAction,
  StreamFrame,
  ToolCallItem,
} from './generated/api-types.ts';

/** `queued`, `running`, `requires_action`, `cancelling`, `succeeded`, `failed`, or `cancelled`. */
export type ExecutionStatus = Execution['status'];

/** The last frame of every stream. */
export type TerminalFrame = Extract<StreamFrame, { execution: Execution }>;

/** Returns whether this is the last frame. */
export function isTerminalFrame(frame: StreamFrame): frame is TerminalFrame {
  return 'execution' in frame;
}

/** Returns whether an execution has ended. */
export function hasEnded({ status }: Pick<Execution, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}

/** A tool call of the model, possibly incomplete. */
export interface RequestedCall {
  id: string;
  name: string;
  /** JSON, as the model wrote it so far. */
  arguments: string;
}

/** State of an execution, folded from its frames so far. */
export interface ExecutionProgress {
  /** Null before the first frame. */
  executionId: string | null;
  status: Execution['status'];
  /** The text so far. A `text.reset` empties it, and the next four. */
  text: string;
  /** The same text by output item, for answers with calls in between. */
  texts: readonly (string | undefined)[];
  /** The model's reasoning so far, if its provider shows it. */
  reasoning: string;
  /** The model's refusal to answer. */
  refusal: string;
  /** Calls of your tools so far. Send their results once the execution has ended. */
  toolCalls: readonly RequestedCall[];
  /** Calls that an agent's tools run on the server, in order, with their results. */
  agentCalls: readonly ToolCallItem[];
  /** With status `requires_action`: the calls that `jobs.decide` must decide. */
  requiredAction: RequiredAction | null;
  /** With status `queued`: the provider that it waits for, if the server has said so. */
  waitingFor: Execution['waiting_for'];
  /** Finished output items by index. A text that is still being written has none. */
  output: readonly (OutputItem | undefined)[];
  /** The last reported progress. */
  progress: Progress | null;
  /** Increases when another worker takes over. */
  attempt: number;
  /** The execution, once it has ended. */
  execution: Execution | null;
}

/** The state before the first frame. */
export const NO_PROGRESS: ExecutionProgress = {
  executionId: null,
  status: 'queued',
  text: '',
  texts: [],
  reasoning: '',
  refusal: '',
  toolCalls: [],
  agentCalls: [],
  requiredAction: null,
  waitingFor: null,
  output: [],
  progress: null,
  attempt: 1,
  execution: null,
};

/** Returns the state after one more frame, as a new object, so that a view can compare. */
export function advance(before: ExecutionProgress, frame: StreamFrame): ExecutionProgress {
  const known = { ...before, executionId: frame.execution_id, waitingFor: null };
  if (isTerminalFrame(frame)) {
    const { execution } = frame;
    const { status, output, progress, attempt } = execution;
    return { ...known, status, output, progress, attempt, execution, requiredAction: null, ...answerOf(execution) };
  }
  switch (frame.type) {
    case 'execution.queued':
      return known;
    case 'execution.waiting': {
      const { reason, provider, until } = frame;
      return { ...known, status: 'queued', waitingFor: { reason, provider, until } };
    }
    case 'execution.started':
      return { ...known, status: 'running', attempt: frame.attempt, requiredAction: null };
    case 'text.delta':
      return { ...known, status: 'running', text: known.text + frame.delta, texts: extend(known.texts, frame) };
    case 'reasoning.delta':
      return { ...known, status: 'running', reasoning: known.reasoning + frame.delta };
    case 'refusal.delta':
      return { ...known, status: 'running', refusal: known.refusal + frame.delta };
    case 'tool_call.delta': {
      const toolCalls = [...known.toolCalls];
      const { id, name } = frame;
      const before = toolCalls[frame.call]?.arguments ?? '';
      toolCalls[frame.call] = { id, name, arguments: before + frame.arguments_delta };
      return { ...known, status: 'running', toolCalls };
    }
    case 'text.reset': {
      const output = known.output.map((item) => (belongsToAnswer(item) ? undefined : item));
      return { ...known, text: '', texts: [], reasoning: '', refusal: '', toolCalls: [], agentCalls: [], output };
    }
    case 'progress':
      return { ...known, status: 'running', progress: frame.progress };
    case 'execution.requires_action':
      return { ...known, status: 'requires_action', requiredAction: frame.required_action };
    case 'output.item': {
      const output = [...known.output];
      output[frame.index] = frame.item;
      return { ...known, output, ...(frame.item.type === 'tool_call' && { agentCalls: agentCallsOf({ output }) }) };
    }
    default:
      return known; // sound, and frames of later versions
  }
}

function extend(texts: ExecutionProgress['texts'], { index, delta }: { index: number; delta: string }) {
  const extended = [...texts];
  extended[index] = (extended[index] ?? '') + delta;
  return extended;
}

/** Returns all text of an execution. */
export function textOf({ output }: Pick<Execution, 'output'>): string {
  return output.flatMap((item) => (item.type === 'text' ? item.text : [])).join('');
}

/** Returns the calls of your tools that an answer requests. */
export function toolCallsOf({ output }: Pick<Execution, 'output'>): RequestedCall[] {
  return output.flatMap((item) =>
    item.type === 'tool_call' && item.status === 'requested'
      ? [{ id: item.id, name: item.name, arguments: item.arguments }]
      : [],
  );
}

/** Returns the calls of an agent, which ran on the server. */
export function agentCallsOf({ output }: { output: readonly (OutputItem | undefined)[] }): ToolCallItem[] {
  return output.flatMap((item) => (item?.type === 'tool_call' && item.status !== 'requested' ? [item] : []));
}

function answerOf(
  execution: Execution,
): Pick<ExecutionProgress, 'text' | 'texts' | 'reasoning' | 'refusal' | 'toolCalls' | 'agentCalls'> {
  const { output } = execution;
  return {
    text: textOf(execution),
    texts: output.map((item) => (item.type === 'text' ? item.text : undefined)),
    reasoning: output.flatMap((item) => (item.type === 'reasoning' ? item.text : [])).join(''),
    refusal: output.flatMap((item) => (item.type === 'refusal' ? item.refusal : [])).join(''),
    toolCalls: toolCallsOf(execution),
    agentCalls: agentCallsOf(execution),
  };
}

const ANSWER_ITEMS: readonly (OutputItem['type'] | undefined)[] = [
  'text',
  'reasoning',
  'refusal',
  'tool_call',
  'mcp_list_tools',
  'citation',
];

const belongsToAnswer = (item: OutputItem | undefined) => ANSWER_ITEMS.includes(item?.type);

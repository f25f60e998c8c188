import { ChorusError, type ConversationContext, type RunningEvent, type ToolCallItem } from '@chorus/contract';
import { replayEvents } from '@chorus/executions';
import type { JobResult } from '@chorus/worker-kit';
import { AnswerRoom } from '../answer-text.ts';
import { answererOf, type StreamedAnswer, streamParts } from '../stream-answer.ts';
import { AgentPrompt } from './agent-prompt.ts';
import { type AgentItem, type AgentJob, AgentState } from './agent-state.ts';
import type { AgentParts, AgentTurn } from './agent-turn.ts';
import { citedIn } from './call-results.ts';
import { OfferedTools } from './offer-tools.ts';
import { MAX_PARALLEL, parseArguments, runCalls } from './run-calls.ts';
import { type ReachedLimit, reachedLimit } from './turn-limits.ts';

/**
 * Most that the model may say in a turn, in bytes of UTF-8. A record holds it with all results, in its checkpoint and,
 * while it waits for a person, in its output.
 */
const MAX_SAID_BYTES = 2_000_000;

/** Time that is left for the last answer when calls must end. */
const ANSWER_RESERVE_MS = 30_000;

/**
 * Runs a turn of an agent: the model calls tools, gets their results, and goes on until it answers. Continues after
 * the last finished step of an earlier attempt.
 *
 * @throws {ChorusError} `cost_limit_reached`; as `Providers.streamChat`. The reason of the job's signal.
 */
export async function runAgent(parts: AgentParts, job: AgentJob, turn: AgentTurn): Promise<JobResult<AgentItem>> {
  job.note(answererOf(turn.model));
  const state = new AgentState(job.checkpoint);
  if (state.steps > 0) job.note({ usage: state.usage });
  const { signal, owner } = job;
  const warnings = new Set<string>();
  const onUnavailable = ({ reason }: { reason: string }) => warnings.add(reason);
  const opened = await parts.openTools(owner, turn.agent.tools, { signal, onUnavailable });
  const tools = new OfferedTools(opened, turn.agent);
  const prompt = new AgentPrompt(parts, job, turn, state, tools);
  for (;;) {
    await runCalls({ job, state, tools, endsAt: turn.endsAt - ANSWER_RESERVE_MS });
    const limit = reachedLimit(state, turn);
    const step = await answerStep(parts, job, turn, { state, tools, prompt, limit });
    state.spend(step.usage);
    job.note({ usage: state.usage, model: step.model, provider: step.provider });
    if (turn.agent.max_cost_usd !== null && step.usage.cost_usd === null)
      warnings.add(`The cost of ${step.model} is unknown, so \`max_cost_usd\` does not count it.`);
    if (limit !== null) warnings.add(limit.warning);
    const calls = limit === null && !wasCut(step) ? step.answer.calls() : [];
    addSaid(job, state);
    if (calls.length === 0) return resultOf(job, state, step, prompt.context, [...prompt.warnings, ...warnings]);
    await addCalls(job, state, tools, calls);
  }
}

interface StepParts {
  state: AgentState;
  tools: OfferedTools;
  prompt: AgentPrompt;
  limit: ReachedLimit | null;
}

/** Asks the model for its next answer. A conversation that is too long gets shorter. */
async function answerStep(
  { providers }: AgentParts,
  job: AgentJob,
  { model, settings, fallbacks, mayReset, endsAt }: AgentTurn,
  { state, tools, prompt, limit }: StepParts,
): Promise<StreamedAnswer> {
  const functions = tools.functions();
  const offered = functions.length === 0 ? {} : { tools: functions, ...(limit && { tool_choice: 'none' as const }) };
  const hasText = state.items.some(({ type }) => type === 'text');
  const room = new AnswerRoom(Math.max(1, MAX_SAID_BYTES - bytesSaid(state)));
  const step = { first: state.items.length, separator: hasText ? '\n\n' : '', room };
  const showAgain = () => {
    for (const event of replayEvents(state.items)) job.emit(event as RunningEvent<AgentItem>);
  };
  for (;;) {
    const messages = await prompt.messages(limit?.note);
    const call = { model, messages, settings: { ...settings, ...offered }, fallbacks, mayReset, endsAt, step };
    try {
      const streamed = await streamParts(providers, job, call, showAgain);
      if (streamed !== null) return streamed;
      throw new ChorusError('provider_error', 'No model that can call tools answered.');
    } catch (error) {
      const isTooLong = error instanceof ChorusError && error.code === 'context_too_long';
      if (!isTooLong || job.output().length > state.items.length || !prompt.shrink()) throw error;
    }
  }
}

function bytesSaid({ items }: AgentState): number {
  const said = items.map((item) => {
    if (item.type === 'text' || item.type === 'reasoning') return item.text;
    return item.type === 'tool_call' ? item.arguments : '';
  });
  return said.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Adds what the model has said in a step, and the passages that it cites. */
function addSaid(job: AgentJob, state: AgentState): void {
  const said = job.output().slice(state.items.length);
  state.add(...said);
  const text = said.map((item) => (item.type === 'text' ? item.text : '')).join('');
  const cited = new Set(state.items.flatMap((item) => (item.type === 'citation' ? [item.marker] : [])));
  for (const item of citedIn(text, state.passages, cited))
    job.emit({ type: 'output.item', index: state.add(item), item });
}

async function addCalls(
  job: AgentJob,
  state: AgentState,
  tools: OfferedTools,
  calls: ReturnType<StreamedAnswer['answer']['calls']>,
): Promise<void> {
  const taken = new Set(state.items.flatMap((item) => (item.type === 'tool_call' ? [item.id] : [])));
  const now = new Date().toISOString();
  let begun = 0;
  const items = calls.map(({ id, name, arguments: args, signature }, at): ToolCallItem => {
    // Some providers use an id again in the next step.
    let own = id;
    for (let use = at; taken.has(own); use += 1) own = `${id}_${state.steps}_${use}`;
    taken.add(own);
    const made = {
      type: 'tool_call' as const,
      id: own,
      name,
      arguments: args,
      step: state.steps,
      ...(signature !== '' && { signature }),
    };
    const problem = problemOf(tools, name, args);
    if (problem !== null) return { ...made, status: 'failed', result: problem, started_at: null, finished_at: now };
    const tool = tools.get(name);
    if (tool && tools.needsApproval(tool))
      return { ...made, status: 'awaiting_approval', result: null, started_at: null, finished_at: null };
    begun += 1;
    // The first calls run at once, so one save serves for the answer and their start.
    const started_at = begun <= MAX_PARALLEL ? now : null;
    return { ...made, status: 'running', result: null, started_at, finished_at: null };
  });
  const first = state.add(...items);
  for (const [at, item] of items.entries()) {
    const tool = tools.get(item.name);
    if (tool) state.bind(first + at, tool);
    if (item.started_at !== null) state.begin(first + at);
  }
  state.endStep();
  await state.save({ advances: true });
  for (const [at, item] of items.entries()) job.emit({ type: 'output.item', index: first + at, item });
}

/** Says why a call cannot run. Null: it can. */
function problemOf(tools: OfferedTools, name: string, args: string): string | null {
  if (tools.get(name) === undefined) return `There is no tool \`${name}\`. Tools: ${tools.names.join(', ') || 'none'}.`;
  return parseArguments(args) === null ? 'The arguments are not a JSON object. Call it again with valid JSON.' : null;
}

/** Tells whether calls of an answer may be incomplete. */
function wasCut({ finish_reason }: StreamedAnswer): boolean {
  return finish_reason === 'length' || finish_reason === 'content_filter';
}

function resultOf(
  job: AgentJob,
  state: AgentState,
  { model, provider, finish_reason }: StreamedAnswer,
  context: ConversationContext | undefined,
  warnings: string[],
): JobResult<AgentItem> {
  const output = job.output();
  const says = output.some(({ type }) => type === 'text' || type === 'refusal');
  return {
    output: says ? output : [...output, { type: 'text', text: '' }],
    usage: state.usage,
    model,
    provider,
    finish_reason: finish_reason === 'tool_calls' ? 'stop' : finish_reason,
    ...(context && { context }),
    ...(warnings.length > 0 && { warnings }),
  };
}

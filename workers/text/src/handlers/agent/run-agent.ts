import { ChorusError, type ConversationContext, type RunningEvent } from '@chorus/contract';
import { replayEvents } from '@chorus/executions';
import type { JobResult } from '@chorus/worker-kit';
import { AnswerRoom } from '../answer-text.ts';
import { answererOf, type StreamedAnswer, streamParts } from '../stream-answer.ts';
import { AgentPrompt } from './agent-prompt.ts';
import { type AgentItem, type AgentJob, AgentState } from './agent-state.ts';
import type { AgentParts, AgentTurn } from './agent-turn.ts';
import { citedIn } from './call-results.ts';
import { approvalOf, OfferedTools } from './offer-tools.ts';
import type { ResponseTurn, UnavailableTool } from './response-turn.ts';
import { MAX_PARALLEL, parseArguments, runCalls } from './run-calls.ts';
import { type ReachedLimit, reachedLimit } from './turn-limits.ts';
import { useApprovals } from './use-approvals.ts';

/**
 * Longest text of the model in a turn, in bytes of UTF-8. A record holds it with all results, in its checkpoint and,
 * while it waits for a person, in its output.
 */
const MAX_SAID_BYTES = 2_000_000;

/** Time reserved for the last answer when calls must end. */
const ANSWER_RESERVE_MS = 30_000;

/**
 * Runs a turn of an agent: the model calls tools, gets their results, and continues until it answers. Resumes after
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
  const unavailable: UnavailableTool[] = [];
  const onUnavailable = (tool: UnavailableTool) => {
    warnings.add(tool.reason);
    unavailable.push(tool);
  };
  const { response } = turn;
  const opened = await parts.openTools(owner, turn.agent.tools, { signal, onUnavailable });
  const tools = response?.offer(opened) ?? new OfferedTools(opened, { needsApproval: approvalOf(turn.agent) });
  if (response !== undefined && state.items.length === 0)
    await addItems(job, state, tools, await useApprovals(parts, job, response.firstItems(tools, unavailable), tools));
  const prompt = new AgentPrompt(parts, job, turn, state, tools);
  const calling = {
    job,
    state,
    tools,
    endsAt: turn.endsAt - ANSWER_RESERVE_MS,
    callerApproves: response !== undefined,
    saveFile: parts.saveFile,
  };
  let answered: Answered = { ...answererOf(turn.model), finish_reason: 'stop' };
  const result = (leftToCaller: boolean) =>
    resultOf(job, state, answered, {
      context: prompt.context,
      warnings: [...prompt.warnings, ...warnings],
      leftToCaller,
    });
  for (;;) {
    if (await runCalls(calling)) return result(true);
    const limit = reachedLimit(state, turn);
    const step = await answerStep(parts, job, turn, { state, tools, prompt, limit });
    state.spend(step.usage);
    job.note({ usage: state.usage, model: step.model, provider: step.provider });
    if (turn.agent.max_cost_usd !== null && step.usage.cost_usd === null)
      warnings.add(`The cost of ${step.model} is unknown, so \`max_cost_usd\` does not count it.`);
    if (limit !== null) warnings.add(limit.warning);
    answered = step;
    const asked = limit === null && !wasCut(step) ? step.answer.calls() : [];
    const calls = response === undefined ? asked : asked.slice(0, response.callsLeft(state.items));
    addSaid(job, state);
    if (calls.length === 0) return result(false);
    await addCalls(job, state, { tools, response }, calls);
  }
}

interface StepParts {
  state: AgentState;
  tools: OfferedTools;
  prompt: AgentPrompt;
  limit: ReachedLimit | null;
}

/** Asks the model for its next answer. Shortens a conversation that is too long. */
async function answerStep(
  { providers }: AgentParts,
  job: AgentJob,
  { model, settings, fallbacks, mayReset, endsAt, response, source }: AgentTurn,
  { state, tools, prompt, limit }: StepParts,
): Promise<StreamedAnswer> {
  const functions = tools.functions();
  const choice = limit === null ? response?.choice(tools, state.steps) : { tool_choice: 'none' as const };
  const offered = functions.length === 0 ? {} : { tools: functions, ...choice };
  const hasText = state.items.some(({ type }) => type === 'text');
  const room = new AnswerRoom(Math.max(1, MAX_SAID_BYTES - bytesSaid(state)));
  const step = { first: state.items.length, separator: hasText ? '\n\n' : '', room };
  const showAgain = () => {
    for (const event of replayEvents(state.items)) job.emit(event as RunningEvent<AgentItem>);
  };
  const key = response?.cacheKey ?? (source.type === 'session' ? source.session_id : job.executionId);
  for (;;) {
    const messages = await prompt.messages(limit?.note);
    const common = { model, messages, fallbacks, mayReset, endsAt, step, spent: state.usage };
    const call = { ...common, settings: { ...settings, ...offered }, cache: { key, repeats: state.steps > 0 } };
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

/** Adds the model's text of a step, and the passages that it cites. */
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
  { tools, response }: { tools: OfferedTools; response: ResponseTurn | undefined },
  calls: ReturnType<StreamedAnswer['answer']['calls']>,
): Promise<void> {
  const taken = new Set(state.items.flatMap((item) => (item.type === 'tool_call' ? [item.id] : [])));
  const now = new Date().toISOString();
  let begun = 0;
  const items = calls.map(({ id, name, arguments: args, signature }, at): AgentItem => {
    // Some providers reuse an id in the next step.
    let own = id;
    for (let use = at; taken.has(own); use += 1) own = `${id}_${state.steps}_${use}`;
    taken.add(own);
    const made = { id: own, name, arguments: args, step: state.steps, ...(signature !== '' && { signature }) };
    const open = { result: null, started_at: null, finished_at: null };
    if (tools.isCallers(name)) return { type: 'tool_call', ...made, ...open, status: 'requested' };
    const tool = tools.get(name);
    const mcp = tool && response?.mcpOf(tool);
    const call = { type: 'tool_call' as const, ...made, ...(mcp && { mcp }) };
    const problem = problemOf(tools, name, args);
    if (problem !== null) return { ...call, status: 'failed', result: problem, started_at: null, finished_at: now };
    if (tool && tools.needsApproval(tool)) return { ...call, ...open, status: 'awaiting_approval' };
    begun += 1;
    // The first calls run at once, so one save serves for the answer and their start.
    return { ...call, ...open, status: 'running', started_at: begun <= MAX_PARALLEL ? now : null };
  });
  state.endStep();
  await addItems(job, state, tools, items);
}

/** Stores items, and shows them. */
async function addItems(
  job: AgentJob,
  state: AgentState,
  tools: OfferedTools,
  items: readonly AgentItem[],
): Promise<void> {
  const first = state.add(...items);
  for (const [at, item] of items.entries()) {
    if (item.type !== 'tool_call') continue;
    const tool = tools.get(item.name);
    if (tool) state.bind(first + at, tool);
    if (item.started_at !== null) state.begin(first + at);
  }
  await state.save({ advances: true });
  for (const [at, item] of items.entries()) job.emit({ type: 'output.item', index: first + at, item });
}

/** Returns why a call cannot run. Null: it can. */
function problemOf(tools: OfferedTools, name: string, args: string): string | null {
  if (tools.get(name) === undefined) return `There is no tool \`${name}\`. Tools: ${tools.names.join(', ') || 'none'}.`;
  return parseArguments(args) === null ? 'The arguments are not a JSON object. Call it again with valid JSON.' : null;
}

/** Returns whether calls of an answer may be incomplete. */
function wasCut({ finish_reason }: StreamedAnswer): boolean {
  return finish_reason === 'length' || finish_reason === 'content_filter';
}

type Answered = Pick<StreamedAnswer, 'model' | 'provider' | 'finish_reason'>;

function resultOf(
  job: AgentJob,
  state: AgentState,
  { model, provider, finish_reason }: Answered,
  {
    context,
    warnings,
    leftToCaller,
  }: { context: ConversationContext | undefined; warnings: string[]; leftToCaller: boolean },
): JobResult<AgentItem> {
  const output = job.output();
  const says = leftToCaller || output.some(({ type }) => type === 'text' || type === 'refusal');
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

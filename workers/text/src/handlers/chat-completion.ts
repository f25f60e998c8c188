import { type ChatCompletionInput, ChorusError, type KnowledgeUse, chatCompletion as kind } from '@chorus/contract';
import { estimateTokens, sumUsage } from '@chorus/providers/usage';
import type { Handler } from '@chorus/worker-kit';
import type { AgentParts, AgentTurn } from './agent/agent-turn.ts';
import { continueFrom } from './agent/continue-from.ts';
import { runAgent } from './agent/run-agent.ts';
import { answerByExtracts, answerNotFound } from './answer-by-extracts.ts';
import type { AnswerParts } from './answer-parts.ts';
import { SOME_UNREAD, sessionDocuments } from './session-documents.ts';
import {
  type AnswerCall,
  type AnswerResult,
  answererOf,
  EXTRACTING_MODEL,
  streamAnswer,
  type TurnJob,
} from './stream-answer.ts';
import { type Conversation, conversationOf, type Found, roomIn, withFiles } from './turn-conversation.ts';
import { tokensOf, withInstructions, withSources } from './turn-messages.ts';
import { TurnSources } from './turn-sources.ts';

export interface ChatParts extends AnswerParts {
  openTools: AgentParts['openTools'];
  saveFile?: NonNullable<AgentParts['saveFile']>;
  /** Time limit of a turn and its provider requests. */
  turnTimeoutMs?: number;
}

export interface Turn
  extends Pick<ChatCompletionInput, 'model' | 'settings' | 'instructions' | 'fallbacks' | 'source'> {
  /** Knowledge to answer from, if any. */
  knowledge?: KnowledgeUse | undefined;
  /** `only`: answers only from the sources; `first`: from the sources, otherwise from the model. */
  use: 'only' | 'first';
  mayReset: boolean;
  cache?: AnswerCall['cache'];
  /** Leaves reasoning out, and shows a refusal as text. */
  textOnly?: boolean;
  /** Deadline by `performance.now()`, including provider requests. */
  endsAt: number;
}

/** Share of the context window reserved for sources. */
const SHARE_OF_SOURCES = 0.5;

export const chatCompletion = ({ turnTimeoutMs, ...parts }: ChatParts): Handler<'chat.completion'> => ({
  mayReset,
  continueFrom,
  run: (job) => {
    const { input } = job;
    const limitMs = (turnTimeoutMs ?? kind.timeoutMs) * (kind.timeFactor?.(input) ?? 1);
    const turn = { ...input, mayReset: mayReset(input), endsAt: performance.now() + limitMs };
    if (input.agent !== undefined) return runAgent(parts, job, turn as AgentTurn);
    return answerTurn(parts, job, { ...turn, use: 'first' });
  },
});

/** OpenAI's clients append what they read and cannot take text back. */
function mayReset({ source }: ChatCompletionInput): boolean {
  return source.type !== 'messages';
}

/** Runs a turn: sends the conversation and its sources to the model and streams the answer. */
export async function answerTurn(parts: AnswerParts, job: TurnJob, turn: Turn): Promise<AnswerResult> {
  const { model, settings, source, knowledge } = turn;
  job.note(answererOf(model));
  const { ready, warnings } = await sessionDocuments(parts, job, turn);
  const instructions = warnings.length === 0 ? turn.instructions : joined(turn.instructions, SOME_UNREAD);
  const instructionTokens = instructions === undefined ? 0 : estimateTokens(instructions);
  const turnSources = new TurnSources(parts, job, { knowledge, documents: ready });
  const hasSources = knowledge !== undefined || ready.length > 0;
  let sizeBefore = Number.POSITIVE_INFINITY;
  for (let room = roomIn(parts.providers.contextWindow(model), settings.max_tokens) - instructionTokens; ; ) {
    const roomOfSources = hasSources ? Math.floor(room * SHARE_OF_SOURCES) : 0;
    const limits = { maxTokens: room - roomOfSources, tools: settings.tools !== undefined };
    const conversation = await conversationOf(parts.database, job.owner, source, limits);
    const { context } = conversation;
    if (context) job.note({ context });
    const sources = await turnSources.within(conversation.messages, roomOfSources);
    try {
      const answered = await answer(parts, job, { ...turn, instructions }, conversation, sources);
      const all = [...warnings, ...(answered.warnings ?? [])];
      return { ...answered, ...(context && { context }), ...(all.length > 0 && { warnings: all }) };
    } catch (error) {
      const tooLong = error instanceof ChorusError && error.code === 'context_too_long';
      const size = (context?.messages ?? 0) + (sources?.passages.length ?? 0);
      // Tool results stay, no matter how long they are.
      const shrinks = size < sizeBefore && ((context?.messages ?? 0) > 1 || (sources?.passages.length ?? 0) > 1);
      sizeBefore = size;
      if (!tooLong || !shrinks || job.output().length > 0) throw error;
      // The window is smaller than assumed: halves it until only the question and its best source are left.
      room = Math.floor(((context?.estimated_tokens ?? 0) + tokensOf(sources?.passages ?? [])) / 2);
    }
  }
}

function joined(instructions: string | undefined, note: string): string {
  return instructions === undefined ? note : `${instructions}\n\n${note}`;
}

async function answer(
  { assets, providers, webImages }: AnswerParts,
  job: TurnJob,
  { model, settings, fallbacks, mayReset, textOnly, endsAt, instructions, use, cache }: Turn,
  conversation: Conversation,
  sources: Found | null,
): Promise<AnswerResult> {
  const messages = await withFiles({ assets, providers, webImages }, job, { model, fallbacks }, conversation);
  const call = { model, settings, fallbacks, mayReset, textOnly, endsAt, cache };
  const plain = { ...call, messages: withInstructions(instructions, messages) };
  if (sources === null) return streamAnswer(providers, job, plain);
  const fenced = withSources(instructions, messages, sources.passages, use);
  // Markers would break JSON.
  const cited = (settings.response_format?.type ?? 'text') === 'text' ? { sources } : {};
  const asked = { ...call, messages: fenced, ...cited, spent: sources.usage };
  const answered =
    (sources.passages.length === 0 && use === 'only' ? answerNotFound(job, model) : null) ??
    (model === EXTRACTING_MODEL ? null : await streamAnswer(providers, job, asked)) ??
    answerByExtracts(job, sources, use) ??
    (await streamAnswer(providers, job, { ...plain, model: EXTRACTING_MODEL, fallbacks: undefined }));
  const { usage, warnings } = sources;
  return {
    ...answered,
    usage: usage.total_tokens === 0 ? answered.usage : sumUsage(answered.usage, usage),
    ...(warnings.length > 0 && { warnings }),
  };
}

import {
  acceptsImages,
  type ChatCompletionInput,
  type ChatMessage,
  ChorusError,
  KINDS,
  type KnowledgeUse,
  messageText,
  type Owner,
} from '@chorus/contract';
import { estimateTokens, type TurnContext, turnContext } from '@chorus/conversations';
import type { Database } from '@chorus/database';
import { sumUsage } from '@chorus/executions';
import { type FoundPassages, searchTextFor } from '@chorus/knowledge';
import type { Providers } from '@chorus/providers';
import type { Handler } from '@chorus/worker-kit';
import { answerByExtracts, answerNotFound } from './answer-by-extracts.ts';
import type { Sources } from './answer-output.ts';
import { type FileParts, resolveFiles } from './resolve-files.ts';
import { type ShowParts, showImages } from './show-images.ts';
import { type AnswerResult, answererOf, EXTRACTING_MODEL, streamAnswer, type TurnJob } from './stream-answer.ts';
import { fitPassages, tokensOf, withInstructions, withSources } from './turn-messages.ts';

export interface AnswerParts {
  database: Database;
  assets: ShowParts['assets'] & FileParts['assets'];
  providers: Pick<Providers, 'streamChat' | 'contextWindow' | 'models'>;
  /** Finds the passages of a scope's documents for a question, best first. */
  findPassages(
    owner: Owner,
    query: KnowledgeUse & { question: string },
    options: { signal: AbortSignal; executionId: string },
  ): Promise<FoundPassages>;
}

export interface ChatParts extends AnswerParts {
  /** Time limit of a turn, also for its provider requests. */
  turnTimeoutMs?: number;
}

export interface Turn
  extends Pick<ChatCompletionInput, 'model' | 'settings' | 'instructions' | 'fallbacks' | 'source'> {
  /** Knowledge to answer from, if any. */
  knowledge?: KnowledgeUse | undefined;
  /** `only`: answers only from the sources; `first`: from the sources, otherwise from the model. */
  use: 'only' | 'first';
  mayReset: boolean;
  /** Leaves reasoning out, and shows a refusal as text. */
  textOnly?: boolean;
  /** Deadline by `performance.now()`, also for provider requests. */
  endsAt: number;
}

/** Default context window. A model with a smaller one rejects the request, and then gets less. */
const DEFAULT_WINDOW_TOKENS = 100_000;

/** Tokens reserved for the answer if the request sets no limit. */
const ANSWER_TOKENS = 4_096;

/** Share of the context window reserved for sources. */
const SHARE_OF_SOURCES = 0.5;

export const chatCompletion = ({ turnTimeoutMs, ...parts }: ChatParts): Handler<'chat.completion'> => ({
  mayReset,
  run: (job) => {
    const endsAt = performance.now() + (turnTimeoutMs ?? KINDS['chat.completion'].timeoutMs);
    return answerTurn(parts, job, { ...job.input, use: 'first', mayReset: mayReset(job.input), endsAt });
  },
});

/** OpenAI's clients append what they read and cannot take text back. */
function mayReset({ source }: ChatCompletionInput): boolean {
  return source.type !== 'messages';
}

/** Runs a turn: sends the conversation and its sources to the model and streams the answer. */
export async function answerTurn(parts: AnswerParts, job: TurnJob, turn: Turn): Promise<AnswerResult> {
  const { model, settings, instructions, source, knowledge } = turn;
  job.note(answererOf(model));
  const told = instructions === undefined ? 0 : estimateTokens(instructions);
  let found: Found | null = null;
  let sizeBefore = Number.POSITIVE_INFINITY;
  for (let room = roomIn(parts.providers.contextWindow(model), settings.max_tokens) - told; ; ) {
    const roomOfSources = knowledge === undefined ? 0 : Math.floor(room * SHARE_OF_SOURCES);
    const limits = { maxTokens: room - roomOfSources, tools: settings.tools !== undefined };
    const conversation = await conversationOf(parts.database, job.owner, source, limits);
    const { context } = conversation;
    if (context) job.note({ context });
    if (knowledge !== undefined) found ??= await findFor(parts, job, knowledge, conversation.messages);
    const sources = found && { ...found, passages: fitPassages(found.passages, roomOfSources) };
    try {
      return { ...(await answer(parts, job, turn, conversation, sources)), ...(context ? { context } : {}) };
    } catch (error) {
      const tooLong = error instanceof ChorusError && error.code === 'context_too_long';
      const size = (context?.messages ?? 0) + (sources?.passages.length ?? 0);
      // Results of tools stay, however long.
      const shrinks = size < sizeBefore && ((context?.messages ?? 0) > 1 || (sources?.passages.length ?? 0) > 1);
      sizeBefore = size;
      if (!tooLong || !shrinks || job.output().length > 0) throw error;
      // The window is smaller than assumed: halves it until only the question and its best source are left.
      room = Math.floor(((context?.estimated_tokens ?? 0) + tokensOf(sources?.passages ?? [])) / 2);
    }
  }
}

type Found = FoundPassages & Sources;

async function findFor(
  { findPassages }: AnswerParts,
  { owner, signal, executionId, note }: TurnJob,
  knowledge: KnowledgeUse,
  messages: Conversation['messages'],
): Promise<Found> {
  const asked = messages.filter(({ role }) => role === 'user').map(messageText);
  const question = searchTextFor(asked.at(-1) ?? '', asked.at(-2));
  const found = await findPassages(owner, { ...knowledge, question }, { signal, executionId });
  note({ usage: found.usage, warnings: found.warnings });
  return { ...found, question };
}

async function answer(
  { assets, providers }: AnswerParts,
  job: TurnJob,
  { model, settings, fallbacks, mayReset, textOnly, endsAt, instructions, use }: Turn,
  { messages: found, context }: Conversation,
  sources: Found | null,
): Promise<AnswerResult> {
  const images = { assets, owner: job.owner, sees: () => sees(providers, model) };
  const messages = context ? await showImages(images, found) : await resolveFiles({ assets, owner: job.owner }, found);
  const call = { model, settings, fallbacks, mayReset, textOnly, endsAt };
  const plain = { ...call, messages: withInstructions(instructions, messages) };
  if (sources === null) return streamAnswer(providers, job, plain);
  const fenced = withSources(instructions, messages, sources.passages, use);
  // Markers would break JSON.
  const cited = (settings.response_format?.type ?? 'text') === 'text' ? { sources } : {};
  const asked = { ...call, messages: fenced, ...cited };
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

/** Returns the tokens available to a conversation. */
function roomIn(windowTokens: number | null, answerTokens = ANSWER_TOKENS): number {
  const window = windowTokens ?? DEFAULT_WINDOW_TOKENS;
  return window - Math.min(answerTokens, Math.floor(window / 4));
}

/** Images of a session are still to be fetched; a job's own images are included. */
type Conversation = TurnContext | { messages: ChatMessage[]; context?: undefined };

function sees(providers: AnswerParts['providers'], model: string): boolean {
  return acceptsImages(providers.models().find(({ id }) => id === model));
}

/** Returns the job's messages, or the latest of the session up to this turn that fit. */
async function conversationOf(
  database: Database,
  owner: Owner,
  source: Turn['source'],
  limits: { maxTokens: number; tools: boolean },
): Promise<Conversation> {
  if (source.type === 'messages') return { messages: source.messages };
  if (source.opening === undefined) return turnContext(database, owner, source, limits);
  const context = { messages: 1, estimated_tokens: estimateTokens(source.opening), dropped: false };
  return { messages: [{ role: 'user', content: source.opening }], context };
}

import {
  type ChatCompletionInput,
  type ChatMessage,
  ChorusError,
  type KnowledgeUse,
  maySee,
  type Owner,
  type Usage,
} from '@chorus/contract';
import { estimateTokens, type TurnContext, turnContext } from '@chorus/conversations';
import type { Database } from '@chorus/database';
import { type FoundPassages, searchedFor } from '@chorus/knowledge';
import type { Providers } from '@chorus/providers';
import type { JobResult } from '@chorus/worker-kit';
import { answerByExtracts, tellNothing } from './answer-by-extracts.ts';
import { type ShowParts, showImages } from './show-images.ts';
import { answererOf, EXTRACTING_MODEL, type Sources, streamAnswer, type TurnJob } from './stream-answer.ts';
import { fitting, tokensOf, withInstructions, withSources, wordsOf } from './turn-messages.ts';

export interface AnswerParts {
  database: Database;
  assets: ShowParts['assets'];
  providers: Pick<Providers, 'streamChat' | 'contextWindow' | 'models'>;
  /** What a scope's documents say that fits a question, the best first. */
  findPassages(
    owner: Owner,
    query: KnowledgeUse & { question: string },
    options: { signal: AbortSignal; executionId: string },
  ): Promise<FoundPassages>;
}

export interface Turn
  extends Pick<ChatCompletionInput, 'model' | 'settings' | 'instructions' | 'fallbacks' | 'source'> {
  /** What it is answered from; absent: what the model knows. */
  knowledge?: KnowledgeUse | undefined;
  /** `only`: nothing but the sources; `first`: what they hold, else what the model knows. */
  use: 'only' | 'first';
  mayReset: boolean;
  /** When the work ends anyway, by `performance.now()`: a provider is not waited for beyond it. */
  endsAt: number;
}

/** What a model is taken to read at most where nobody says, in tokens; one that reads less says so, and gets less. */
const USUAL_WINDOW_TOKENS = 100_000;

/** Kept free for the answer unless the request says how long it may be, in tokens. */
const ANSWER_TOKENS = 4_096;

/** A conversation leaves this share of its room to sources. */
const SHARE_OF_SOURCES = 0.5;

/** A turn: the conversation goes to the model, with what the knowledge holds on its last question; the text comes back as deltas. */
export async function answerTurn(parts: AnswerParts, job: TurnJob, turn: Turn): Promise<JobResult> {
  const { model, settings, instructions, source, knowledge } = turn;
  job.note(answererOf(model));
  const told = instructions === undefined ? 0 : estimateTokens(instructions);
  let found: Found | null = null;
  for (let room = roomIn(parts.providers.contextWindow(model), settings.max_tokens) - told; ; ) {
    const roomOfSources = knowledge === undefined ? 0 : Math.floor(room * SHARE_OF_SOURCES);
    const conversation = await conversationOf(parts.database, job.owner, source, room - roomOfSources);
    const { context } = conversation;
    if (context) job.note({ context });
    if (knowledge !== undefined) found ??= await findFor(parts, job, knowledge, conversation.messages);
    const sources = found && { ...found, passages: fitting(found.passages, roomOfSources) };
    try {
      return { ...(await answer(parts, job, turn, conversation, sources)), ...(context ? { context } : {}) };
    } catch (error) {
      const tooLong = error instanceof ChorusError && error.code === 'context_too_long';
      const shrinks = (context?.messages ?? 0) > 1 || (sources?.passages.length ?? 0) > 1;
      if (!tooLong || !shrinks || job.text() !== '') throw error;
      // The model reads less than was thought: half of it, until it fits or only the question and its best source are left.
      room = Math.floor(((context?.estimated_tokens ?? 0) + tokensOf(sources?.passages ?? [])) / 2);
    }
  }
}

/** What was found for a turn's question. */
type Found = FoundPassages & Sources;

async function findFor(
  { findPassages }: AnswerParts,
  { owner, signal, executionId, note }: TurnJob,
  knowledge: KnowledgeUse,
  messages: Conversation['messages'],
): Promise<Found> {
  const asked = messages.filter(({ role }) => role === 'user').map(wordsOf);
  const question = searchedFor(asked.at(-1) ?? '', asked.at(-2));
  const found = await findPassages(owner, { ...knowledge, question }, { signal, executionId });
  note({ usage: found.usage, warnings: found.warnings });
  return { ...found, question };
}

async function answer(
  { assets, providers }: AnswerParts,
  job: TurnJob,
  { model, settings, fallbacks, mayReset, endsAt, instructions, use }: Turn,
  { messages: found, context }: Conversation,
  sources: Found | null,
): Promise<JobResult> {
  const images = { assets, owner: job.owner, sees: () => sees(providers, model) };
  const messages = context ? await showImages(images, found) : found;
  const call = { model, settings, fallbacks, mayReset, endsAt };
  const plain = { ...call, messages: withInstructions(instructions, messages) };
  if (sources === null) return streamAnswer(providers, job, plain);
  const asked = { ...call, messages: withSources(instructions, messages, sources.passages, use), sources };
  const answered =
    (sources.passages.length === 0 && use === 'only' ? tellNothing(job, model) : null) ??
    (model === EXTRACTING_MODEL ? null : await streamAnswer(providers, job, asked)) ??
    answerByExtracts(job, sources, use) ??
    (await streamAnswer(providers, job, { ...plain, model: EXTRACTING_MODEL, fallbacks: undefined }));
  const { usage, warnings } = sources;
  return { ...answered, usage: sumOf(answered.usage, usage), ...(warnings.length > 0 && { warnings }) };
}

/** Tokens that a conversation may take in a model's window. */
function roomIn(windowTokens: number | null, answerTokens = ANSWER_TOKENS): number {
  const window = windowTokens ?? USUAL_WINDOW_TOKENS;
  return window - Math.min(answerTokens, Math.floor(window / 4));
}

/** A session's messages have their pictures still to be fetched; those that came with the job have them. */
type Conversation = TurnContext | { messages: ChatMessage[]; context?: undefined };

/** Whether a model may be shown pictures. */
function sees(providers: AnswerParts['providers'], model: string): boolean {
  return maySee(providers.models().find(({ id }) => id === model));
}

/** What the model is shown: the messages that came with the job, or as many of the session's as fit, up to this turn. */
async function conversationOf(
  database: Database,
  owner: Owner,
  source: Turn['source'],
  maxTokens: number,
): Promise<Conversation> {
  if (source.type === 'messages') return { messages: source.messages };
  if (source.opening === undefined) return turnContext(database, owner, source, { maxTokens });
  const context = { messages: 1, estimated_tokens: estimateTokens(source.opening), dropped: false };
  return { messages: [{ role: 'user', content: source.opening }], context };
}

/** What a price is not known of costs nobody knows what. */
function sumOf(one: Usage, other: Usage): Usage {
  if (other.total_tokens === 0) return one;
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    total_tokens: one.total_tokens + other.total_tokens,
    cost_usd: one.cost_usd === null || other.cost_usd === null ? null : one.cost_usd + other.cost_usd,
  };
}

import { acceptsImages, type ChatCompletionInput, type ChatMessage, type Owner } from '@chorus/contract';
import { type TurnContext, turnContext } from '@chorus/conversations';
import type { Database } from '@chorus/database';
import type { FoundPassages, PassageQuery } from '@chorus/knowledge/answering';
import type { Providers } from '@chorus/providers';
import { estimateTokens } from '@chorus/providers/usage';
import type { Sources } from './answer-output.ts';
import { type FileParts, resolveFiles } from './resolve-files.ts';
import { type ShowParts, showImages } from './show-images.ts';

/** Default context window. A model with a smaller one rejects the request, and then gets less. */
const DEFAULT_WINDOW_TOKENS = 100_000;

/** Tokens reserved for the answer if the request sets no limit. */
const ANSWER_TOKENS = 4_096;

/** Returns the tokens available to a conversation. */
export function roomIn(windowTokens: number | null, answerTokens = ANSWER_TOKENS): number {
  const window = windowTokens ?? DEFAULT_WINDOW_TOKENS;
  return window - Math.min(answerTokens, Math.floor(window / 4));
}

/** Images of a session are still to be fetched; a job's own images are included. */
export type Conversation = TurnContext | { messages: ChatMessage[]; context?: undefined };

/** Returns the job's messages, or the latest of the session up to this turn that fit. */
export async function conversationOf(
  database: Pick<Database, 'messages'>,
  owner: Owner,
  source: ChatCompletionInput['source'],
  limits: { maxTokens: number; tools: boolean; steps?: boolean },
): Promise<Conversation> {
  if (source.type === 'messages') return { messages: source.messages };
  if (source.opening === undefined) return turnContext(database, owner, source, limits);
  const context = { messages: 1, estimated_tokens: estimateTokens(source.opening), dropped: false };
  return { messages: [{ role: 'user', content: source.opening }], context };
}

interface WithFiles extends Pick<FileParts, 'webImages'> {
  assets: ShowParts['assets'] & FileParts['assets'];
  providers: Pick<Providers, 'models' | 'takesUrls'>;
}

/** Fetches the images and files of a conversation for a model and those that may answer in its place. */
export function withFiles(
  { assets, providers, webImages }: WithFiles,
  { owner, signal }: Pick<FileParts, 'owner' | 'signal'>,
  { model, fallbacks }: { model: string; fallbacks?: readonly string[] | undefined },
  { messages, context }: Conversation,
): Promise<ChatMessage[]> {
  const sees = () => acceptsImages(providers.models().find(({ id }) => id === model));
  if (context) return showImages({ assets, owner, sees }, messages);
  const passesUrls = providers.takesUrls(model, fallbacks);
  return resolveFiles({ assets, owner, webImages, passesUrls, signal }, messages);
}

/** Finds the passages of a scope's documents for a question, best first. */
export type FindPassages = (
  owner: Owner,
  query: PassageQuery,
  options: { signal: AbortSignal; executionId: string },
) => Promise<FoundPassages>;

export type Found = FoundPassages & Sources;

import { type ChatMessage, type ConversationContext, messageText, stepsIn } from '@chorus/contract';
import { citationOf } from '@chorus/knowledge';
import { fenceSources } from '@chorus/knowledge/answering';
import { estimateTokens } from '@chorus/providers/usage';
import type { AnswerParts } from '../answer-parts.ts';
import { type SessionDocuments, SOME_UNREAD, sessionDocuments } from '../session-documents.ts';
import { type Conversation, conversationOf, roomIn, withFiles } from '../turn-conversation.ts';
import { TurnSources } from '../turn-sources.ts';
import type { AgentItem, AgentJob, AgentState } from './agent-state.ts';
import type { AgentTurn } from './agent-turn.ts';
import { type FittedResults, fitResults } from './fit-results.ts';
import type { OfferedTools } from './offer-tools.ts';
import { fenced, rulesFor, stepMessages } from './step-messages.ts';

/** Share of the context window for sources, and for the steps of the turn. */
const SHARE_OF_SOURCES = 0.3;
const SHARE_OF_STEPS = 0.6;

const BYTES_PER_TOKEN = 3;

/** Longest quote of a passage. */
const MAX_QUOTE = 300;

/** The model's view of a turn: instructions, the conversation, sources, and the finished steps. */
export class AgentPrompt {
  readonly #parts: AnswerParts;
  readonly #job: AgentJob;
  readonly #turn: AgentTurn;
  readonly #state: AgentState;
  readonly #system: string;
  #room: number;
  /** The conversation with its files; null once it must shrink. */
  #conversation: ChatMessage[] | null = null;
  #documents: SessionDocuments | null = null;
  context: ConversationContext | undefined;
  readonly warnings: string[] = [];

  constructor(parts: AnswerParts, job: AgentJob, turn: AgentTurn, state: AgentState, tools: OfferedTools) {
    this.#parts = parts;
    this.#job = job;
    this.#turn = turn;
    this.#state = state;
    const functions = tools.functions();
    const rules = functions.length === 0 ? [] : [rulesFor(state.fence, turn.agent.max_steps)];
    this.#system = [...(turn.instructions === undefined ? [] : [turn.instructions]), ...rules].join('\n\n');
    const window = roomIn(parts.providers.contextWindow(turn.model), turn.settings.max_tokens);
    this.#room = Math.max(1_000, window - estimateTokens(this.#system) - estimateTokens(JSON.stringify(functions)));
  }

  /** Returns the messages of the next step. @param note added to the last result */
  async messages(note?: string): Promise<ChatMessage[]> {
    const { items, fence } = this.#state;
    this.#conversation ??= await this.#open();
    const own = items.filter(isOwnStep);
    const calls = stepsIn(own).map((step) => step.filter((item) => item.type === 'tool_call'));
    const fitted = fitResults(calls, Math.floor(this.#room * SHARE_OF_STEPS * BYTES_PER_TOKEN));
    this.#noteLeftOut(fitted, this.#conversation);
    const { sources } = this.#state;
    const unread = (this.#documents?.warnings.length ?? 0) > 0 ? [SOME_UNREAD] : [];
    const system = [this.#system, ...unread, ...(sources === null ? [] : [sources.rules])].filter(
      (text) => text !== '',
    );
    return [
      ...(system.length === 0 ? [] : [{ role: 'system' as const, content: system.join('\n\n') }]),
      ...this.#conversation,
      ...stepMessages(own, { fence, limits: fitted.limits, note }),
    ];
  }

  #noteLeftOut({ cut, dropped, leftOutBytes }: FittedResults, conversation: ChatMessage[]): void {
    if (cut + dropped === 0) return;
    const known = this.context ?? {
      ...{ messages: conversation.length, dropped: false },
      estimated_tokens: estimateTokens(JSON.stringify(conversation)),
    };
    const tokens_left_out = Math.ceil(leftOutBytes / BYTES_PER_TOKEN);
    this.context = { ...known, tool_results: { cut, dropped, tokens_left_out } };
    this.#job.note({ context: this.context });
  }

  /** Halves the room. Returns false if that would change nothing. */
  shrink(): boolean {
    if (this.#turn.response?.shorten()) {
      this.#conversation = null;
      return true;
    }
    const isSession = this.context !== undefined && this.context.messages > 1;
    if (this.#room < 2_000 || (!isSession && this.#state.steps === 0)) return false;
    this.#room = Math.floor(this.#room / 2);
    this.#conversation = null;
    return true;
  }

  async #open(): Promise<ChatMessage[]> {
    const { database } = this.#parts;
    const { source } = this.#turn;
    const maxTokens = Math.floor(this.#room * (this.#state.steps === 0 ? 1 : 1 - SHARE_OF_STEPS));
    const given = this.#turn.response?.messages(this.#state.items);
    const conversation: Conversation =
      given === undefined
        ? await conversationOf(database, this.#job.owner, source, { maxTokens, tools: true, steps: true })
        : { messages: given };
    const { context } = conversation;
    if (context) {
      this.context = context;
      this.#job.note({ context });
    }
    if (this.#state.sources === null && this.#state.steps === 0) await this.#addSources(conversation.messages);
    const found = await withFiles(this.#parts, this.#job, this.#turn, conversation);
    const messages = found.map((message) => fencedResult(message, this.#state.fence));
    const { sources } = this.#state;
    return sources === null ? messages : withBlock(messages, sources.block);
  }

  /** Finds the sources of the turn: the documents of its conversation, and its knowledge. */
  async #addSources(messages: Conversation['messages']): Promise<void> {
    const { knowledge } = this.#turn;
    if (this.#documents === null) {
      this.#documents = await sessionDocuments(this.#parts, this.#job, this.#turn);
      this.warnings.push(...this.#documents.warnings);
    }
    const { ready } = this.#documents;
    const sources = new TurnSources(this.#parts, this.#job, { knowledge, documents: ready });
    const found = await sources.within(messages, Math.floor(this.#room * SHARE_OF_SOURCES));
    if (found === null) return;
    const { passages } = found;
    const { rules, wrap } = fenceSources(passages, { use: 'first', fence: this.#state.fence });
    this.#state.sources = { rules, block: wrap('').trimEnd() };
    this.#state.spend(found.usage);
    this.warnings.push(...found.warnings);
    const quotes = passages.map((passage, index) => citationOf(index + 1, passage, passage.text.slice(0, MAX_QUOTE)));
    this.#state.passages.push(...quotes);
  }
}

/** Approved calls of a response are part of its conversation. */
function isOwnStep(item: AgentItem): boolean {
  return item.type !== 'tool_call' || item.step !== undefined;
}

/** Fences a result of an earlier turn, like those of this one. */
function fencedResult(message: ChatMessage, fence: string): ChatMessage {
  return message.role === 'tool' ? { ...message, content: fenced(messageText(message), fence) } : message;
}

/** Puts fenced sources before the last question. */
function withBlock(messages: ChatMessage[], block: string): ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages.map((message, index): ChatMessage => {
    if (index !== last || message.role !== 'user') return message;
    const { content } = message;
    if (typeof content === 'string') return { ...message, content: `${block}\n\n${content}` };
    return { ...message, content: [{ type: 'text', text: block }, ...content] };
  });
}

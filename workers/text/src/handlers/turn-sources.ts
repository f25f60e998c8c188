import { type KnowledgeUse, messageText } from '@chorus/contract';
import type { KnowledgeRecord } from '@chorus/database';
import { type Passage, type PassageQuery, searchTextFor } from '@chorus/knowledge/answering';
import { sumUsage } from '@chorus/providers/usage';
import type { AnswerParts } from './answer-parts.ts';
import type { TurnJob } from './stream-answer.ts';
import type { Conversation, Found } from './turn-conversation.ts';
import { fitPassages, RULES_TOKENS, tokensOf } from './turn-messages.ts';

/** Longer documents are searched, no matter how large the context is. */
const MAX_WHOLE_CHUNKS = 100;

/** Passages of the documents that are searched. */
const TOP_K = 12;

type Parts = Pick<AnswerParts, 'findPassages' | 'readDocument'>;
type Job = Pick<TurnJob, 'owner' | 'signal' | 'caller' | 'note'>;

interface Asked {
  /** Shared documents that the turn may use. */
  knowledge: KnowledgeUse | undefined;
  /** Documents of its conversation. */
  documents: readonly KnowledgeRecord[];
}

/**
 * The sources of a turn. Short documents of the conversation are included whole while they fit; the others, and the
 * scope's knowledge, are searched for the question.
 */
export class TurnSources {
  readonly #parts: Parts;
  readonly #job: Job;
  readonly #asked: Asked;
  readonly #whole = new Map<string, Promise<Passage[]>>();
  readonly #found = new Map<string, Promise<Found>>();

  constructor(parts: Parts, job: Job, asked: Asked) {
    this.#parts = parts;
    this.#job = job;
    this.#asked = asked;
  }

  /** Returns the passages that fit for the last question of a conversation. Null: there are no sources. */
  async within(messages: Conversation['messages'], maxTokens: number): Promise<Found | null> {
    const { knowledge, documents } = this.#asked;
    if (knowledge === undefined && documents.length === 0) return null;
    const { whole, others } = await this.#takeWhole(maxTokens);
    const asked = messages.filter(({ role }) => role === 'user').map(messageText);
    const question = searchTextFor(asked.at(-1) ?? '', asked.at(-2));
    const entry_ids = others.map(({ id }) => id);
    const queries: PassageQuery[] = [
      ...(others.length === 0 ? [] : [{ question, entry_ids, top_k: TOP_K, attached: true }]),
      ...(knowledge === undefined ? [] : [{ ...knowledge, question }]),
    ];
    const searched: Found[] = [];
    for (const query of queries) searched.push(await this.#find(query));
    const passages = searched.flatMap((found) => found.passages);
    const usage = searched.map((found) => found.usage).reduce(sumUsage, NO_USAGE);
    const warnings = [...new Set(searched.flatMap((found) => found.warnings))];
    this.#job.note({ usage, warnings });
    const fitting =
      whole.length === 0 ? fitPassages(passages, maxTokens) : fitPassages(passages, maxTokens - tokensOf(whole), 0);
    const model = searched.find((found) => found.model !== null)?.model ?? null;
    return { passages: [...whole, ...fitting], question, model, usage, warnings };
  }

  /** Takes whole documents, the shortest first. Leaves room if others must be searched. */
  async #takeWhole(maxTokens: number): Promise<{ whole: Passage[]; others: KnowledgeRecord[] }> {
    const { knowledge, documents } = this.#asked;
    const room = maxTokens - RULES_TOKENS;
    const taken: { id: string; passages: Passage[]; tokens: number }[] = [];
    for (const entry of documents.toSorted((one, other) => one.chunk_count - other.chunk_count)) {
      if (entry.chunk_count > MAX_WHOLE_CHUNKS) break;
      const passages = await this.#read(entry);
      taken.push({ id: entry.id, passages, tokens: tokensOf(passages) });
    }
    const total = taken.reduce((sum, { tokens }) => sum + tokens, 0);
    const isAll = taken.length === documents.length && knowledge === undefined && total <= room;
    let left = isAll ? room : Math.floor(room / 2);
    const fitting = new Map<string, Passage[]>();
    for (const { id, passages, tokens } of taken) {
      left -= tokens;
      if (left < 0) break;
      fitting.set(id, passages);
    }
    const whole = documents.flatMap(({ id }) => fitting.get(id) ?? []);
    return { whole, others: documents.filter(({ id }) => !fitting.has(id)) };
  }

  #read(entry: KnowledgeRecord): Promise<Passage[]> {
    const reading = this.#whole.get(entry.id) ?? this.#parts.readDocument(entry);
    this.#whole.set(entry.id, reading);
    return reading;
  }

  #find(query: PassageQuery): Promise<Found> {
    const { owner, signal, caller } = this.#job;
    const key = JSON.stringify(query);
    const finding =
      this.#found.get(key) ??
      this.#parts
        .findPassages(owner, query, { signal, ...caller })
        .then((found) => ({ ...found, question: query.question }));
    this.#found.set(key, finding);
    return finding;
  }
}

const NO_USAGE = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0 };

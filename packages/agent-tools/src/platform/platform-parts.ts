import type { Assets } from '@chorus/assets';
import type { AssetFacts, KnowledgeUse, Owner, Usage } from '@chorus/contract';
import type { FoundPassages } from '@chorus/knowledge/answering';
import type { Outbound } from '@chorus/outbound';
import type { ReadableDocument } from './pages.ts';

/** Finds the passages of a scope's documents, best first. */
export type FindPassages = (
  owner: Owner,
  query: KnowledgeUse & { question: string },
  options: { signal: AbortSignal; executionId: string },
) => Promise<FoundPassages>;

/**
 * Reads an untrusted file in a sandboxed process.
 * @throws {ChorusError} with a message for the user
 */
export type ReadFile = (
  file: { path: string; mimeType: string; filename: string | null },
  options: { signal: AbortSignal },
) => Promise<ReadableDocument>;

export interface ImageRequest {
  owner: Owner;
  executionId: string;
  /** A repeated call returns the same images. */
  callId: string;
  prompt: string;
  size: string | undefined;
  model: string | undefined;
}

/** @throws {ChorusError} the reason why there are no images; the signal's reason */
export type GenerateImage = (
  request: ImageRequest,
  signal: AbortSignal,
) => Promise<{ assets: AssetFacts[]; usage: Usage | null }>;

/** Ports of the platform. A tool whose port is missing is not available. */
export interface PlatformParts {
  outbound: Pick<Outbound, 'download'>;
  findPassages?: FindPassages;
  readFile?: ReadFile;
  assets?: Pick<Assets, 'get' | 'download'>;
  /** Returns the text of a knowledge entry. Null: there is none. */
  readEntry?(owner: Owner, id: string, maxChars: number): Promise<{ title: string; content: string } | null>;
  generateImage?: GenerateImage;
}

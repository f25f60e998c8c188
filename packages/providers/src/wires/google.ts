import { type LanguageModelV4FinishReason, TypeValidationError } from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import { z } from 'zod';
import { ArgumentPieces, argumentPiece } from './argument-pieces.ts';
import { checkUsage, type GoogleUsage, sumUsage, usageTokens } from './google-usage.ts';
import { streamError } from './stream-error.ts';
import type { MakeWire, Wire, WirePart } from './wire.ts';

/**
 * Reads the events of Google's `streamGenerateContent`, apart from files, sources, and what its own tools do.
 *
 * @param newId for calls that come without an id
 */
export const googleContents =
  (newId: () => string = generateId): MakeWire =>
  () =>
    new GoogleContents(newId);

const text = z.string().nullish();
const functionCall = z
  .object({
    id: text,
    name: text,
    args: z.unknown().optional(),
    partialArgs: z.array(argumentPiece).nullish(),
    willContinue: z.boolean().nullish(),
  })
  .nullish();
const ignored = z.unknown().optional();
const part = z.object({
  text,
  thought: z.boolean().nullish(),
  thoughtSignature: text,
  functionCall,
  inlineData: ignored,
  executableCode: ignored,
  codeExecutionResult: ignored,
  toolCall: ignored,
  toolResponse: ignored,
});
const candidate = z.object({
  content: z.object({ parts: z.array(part).nullish() }).nullish(),
  finishReason: text,
  continuationToken: text,
});
const event = z.object({
  error: z.looseObject({ code: z.number().nullish(), message: z.string(), status: text }).nullish(),
  candidates: z.array(candidate).nullish(),
  // Every event has it, but only the last one counts.
  usageMetadata: z.unknown().optional(),
  promptFeedback: z.object({ blockReason: text }).nullish(),
});
type Part = z.infer<typeof part>;
type FunctionCall = NonNullable<Part['functionCall']>;

const REASONS: Record<string, LanguageModelV4FinishReason['unified']> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  MALFORMED_FUNCTION_CALL: 'error',
};

/** HTTP statuses of errors without one. */
const STATUSES: Record<string, number> = {
  CANCELLED: 499,
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  ABORTED: 409,
  RESOURCE_EXHAUSTED: 429,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

const UNSPECIFIED = /^(BLOCK|BLOCKED)_REASON_UNSPECIFIED$/;

interface OpenCall {
  id: string;
  name: string;
  pieces: ArgumentPieces;
  meta: ReturnType<typeof metadataOf>;
}

class GoogleContents implements Wire {
  readonly #newId: () => string;
  #blocks = 0;
  /** The current block of thoughts. */
  #thoughts: string | null = null;
  /** Whether a block of text is open. */
  #inText = false;
  /** Calls whose arguments arrive in pieces, the innermost last. */
  readonly #open: OpenCall[] = [];
  #called = false;
  #finish: LanguageModelV4FinishReason = INTERRUPTED;
  #blocked = false;
  #token: string | null = null;
  #usage: unknown;
  /** The usage of the answers that this one continues. */
  #before: GoogleUsage | null = null;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  read(given: unknown, parts: WirePart[]): void {
    const parsed = event.safeParse(given);
    if (!parsed.success) throw new TypeValidationError({ value: given, cause: parsed.error });
    const { error, candidates, usageMetadata, promptFeedback } = parsed.data;
    if (error != null) throw streamError({ ...error, code: error.code ?? STATUSES[error.status ?? ''] });
    if (usageMetadata != null) this.#usage = usageMetadata;
    const reason = promptFeedback?.blockReason;
    if (reason && !UNSPECIFIED.test(reason) && !this.#blocked) {
      this.#blocked = true;
      this.#finish = { unified: 'content-filter', raw: reason };
    }
    const first = candidates?.[0];
    if (first === undefined || this.#blocked) return;
    for (const one of first.content?.parts ?? []) this.#part(one, parts);
    if (first.finishReason == null) return;
    this.#finish = { unified: this.#reasonOf(first.finishReason), raw: first.finishReason };
    this.#token = first.finishReason === 'CONTINUATION' ? (first.continuationToken ?? null) : null;
  }

  continues(): string | null {
    const token = this.#token;
    if (token === null) return null;
    this.#token = null;
    this.#before = sumUsage(this.#before, checkUsage(this.#usage));
    this.#usage = undefined;
    this.#finish = INTERRUPTED;
    return token;
  }

  end(parts: WirePart[]): void {
    this.#endThoughts(parts);
    const used = sumUsage(this.#before, checkUsage(this.#usage));
    parts.push({ type: 'finish', finishReason: this.#finish, usage: usageTokens(used) });
  }

  #part(given: Part, parts: WirePart[]): void {
    if (given.functionCall != null) this.#call(given.functionCall, given.thoughtSignature, parts);
    else if (given.inlineData != null) this.#endBlocks(parts);
    else if (given.toolCall != null || given.toolResponse != null) return;
    else if (given.executableCode != null || given.codeExecutionResult != null) return;
    else if (given.text === '') this.#sign(given, parts);
    else if (given.text == null) return;
    else if (given.thought === true) this.#think(given.text, given.thoughtSignature, parts);
    else {
      this.#endThoughts(parts);
      this.#inText = true;
      parts.push({ type: 'text-delta', id: TEXT, delta: given.text });
    }
  }

  #think(delta: string, signature: string | null | undefined, parts: WirePart[]): void {
    this.#inText = false;
    const meta = metadataOf(signature);
    if (this.#thoughts === null) {
      this.#thoughts = String(this.#blocks++);
      parts.push({ type: 'reasoning-start', id: this.#thoughts, ...meta });
    }
    parts.push({ type: 'reasoning-delta', id: this.#thoughts, delta, ...meta });
  }

  /** Reads a signature without text. One of a thought is a separate block. */
  #sign({ thought, thoughtSignature }: Part, parts: WirePart[]): void {
    if (!thoughtSignature || this.#inText) return;
    this.#endThoughts(parts);
    const id = String(this.#blocks++);
    if (thought !== true) return;
    parts.push({ type: 'reasoning-start', id, ...metadataOf(thoughtSignature) }, { type: 'reasoning-end', id });
  }

  #call(
    { id, name, args, partialArgs, willContinue }: FunctionCall,
    signature: Part['thoughtSignature'],
    parts: WirePart[],
  ): void {
    const meta = metadataOf(signature);
    if (name != null && partialArgs == null && willContinue !== true) {
      this.#endBlocks(parts);
      const call = { id: id || this.#newId(), name };
      const input = args == null ? '' : typeof args === 'string' ? args : JSON.stringify(args);
      parts.push({ type: 'tool-input-start', id: call.id, toolName: name });
      if (input !== '') parts.push({ type: 'tool-input-delta', id: call.id, delta: input });
      this.#whole(call, args == null ? '{}' : input, meta, parts);
      return;
    }
    if (name != null) {
      const call = { id: id || this.#newId(), name, pieces: new ArgumentPieces(), meta };
      this.#open.push(call);
      parts.push({ type: 'tool-input-start', id: call.id, toolName: name });
    }
    const call = this.#open.at(-1);
    if (call === undefined) return;
    const pieces = partialArgs ?? [];
    call.pieces.add(pieces);
    if (willContinue === true || pieces.some((piece) => piece.willContinue === true)) return;
    this.#open.pop();
    this.#endBlocks(parts);
    this.#whole(call, call.pieces.toJson(), call.meta, parts);
  }

  #whole(call: { id: string; name: string }, input: string, meta: OpenCall['meta'], parts: WirePart[]): void {
    this.#called = true;
    parts.push({ type: 'tool-call', toolCallId: call.id, toolName: call.name, input, ...meta });
  }

  #endBlocks(parts: WirePart[]): void {
    this.#inText = false;
    this.#endThoughts(parts);
  }

  #endThoughts(parts: WirePart[]): void {
    if (this.#thoughts === null) return;
    parts.push({ type: 'reasoning-end', id: this.#thoughts });
    this.#thoughts = null;
  }

  #reasonOf(reason: string): LanguageModelV4FinishReason['unified'] {
    return reason === 'STOP' && this.#called ? 'tool-calls' : (REASONS[reason] ?? 'other');
  }
}

const INTERRUPTED: LanguageModelV4FinishReason = { unified: 'interrupted', raw: undefined };
const TEXT = 'text';

const metadataOf = (thoughtSignature: string | null | undefined) =>
  thoughtSignature ? { providerMetadata: { google: { thoughtSignature } } } : {};

import { z } from 'zod';
import { withoutVersion } from './prices.ts';

/** Data that providers attach to reasoning and tool calls, and need back. Other fields are never sent. */
const metadata = z.object({
  /** Anthropic: proves that the text is the model's own; or the encrypted text itself. */
  signature: z.string().optional(),
  redactedData: z.string().optional(),
  /** OpenAI: the reasoning item. */
  itemId: z.string().optional(),
  reasoningEncryptedContent: z.string().optional(),
  /** Google: on function calls and thoughts. */
  thoughtSignature: z.string().optional(),
});
export type PartMetadata = z.infer<typeof metadata>;

const signed = z.object({
  model: z.string(),
  meta: metadata,
  /** Characters that we put before the text. */
  pad: z.int().nonnegative().optional(),
  /** Characters of text, and tool calls, that came before. */
  at: z.tuple([z.int().nonnegative(), z.int().nonnegative()]).optional(),
});
export type Signed = z.infer<typeof signed>;

/** Keeps the known fields of a part's metadata from a provider package. */
export function metadataOf(given: Record<string, unknown> | undefined): PartMetadata {
  const known = Object.keys(metadata.shape).filter((name) => typeof given?.[name] === 'string');
  return Object.fromEntries(known.map((name) => [name, given?.[name]]));
}

/** Returns the signature of a part as text. @param model `provider/model` */
export function writeSignature(model: string, rest: Omit<Signed, 'model'>): string {
  return JSON.stringify({ model: withoutVersion(model), ...rest });
}

/** Reads a signature. Returns null if it is malformed, or of another model. */
export function readSignature(signature: string | null | undefined, model: string): Signed | null {
  if (signature == null) return null;
  try {
    const read = signed.parse(JSON.parse(signature));
    return read.model === withoutVersion(model) ? read : null;
  } catch {
    return null;
  }
}

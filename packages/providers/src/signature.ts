import { z } from 'zod';
import { withoutVersion } from './usage/prices.ts';

/** Data that providers attach to reasoning and tool calls, and need back. Other fields are never sent. */
const metadata = z.object({
  /** Anthropic: a proof that the text is the model's own, or the encrypted text itself. */
  signature: z.string().optional(),
  redactedData: z.string().optional(),
  /** OpenAI: the reasoning item. */
  itemId: z.string().optional(),
  reasoningEncryptedContent: z.string().optional(),
  /** Google: for function calls and thoughts. */
  thoughtSignature: z.string().optional(),
});
export type PartMetadata = z.infer<typeof metadata>;

const signed = z.object({
  model: z.string(),
  meta: metadata,
  /** Number of characters that were inserted before the text. */
  pad: z.int().nonnegative().optional(),
  /** Number of characters of text, and of tool calls, before it. */
  at: z.tuple([z.int().nonnegative(), z.int().nonnegative()]).optional(),
});
export type Signed = z.infer<typeof signed>;

/** Keeps the known fields of a part's metadata from a provider package. */
export function metadataOf(given: Record<string, unknown> | undefined): PartMetadata {
  const known = Object.keys(metadata.shape).filter((name) => typeof given?.[name] === 'string');
  return Object.fromEntries(known.map((name) => [name, given?.[name]]));
}

/** Serializes the signature of a part. @param model `provider/model` */
export function writeSignature(model: string, rest: Omit<Signed, 'model'>): string {
  return JSON.stringify({ model: withoutVersion(model), ...rest });
}

/** Reads a signature. Returns null if it is malformed, or from another model. */
export function readSignature(signature: string | null | undefined, model: string): Signed | null {
  if (signature == null) return null;
  try {
    const read = signed.parse(JSON.parse(signature));
    return read.model === withoutVersion(model) ? read : null;
  } catch {
    return null;
  }
}

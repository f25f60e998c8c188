import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** A part of an answer, in the form of the packages. They show refusals as text, which are separate here. */
export type WirePart = LanguageModelV4StreamPart | { type: 'refusal-delta'; delta: string };

/** Translates the events of one answer. A failure is a part of type `error`, or thrown. */
export interface Wire {
  /** Whether events with this name add nothing, so that they need not be parsed. */
  ignores?(name: string): boolean;
  /** Adds the parts of an event, except for `[DONE]`. */
  read(event: unknown, parts: WirePart[]): void;
  /** The text of the last event, if it added nothing else. */
  readonly onlyText?: string | null;
  /** Adds the text of events that repeat the last text-only event. */
  readText?(text: string, parts: WirePart[]): void;
  /** Notes the mark `[DONE]`, which not every server sends. */
  done?(): void;
  /** Returns the token for the request that continues the answer. Null or missing: it is complete. */
  continues?(): string | null;
  /** Adds the last parts, at the end of the answer. */
  end(parts: WirePart[]): void;
}

/** Creates the wire of one answer. @param raw whether to add events as parts, too, for log probabilities */
export type MakeWire = (raw: boolean) => Wire;

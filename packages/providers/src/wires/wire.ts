import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** A part of an answer: as the packages have it, or a refusal, which they show as text. */
export type WirePart = LanguageModelV4StreamPart | { type: 'refusal-delta'; delta: string };

/** Translates the events of one answer. A failure is a part of type `error`, or thrown. */
export interface Wire {
  /** Whether events of a name add nothing, so that they need not be parsed. */
  ignores?(name: string): boolean;
  /** Adds the parts of an event, except for `[DONE]`. */
  read(event: unknown, parts: WirePart[]): void;
  /** The text of the last event, if it added nothing else. */
  readonly onlyText?: string | null;
  /** Adds the text of events that are like the last one with only text. */
  readText?(text: string, parts: WirePart[]): void;
  /** Returns the token of the request that continues an answer which ended here. Null or missing: it is whole. */
  continues?(): string | null;
  /** Adds the last parts, after the whole answer. */
  end(parts: WirePart[]): void;
}

/** Creates the wire of one answer. @param raw whether events are wanted as parts too, for log probabilities */
export type MakeWire = (raw: boolean) => Wire;

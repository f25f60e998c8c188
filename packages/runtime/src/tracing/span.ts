export type Attributes = Record<string, string | number | boolean | undefined>;

export type SpanKind = 'server' | 'consumer' | 'client' | 'internal';

export interface SpanStart {
  kind: SpanKind;
  attributes?: Attributes;
  /** A `traceparent` of another process. Default: the span of the running code. Null: a new trace. */
  parent?: string | null | undefined;
  /** The `traceparent` of the cause, whose trace the step does not continue. */
  link?: string | null | undefined;
  /** In Unix milliseconds. Default: now. */
  startedAt?: number | undefined;
}

/** A step of a trace. Without tracing, it does nothing. */
export interface Span {
  /** W3C `traceparent` for another process. Null without tracing. */
  readonly traceparent: string | null;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Marks the step as failed. @param code a low-cardinality name of the error */
  fail(code: string): void;
  /** Ends the step. Only the first call counts. */
  end(): void;
}

export type SpanFactory = (name: string, start: SpanStart & { parent: string | null }) => Span;

export interface TracingConfig {
  /** Default: `chorus` and the name of the process. */
  serviceName: string | null;
  resourceAttributes: Readonly<Record<string, string>>;
  sampler: { root: 'always_on' | 'always_off' | 'traceidratio'; ratio: number; followsParent: boolean };
}

/** The form of a `traceparent` of version 00. */
export const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

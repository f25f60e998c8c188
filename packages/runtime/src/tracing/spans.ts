import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from '../log/index.ts';
import type { Span, SpanFactory, SpanStart, TracingConfig } from './span.ts';

const NO_SPAN: Span = { traceparent: null, rename() {}, set() {}, fail() {}, end() {} };

/** One per process, like its logger. Null: tracing is off, and OpenTelemetry is not loaded. */
let tracing: { create: SpanFactory; running: AsyncLocalStorage<Span>; close: () => Promise<void> } | null = null;

/** Turns tracing on, for a configuration with an exporter. */
export async function startTracing(config: TracingConfig | null, process: string, log: Logger): Promise<void> {
  if (config === null) return;
  const { openTelemetry } = await import('./open-telemetry.ts');
  const { create, close } = openTelemetry(config, process, log);
  tracing = { create, close, running: new AsyncLocalStorage() };
}

/** Sends the last spans, and turns tracing off. */
export async function stopTracing(): Promise<void> {
  const stopped = tracing;
  tracing = null;
  await stopped?.close();
}

/** Starts a step as part of the running one. */
export function startSpan(name: string, start: SpanStart): Span {
  if (tracing === null) return NO_SPAN;
  const parent = start.parent === undefined ? (tracing.running.getStore()?.traceparent ?? null) : start.parent;
  return tracing.create(name, { ...start, parent });
}

/** Runs code as part of a step. Steps that it starts are children. */
export function runInSpan<T>(span: Span, run: () => T): T {
  return tracing === null || span === NO_SPAN ? run() : tracing.running.run(span, run);
}

/** Returns the running step. Without one, it does nothing. */
export function currentSpan(): Span {
  return tracing?.running.getStore() ?? NO_SPAN;
}

/** Returns the `traceparent` of the running step. Null: none. */
export const currentTraceparent = (): string | null => currentSpan().traceparent;

/** Returns the trace id of a `traceparent`, as tools show it. */
export const traceIdOf = (traceparent: string): string => traceparent.split('-')[1] ?? '';
